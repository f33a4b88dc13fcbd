// SPDX-License-Identifier: Apache-2.0
// Services that a DMA engine requires from its environment.
#pragma once

#include "model/base/activity.h"
#include "model/engine/dma/dma_transfer.h"

namespace tahoma::model {

struct DmaSurroundings {
  // Allocates a payload for an access or for the fabric; release() frees it.
  virtual sim::Payload* packet(tlm::tlm_command command, std::uint64_t address, std::uint64_t bytes) = 0;
  // Starts one access to a memory in `ahead`. If it returns false, answered() will be called.
  virtual bool access(sim::Payload& payload, base::Duration ahead) = 0;
  virtual bool offer(sim::Payload& payload) = 0;  // false: credited() will be called
  virtual void visible(const sim::Notify& notify, unsigned engine, base::Time when) = 0;
  virtual void first_packet(Transfer& transfer) = 0;  // values move, or are fetched for that
  virtual void share_issued(Transfer& transfer) = 0;
  virtual void share_ended(Transfer& transfer) = 0;
  // Reports that a packet was issued, that one has been or will have been read at `until`, and that one
  // has completed.
  virtual void issued(base::Time at) = 0;
  virtual void read(base::Time until) = 0;
  virtual void moved(Transfer& transfer, const base::PacketActivity& packet) = 0;

 protected:
  ~DmaSurroundings() = default;
};

}  // namespace tahoma::model
