// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma_engine.h"

#include <algorithm>
#include <bit>

#include "model/base/error.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Duration, base::Time;

void DmaEngine::push(Transfer* transfer, unsigned ring, Time available) {
  const UnitRange range = share_of(transfer->runs, index_);
  std::uint32_t index = free_share_;
  if (index == kNoShare) {
    index = static_cast<std::uint32_t>(shares_.size());
    shares_.emplace_back();
  } else {
    free_share_ = shares_[index].next;
  }
  shares_[index] = {transfer, available, range.first, range.last, 0, kNoShare};
  Ring& r = rings_[ring];
  (r.head == kNoShare ? r.head : shares_[r.tail].next) = index;
  r.tail = index;
  in_use_ |= 1U << ring;
  schedule();
}

void DmaEngine::pop_share(unsigned ring) {
  Ring& r = rings_[ring];
  const std::uint32_t index = r.head;
  r.head = shares_[index].next;
  if (r.head == kNoShare) in_use_ &= ~(1U << ring);
  shares_[index].next = free_share_;
  free_share_ = index;
}

void DmaEngine::schedule() {
  if (in_use_ == 0 || blocked_on_link_) return due_at(base::kNever, inject_at_);
  Time earliest = base::kNever;
  for (std::uint32_t left = in_use_; left != 0; left &= left - 1)
    earliest =
        std::min(earliest, shares_[rings_[static_cast<unsigned>(std::countr_zero(left))].head].available);
  due_at(std::max({earliest, free_at_, sim::now()}), inject_at_);
}

void DmaEngine::act() {
  const Time t = sim::now();
  if (inject_at_ <= t) inject();
  if (step_at_ <= t) step();
}

// Round-robin over the rings whose head has come through its start-up.
DmaEngine::Share* DmaEngine::next_share(Time t, unsigned& ring) {
  const std::uint32_t after = in_use_ & ~((2U << last_ring_) - 1);  // rings behind the last one first
  for (std::uint32_t part : {after, in_use_ & ~after}) {
    for (; part != 0; part &= part - 1) {
      ring = static_cast<unsigned>(std::countr_zero(part));
      Share& share = shares_[rings_[ring].head];
      if (share.available <= t) return &share;
    }
  }
  return nullptr;
}

DmaEngine::Packet DmaEngine::next_packet(const Share& share) const {
  Packet p;
  p.unit = share.unit;
  if (share.unit == share.last_unit) {  // an empty share still writes its semaphore
    p.last = true;
    return p;
  }
  const Runs& runs = share.transfer->runs;
  const std::uint64_t each = share.transfer->element * share.transfer->request.sources.size();
  const std::uint64_t room = std::max<std::uint64_t>(1, params_.packet.count / each);
  const std::uint64_t here = runs.elements_of(share.unit);
  p.from_element = share.done_elements;
  p.starts_run = share.done_elements == 0;
  p.elements = std::min(room, here - share.done_elements);
  if (p.elements == here && runs.pieces == 1) {  // whole runs: as many as fit
    p.runs = std::min({room / here, params_.packet_elements, share.last_unit - share.unit});
    p.runs = std::max<std::uint64_t>(1, p.runs);
    p.elements = here * p.runs;
  }
  const bool ends_unit = p.runs > 1 || p.from_element + p.elements >= here;
  p.last = ends_unit && share.unit + p.runs >= share.last_unit;
  return p;
}

void DmaEngine::advance(Share& share, const Packet& packet) const {
  if (share.unit == share.last_unit) return;
  const std::uint64_t here = share.transfer->runs.elements_of(share.unit);
  share.done_elements += packet.elements;
  if (packet.runs > 1 || share.done_elements >= here) {
    share.unit += packet.runs;
    share.done_elements = 0;
  }
}

void DmaEngine::step() {
  const Time t = sim::now();
  if (outgoing_.size() >= params_.remote_window) {  // sent() goes on when the fabric has taken one
    blocked_on_link_ = true;
    blocked_since_ = t;
    return schedule();
  }
  unsigned ring = 0;
  Share* share = next_share(t, ring);
  if (share == nullptr) return schedule();
  last_ring_ = ring;
  Transfer& transfer = *share->transfer;
  if (!transfer.applied) around_.first_packet(transfer);

  const Packet packet = next_packet(*share);
  Time read_done{0};
  free_at_ = move(*share, packet, t, read_done);
  tell(transfer, packet, t, read_done);
  if (packet.last && transfer.request.on_read) have_read(transfer, read_done);
  if (transfer.remote)
    send(transfer, packet, read_done);
  else if (packet.last)
    complete(transfer, read_done);
  if (packet.last) {
    pop_share(ring);
    around_.share_ended(transfer, ring);
  } else {
    advance(*share, packet);
  }
  schedule();
}

void DmaEngine::tell(const Transfer& transfer, const Packet& packet, Time start, Time read_done) {
  base::PacketActivity a;
  a.engine = static_cast<std::uint8_t>(index_);
  a.ring = static_cast<std::uint8_t>(transfer.request.ring);
  a.bytes = packet.elements * transfer.element;
  a.elements = packet.runs;
  a.last = packet.last;
  a.start = start;
  a.read_done = read_done;
  a.write_done = read_done + params_.write_latency;
  around_.moving(a, free_at_);
}

void DmaEngine::send(const Transfer& transfer, const Packet& packet, Time read_done) {
  const isa::DmaSide& dst = transfer.request.descriptor().dst;
  sim::Payload* p = around_.packet(address(transfer, dst, transfer.request.dst, packet),
                                   packet.elements * isa::size_of(dst.dtype));
  sim::PacketInfo& info = sim::info_of(*p);
  info.runs = static_cast<std::uint32_t>(packet.runs);
  if (packet.last && !transfer.request.on_read) {
    info.notify = transfer.request.notify;
    info.notify_delay = std::max(Duration{0}, params_.completion - params_.write_latency);
  }
  enqueue(*p, read_done);
}

void DmaEngine::enqueue(sim::Payload& payload, Time ready) {
  sim::info_of(payload).engine = index_;
  outgoing_.push_back({&payload, ready});
  if (outgoing_.size() == 1) due_at(step_at_, std::max(ready, sim::now()));
}

// Offers the oldest packet to the fabric.
void DmaEngine::inject() {
  due_at(step_at_, base::kNever);
  awaiting_credit_ = !around_.offer(*outgoing_.front().payload);
  if (!awaiting_credit_) sent();
}

void DmaEngine::credited() {
  TAHOMA_INVARIANT(awaiting_credit_, "a DMA engine is credited for a packet it did not offer");
  awaiting_credit_ = false;
  sent();
}

void DmaEngine::sent() {
  outgoing_.front().payload->release();
  outgoing_.pop_front();
  if (!outgoing_.empty()) due_at(step_at_, std::max(outgoing_.front().ready, sim::now()));
  if (!blocked_on_link_) return;
  blocked_on_link_ = false;
  totals_.blocked_link += sim::now() - blocked_since_;
  free_at_ = std::max(free_at_, sim::now());
  schedule();
}

// A share has been read, and whoever overwrites its source is told. The semaphore is written as behind a
// completion, without waiting for the data to be written.
void DmaEngine::have_read(const Transfer& transfer, Time read_done) {
  read_ = std::max(read_, read_done + std::max(Duration{0}, params_.completion - params_.write_latency));
  around_.visible(transfer.request.notify.value_or(sim::Notify{sim::kNobody}), index_, read_);
}

// A local transfer's share has been read: its completion becomes visible in order.
void DmaEngine::complete(const Transfer& transfer, Time read_done) {
  completed_ = std::max(completed_, read_done + params_.completion);
  const bool told = transfer.request.on_read || !transfer.request.notify;
  around_.visible(told ? sim::Notify{sim::kNobody} : *transfer.request.notify, index_, completed_);
}

}  // namespace tahoma::model
