// SPDX-License-Identifier: Apache-2.0
// A transfer in flight: what the doorbell says of it, and what follows from that for the engines that share
// it. Transfers of the queues of the core's own engines go over all 16 DMA engines; a collective core has as
// many as the machine gives it, cc0 from the first on and cc1 behind them.
#pragma once

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "model/engine/dma/dma_split.h"
#include "model/engine/dma/transfer_checksums.h"
#include "model/engine/pipeline/engine_params.h"
#include "model/engine/sequencer/doorbell.h"
#include "model/sim/backdoor.h"

namespace tahoma::model {

// Shared by the shares of its engines.
struct Transfer {
  TransferRequest request;
  Runs runs;
  std::uint64_t element = 1;  // bytes of the largest side's
  bool remote = false;        // dst on another chip
  bool far = false;           // a side of it is on another chip
  bool applied = false;       // values moved
  unsigned first_engine = 0;
  unsigned to_issue = 0;     // shares that hold their place in the ring
  unsigned shares_left = 0;  // not ended
  bool collective = false;   // rung by a collective core
  std::uint64_t parts = 1;   // most of a packet
  TransferChecksums checksums{};
  base::TransferActivity activity{};  // so far, for who draws it

  // The n-th of its engines.
  unsigned engine(unsigned n) const { return (first_engine + n) % isa::kDmaEngines; }
  // One of its packets, whose core is known, has moved: into `activity`.
  void note(const base::PacketActivity& packet);
};

// Of a core on this chip. Each of fewer than 16 engines raises semaphores by as much more, so that a whole
// transfer always adds up to the same.
Transfer transfer_of(const TransferRequest& request, std::uint32_t chip, const DmaParams& params);

// Whether all bytes of its HBM sides lie in HBM: ProgramError E-RUN-042 if not.
void check_sides(const TransferRequest& request, const sim::BackdoorIf& hbm);

inline bool on_chip(std::uint64_t address, std::uint32_t chip) {
  return isa::GlobalAddress::from(address).chip == chip;
}

}  // namespace tahoma::model
