// SPDX-License-Identifier: Apache-2.0
// A transfer in flight: the doorbell's request and the quantities that the participating engines derive from
// it. Transfers from the core's own engine queues use all 16 DMA engines. A collective core has the number
// that the machine configures: cc0 from the first engine on and cc1 after them.
#pragma once

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "model/engine/dma/dma_split.h"
#include "model/engine/dma/transfer_checksums.h"
#include "model/engine/params/engine_params.h"
#include "model/engine/ports/doorbell.h"
#include "model/sim/backdoor.h"

namespace tahoma::model {

// The state that the engines' shares have in common.
struct Transfer {
  TransferRequest request;
  Runs runs;
  std::uint64_t element = 1;  // bytes, of the side with the larger elements
  bool remote = false;        // dst on another chip
  bool reads_far = false;     // data come from another chip
  bool begun = false;         // its first packet has been issued
  bool applied = false;       // values moved
  unsigned first_engine = 0;
  unsigned to_issue = 0;     // shares that occupy their slot in the ring
  unsigned shares_left = 0;  // shares that have not ended
  bool collective = false;   // issued by a collective core
  std::uint64_t parts = 1;   // maximum per packet
  base::Time visible{0};     // latest semaphore of its shares so far
  TransferChecksums checksums{};
  base::TransferActivity activity{};  // accumulated so far, for observers

  bool far() const { return remote || reads_far; }
  // Returns the n-th of the transfer's engines.
  unsigned engine(unsigned n) const { return (first_engine + n) % isa::kDmaEngines; }
  // Adds one moved packet, whose core is known, to `activity`.
  void record_packet(const base::PacketActivity& packet);

 private:
  void note_reads(std::uint64_t elements);
};

// Prepares a transfer of a core on this chip. With fewer than 16 engines each raises semaphores by
// proportionally more, so that a whole transfer always adds the same amount.
Transfer transfer_of(const TransferRequest& request, std::uint32_t chip, const DmaParams& params);

// Checks that all bytes of the HBM sides are within HBM; throws ProgramError E-RUN-042 if not.
void check_sides(const TransferRequest& request, const sim::BackdoorIf& hbm);

inline bool on_chip(std::uint64_t address, std::uint32_t chip) {
  return isa::GlobalAddress::from(address).chip == chip;
}

}  // namespace tahoma::model
