// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma_rings.h"

#include <fmt/format.h>

#include "isa/error.h"
#include "isa/program.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

// Bytes from an HBM side's base address to behind its last element: what the back door has to cover.
std::uint64_t extent(const isa::Descriptor& d, const isa::DmaSide& side) {
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < isa::kFreeDims; ++i)
    if (side.stride[i] > 0)
      last += std::uint64_t{d.count[i] - 1} * static_cast<std::uint64_t>(side.stride[i]);
  return (last + 1) * isa::size_of(side.dtype);
}

}  // namespace

DmaRings::DmaRings(sc_core::sc_module_name name, const Place& place, const DmaParams& params,
                   sim::PayloadPool& pool, sim::Meter& meter)
    : sc_module(name), place_(place), params_(params), held_(params.rings), room_watchers_(params.rings) {
  for (unsigned e = 0; e < isa::kDmaEngines; ++e)
    engines_[e] = std::make_unique<DmaEngine>(fmt::format("engine{:02}", e).c_str(),
                                              DmaEngine::Place{e, place.core, place.chip}, params,
                                              static_cast<DmaGroup&>(*this), pool, meter);
}

bool DmaRings::has_room(unsigned ring) const { return held_.at(ring) < params_.ring_depth; }

void DmaRings::call_when_room(unsigned ring, RoomWatcher* who) { room_watchers_.at(ring).push_back(who); }

void DmaRings::ring(const TransferRequest& request) {
  const isa::Descriptor& d = *request.descriptor;
  if (d.src.space == isa::Space::kHbm && isa::GlobalAddress::from(request.src).chip != place_.chip)
    throw isa::ProgramError(
        "E-RUN-040", fmt::format("{}, dma_copy", basename()),
        "the source lies on another chip; a transfer is pushed by the chip that holds its source");
  if (free_.empty()) {
    transfers_.push_back(std::make_unique<Transfer>());
    free_.push_back(transfers_.back().get());
  }
  Transfer* t = free_.back();
  free_.pop_back();
  *t = Transfer{request, runs_of(d), false, false, isa::kDmaEngines};
  t->remote = d.dst.space == isa::Space::kHbm && isa::GlobalAddress::from(request.dst).chip != place_.chip;
  if (t->remote && d.accumulate)
    throw isa::ProgramError(
        "E-RUN-041", fmt::format("{}, dma_copy", basename()),
        "accumulation into another chip's memory; send to a buffer there and accumulate it there");
  ++held_[request.ring];
  ++started_;
  ++in_flight_;
  for (unsigned e = 0; e < isa::kDmaEngines; ++e)
    engines_[e]->push(t, request.ring, request.rung + params_.start_up + params_.skew * e);
}

void DmaRings::first_packet(Transfer& t) {
  t.applied = true;
  if (!place_.functional) return;
  const isa::Descriptor& d = *t.request.descriptor;
  std::byte* dst = d.dst.space == isa::Space::kHbm ? hbm->at(t.request.dst, extent(d, d.dst)) : nullptr;
  std::byte* src = d.src.space == isa::Space::kHbm ? hbm->at(t.request.src, extent(d, d.src)) : nullptr;
  isa::execute_dma(d, {sbuf->bytes(), sbuf->stride(), psum->bytes(), psum->stride(), nullptr}, dst, src);
}

void DmaRings::share_ended(Transfer& t, unsigned ring) {
  if (--t.shares_left > 0) return;
  free_.push_back(&t);
  --held_[ring];
  --in_flight_;
  for (RoomWatcher* who : room_watchers_[ring]) who->room();
  room_watchers_[ring].clear();
  if (in_flight_ == 0) retire->something_ended();
}

void DmaRings::moving(Time start, Time end) {
  const Time from = std::max(start, active_until_);
  if (end > from) {
    active_ += end - from;
    active_until_ = end;
  }
}

bool DmaRings::idle() const {
  if (in_flight_ > 0) return false;
  for (const auto& e : engines_)
    if (!e->idle()) return false;
  return true;
}

base::DmaMeasurement DmaRings::measure() const {
  base::DmaMeasurement m;
  m.path = name();
  m.core = place_.core;
  m.transfers = started_;
  m.active = active_;
  for (const auto& e : engines_) {
    m.packets += e->packets();
    m.bytes += e->bytes();
    m.busy += e->busy();
    m.blocked_memory += e->blocked_memory();
    m.blocked_link += e->blocked_link();
  }
  return m;
}

}  // namespace tahoma::model
