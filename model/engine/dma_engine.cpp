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
  shares_[index] = {transfer, available, range.first, range.last, 0, 0, kNoShare};
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

// Whole rows, as many as fit: whole elements where one fits, else no further than the end of the current one.
void DmaEngine::take_rows(Packet& p, const Share& share, std::uint64_t room) const {
  const std::uint64_t joined = share.transfer->runs.joined, here = p.elements;
  const std::uint64_t fit = std::max<std::uint64_t>(1, room / here);
  if (share.done_rows > 0 || fit < joined)
    p.runs = std::min(fit, joined - share.done_rows);
  else
    p.runs = std::min(fit / joined, params_.packet_elements) * joined;
  p.runs = std::min(p.runs, share.last_unit - share.unit);
  p.elements = here * p.runs;
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
  p.elements = std::min(room, here - share.done_elements);
  if (p.elements == here && runs.pieces == 1) take_rows(p, share, room);
  if (share.done_elements == 0 && share.done_rows == 0) p.starts = (p.runs + runs.joined - 1) / runs.joined;
  const bool ends_unit = p.runs > 1 || p.from_element + p.elements >= here;
  p.last = ends_unit && share.unit + p.runs >= share.last_unit;
  return p;
}

void DmaEngine::advance(Share& share, const Packet& packet) const {
  if (share.unit == share.last_unit) return;
  const Runs& runs = share.transfer->runs;
  share.done_elements += packet.elements;
  if (packet.runs == 1 && share.done_elements < runs.elements_of(share.unit)) return;
  share.unit += packet.runs;
  share.done_elements = 0;
  if (runs.joined > 1)
    share.done_rows = static_cast<std::uint32_t>((share.done_rows + packet.runs) % runs.joined);
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
  const Read read = move(transfer, packet, t);
  if (packet.last && transfer.request.on_read) have_read(transfer, read.done);
  if (transfer.remote)
    send(transfer, packet, read.done);
  else
    write(transfer, packet, read.done);
  tell(transfer, packet, t, read);
  if (packet.last && !transfer.remote) complete(transfer);
  if (packet.last) {
    pop_share(ring);
    around_.share_ended(transfer, ring);
  } else {
    advance(*share, packet);
  }
  schedule();
}

void DmaEngine::tell(const Transfer& transfer, const Packet& packet, Time engine_start, const Read& read) {
  base::PacketActivity a;
  a.engine = static_cast<std::uint8_t>(index_);
  a.ring = static_cast<std::uint8_t>(transfer.request.ring);
  a.bytes = packet.elements * transfer.element;
  a.elements = packet.runs;
  a.last = packet.last;
  a.start = read.start;
  a.read_done = read.done;
  a.write_done = transfer.remote ? read.done : written_;
  around_.moving(a, engine_start, free_at_);
}

void DmaEngine::send(const Transfer& transfer, const Packet& packet, Time read_done) {
  const isa::DmaSide& dst = transfer.request.descriptor().dst;
  sim::Payload* p = around_.packet(address(transfer, dst, transfer.request.dst, packet),
                                   packet.elements * isa::size_of(dst.dtype));
  sim::PacketInfo& info = sim::info_of(*p);
  info.runs = static_cast<std::uint32_t>(packet.runs);
  if (packet.last && !transfer.request.on_read) {
    info.notify = transfer.request.notify;
    info.notify_delay = semaphore_visible(read_done, params_) - read_done;
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
  read_ = std::max(read_, semaphore_visible(read_done, params_));
  around_.visible(transfer.request.notify.value_or(sim::Notify{sim::kNobody}), index_, read_);
}

void DmaEngine::write(const Transfer& transfer, const Packet& packet, Time read_done) {
  const isa::DmaSide& dst = transfer.request.descriptor().dst;
  const Duration drain = drain_of(packet.elements * isa::size_of(dst.dtype));
  written_ = written_at(read_done, written_, drain, dst.space, params_);
}

// A local transfer's share has been written: its completion becomes visible, and what follows waits for the
// semaphore's own acknowledgement.
void DmaEngine::complete(const Transfer& transfer) {
  if (transfer.request.on_read || !transfer.request.notify)
    return around_.visible(sim::Notify{sim::kNobody}, index_, written_);
  around_.visible(*transfer.request.notify, index_, semaphore_visible(written_, params_));
  written_ = semaphore_written(written_, params_);
}

}  // namespace tahoma::model
