// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/ring/rtl_dma_rings.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tahoma::rtl {
namespace {

constexpr std::int64_t kMostCycles = 255;       // of the constants that the ring is given
constexpr std::int64_t kMostWaiting = 1 << 24;  // cycles: more than any packet takes

void refuse_rings(const char* path, const std::string& text) {
  throw base::UserError("E-CFG-020", path, text + " (machine.chip.core.dma.model: rtl)");
}

}  // namespace

RtlDmaRings::RtlDmaRings(std::string path, const model::DmaParams& params)
    : path_(std::move(path)), params_(params) {
  if (params.bytes_per_cycle.count != 32)
    refuse_rings("machine.chip.core.dma.bytes_per_cycle", "expected 32 B");
  if (params.ring_depth > kRingDepth)
    refuse_rings("machine.chip.core.dma.ring_depth", fmt::format("expected at most {}", kRingDepth));
  if (ring_latency(params) > kMostCycles)
    refuse_rings("machine.chip.core.dma.semaphore_write",
                 fmt::format("expected at most {} cycles more than semaphore_return", kMostCycles));
  if (params.element_overhead.count > kMostCycles)
    refuse_rings("machine.chip.core.dma.element_overhead",
                 fmt::format("expected at most {} cycles", kMostCycles));
  if (params.packet_overhead.count > kMostCycles)
    refuse_rings("machine.chip.core.dma.packet_overhead",
                 fmt::format("expected at most {} cycles", kMostCycles));
  if (params.semaphore_element.count > kMostCycles)
    refuse_rings("machine.chip.core.dma.semaphore_element",
                 fmt::format("expected at most {} cycles", kMostCycles));
}

RtlDmaRings::Ring::Ring(const std::string& path, const model::DmaParams& params)
    : pins(verilated_dma_ring(path)), lock_step(*pins, params, path) {
  if (params.waves.wanted()) open_waves(*pins, params.waves.folder, path);
}

void RtlDmaRings::show_waves(Ring& ring, base::Time at) const {
  ring.pins->show_waves(params_.waves.shows(at));
}

void RtlDmaRings::pushed(unsigned engine, unsigned ring, const model::Share& share, base::Time at) {
  const std::string path = fmt::format("{}.engine{:02}.ring{:02}", path_, engine, ring);
  Ring& r = rings_.try_emplace({engine, ring}, path, params_).first->second;
  r.followed.push_back(descriptor_of(share, params_).has_value());
  if (!r.followed.back()) return;
  show_waves(r, at);
  r.lock_step.write(share);
  r.lock_step.doorbell(1);
  r.lock_step.step(false);
}

// The ring is ready for the packet when the previous one has passed, at the latest a few cycles after its
// descriptor was written. Until then its law issues nothing.
void RtlDmaRings::issued(unsigned engine, unsigned ring, const model::DmaPacket& packet, base::Time at) {
  Ring& r = rings_.at({engine, ring});
  const bool followed = r.followed.front();
  if (packet.last) r.followed.pop_front();
  if (!followed) return;
  show_waves(r, at);
  RingLaw::Decision decision;
  for (std::int64_t n = 0; !decision.issue; ++n) {
    TAHOMA_INVARIANT(n < kMostWaiting, path_ + ": a ring does not issue what its engine does");
    decision = r.lock_step.step(true);
  }
  r.lock_step.check(*decision.issue, packet);
  r.lock_step.written();
}

}  // namespace tahoma::rtl
