// SPDX-License-Identifier: Apache-2.0
// The time that the packets of one DMA engine take. Most packets of a transfer are alike, so the last times
// are cached.
#pragma once

#include "model/engine/dma/dma_share.h"
#include "model/engine/dma/dma_timing.h"

namespace tahoma::model {

class DmaCosts {
 public:
  DmaCosts(unsigned engine, const DmaParams& params) : engine_(engine), params_(params) {}

  base::Duration of(const Transfer& transfer, const DmaPacket& packet);
  base::Duration drain(std::uint64_t bytes);
  // Returns the extra time of the engine's first HBM read.
  base::Duration first_read(const Transfer& transfer);

 private:
  base::Duration of(const PacketShape& shape);

  unsigned engine_;
  const DmaParams& params_;
  bool cold_ = true;  // HBM has not been read yet
  PacketShape last_shape_;
  base::Duration last_cost_{0};
  std::uint64_t last_bytes_ = 0;
  base::Duration last_drain_{0};
};

}  // namespace tahoma::model
