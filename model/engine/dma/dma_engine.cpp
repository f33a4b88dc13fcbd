// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma/dma_engine.h"

#include "model/sim/time.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

// Records the HBM bytes that a packet reads and writes, on this chip or another. One without data has no
// addresses.
void tell_sides(const TransferRequest& request, std::uint64_t elements, base::PacketActivity& a) {
  if (elements == 0) return;
  request.for_each_hbm_read([&](std::size_t operand) {
    if (a.read_bytes == 0) a.read_address = request.address(operand);
    a.read_bytes += elements * isa::size_of(request.side(operand).dtype);
  });
  const isa::DmaSide& to = request.descriptor().dst;
  if (to.space != isa::Space::kHbm) return;
  a.write_address = request.dst;
  a.write_bytes = elements * isa::size_of(to.dtype);
}

}  // namespace

void DmaEngine::push(const Share& share) {
  shares_.push(share);
  schedule();
}

void DmaEngine::schedule() {
  step_at_ = shares_.empty() || outgoing_.blocked()
                 ? base::kNever
                 : std::max({shares_.earliest(), free_at_, flights_.open(), sim::now()});
  update_due();
}

void DmaEngine::act(Time horizon) {
  const Time now = sim::now();
  if (outgoing_.inject_at() <= now) {
    if (outgoing_.inject())
      resume();
    else
      update_due();
  }
  if (step_at_ <= now) step(now);
  while (step_at_ > now && step_at_ <= horizon && looks_ahead()) step(step_at_);
}

void DmaEngine::credited() {
  if (outgoing_.credited())
    resume();
  else
    update_due();
}

// The fabric has taken a packet, so that the engine has room for another one.
void DmaEngine::resume() {
  counted_.blocked_link += sim::now() - outgoing_.blocked_since();
  free_at_ = std::max(free_at_, sim::now());
  unblocked_ = sim::now();
  schedule();
}

void DmaEngine::step(Time t) {
  if (outgoing_.full()) {  // resume() follows when the fabric has taken a packet
    outgoing_.block(t);
    return schedule();
  }
  unsigned ring = 0;
  Share* share = shares_.next(t, ring);
  if (share == nullptr || flights_.open() > t) return schedule();
  shares_.served(ring);
  issue(*share, t);
  settle();
  schedule();
}

void DmaEngine::answered(sim::Payload& access) {
  record_access(access, sim::info_of(access));
  settle();
  schedule();
}

void DmaEngine::issue(Share& share, Time t) {
  Transfer& transfer = *share.transfer;
  if (!transfer.begun) around_.first_packet(transfer);
  const Time ready = std::max(free_at_, share.available);
  counted_.blocked_memory += std::max(Duration{0}, flights_.open() - ready);

  const DmaPacket packet = share.next_packet(params_);
  if (witness_ != nullptr) witness_->issued(index_, transfer.request.ring, packet, t);
  const std::uint64_t bytes = transfer.element * packet.elements * transfer.request.sources.size();
  const Duration cost = costs_.of(transfer, packet);
  const Duration cold = packet.elements > 0 ? costs_.first_read(transfer) : Duration{0};
  DmaFlight& flight = flights_.issue(t, bytes, cost, cold);
  flight.transfer = &transfer;
  flight.packet = packet;
  flight.possible = share.available;
  flight.unblocked = unblocked_;
  if (packet.elements > 0) {
    const bool hbm = transfer.request.descriptor().dst.space == isa::Space::kHbm;
    flight.to_hbm = hbm && !transfer.remote;
    ++counted_.packets;
    counted_.bytes += bytes;
  }
  counted_.busy += cost;
  free_at_ = t + cost + cold;
  if (transfer.remote) outgoing_.reserve();
  around_.issued(t);
  read(flight, t - sim::now());
  if (!packet.last) return share.advance(packet);
  shares_.pop(transfer.request.ring);
  around_.share_issued(transfer);
}

// Advances the packets as far as the answers permit.
void DmaEngine::settle() {
  while (DmaFlight* flight = flights_.next_read()) have_read(*flight);
  for (;;) {
    if (DmaFlight* next = flights_.next_handed_on()) {
      hand_on(*next);
    } else if (DmaFlight* oldest = flights_.oldest_over()) {
      end(*oldest);
      flights_.drop_oldest();
    } else {
      return;
    }
  }
}

// Issues all memory reads of the packet.
void DmaEngine::read(DmaFlight& flight, Duration ahead) {
  if (flight.packet.elements == 0) return;
  const TransferRequest& request = flight.transfer->request;
  request.for_each_hbm_read([&](std::size_t) { ++flight.unanswered; });
  request.for_each_hbm_read(
      [&](std::size_t operand) { access(tlm::TLM_READ_COMMAND, flight, operand, ahead); });
}

void DmaEngine::access(tlm::tlm_command command, DmaFlight& flight, std::size_t operand, Duration ahead) {
  const Transfer& transfer = *flight.transfer;
  const isa::DmaSide& side = transfer.request.side(operand);
  const std::uint64_t base = transfer.request.address(operand);
  sim::Payload* p = around_.packet(command, address_of(transfer, side, base, flight.packet),
                                   flight.packet.elements * isa::size_of(side.dtype));
  sim::PacketInfo& info = sim::info_of(*p);
  info.source_core = core_;
  info.engine = index_;
  info.tag = flight.tag;
  info.operand = static_cast<std::uint8_t>(operand);
  if (command == tlm::TLM_READ_COMMAND) info.needed = flights_.youngest_needed();
  describe_rows(info.rows, transfer, side, flight.packet);
  if (around_.access(*p, ahead)) record_access(*p, info);
}

// Records a memory's answer.
void DmaEngine::record_access(sim::Payload& access, const sim::PacketInfo& info) {
  if (info.answer) check(access, info);
  if (access.is_read())
    flights_.have_read(info.tag, info.first, info.last);
  else
    flights_.have_written(info.tag, info.held, info.last);
  access.release();
}

// Verifies data that another chip's memory has sent.
void DmaEngine::check(const sim::Payload& answer, const sim::PacketInfo& info) const {
  const DmaFlight& flight = flights_.flight(info.tag);
  const Transfer& transfer = *flight.transfer;
  check_answer(answer, transfer.checksums.of(transfer.runs, flight.packet, info.operand));
}

// A share has been read; the queue that overwrites its source is notified. Semaphores are written as after a
// completion, without waiting for the data to be written.
void DmaEngine::have_read(const DmaFlight& flight) {
  around_.read(flight.read);
  const TransferRequest& request = flight.transfer->request;
  if (!flight.packet.last || !(request.on_read || request.notify_read)) return;
  read_ = std::max(read_, semaphore_visible(flight.read, params_));
  if (request.on_read) around_.visible(request.notify.value_or(sim::Notify{sim::kNoCore}), index_, read_);
  if (request.notify_read) around_.visible(*request.notify_read, index_, read_);
}

void DmaEngine::hand_on(DmaFlight& flight) {
  const TransferRequest& request = flight.transfer->request;
  if (flight.transfer->remote) return outgoing_.send(flight);
  if (!flight.to_hbm) return;
  access(tlm::TLM_WRITE_COMMAND, flight, request.destination(), flight.handed_on - sim::now());
}

// The packet has been written or is on its way to another chip.
void DmaEngine::end(DmaFlight& flight) {
  Transfer& transfer = *flight.transfer;
  if (!transfer.remote) {
    const isa::DmaSide& dst = transfer.request.descriptor().dst;
    const Duration drain = costs_.drain(flight.packet.elements * isa::size_of(dst.dtype));
    written_ = std::max(written_at(flight.handed_on, flight.held, written_, drain, dst.space, params_),
                        flight.accepted);
  }
  report_flight(flight);
  if (!flight.packet.last) return;
  if (!transfer.remote) complete(transfer);
  around_.share_ended(transfer);
}

// A local transfer's share has been written. Its completion becomes visible, and later writes wait for the
// semaphore's own acknowledgement.
void DmaEngine::complete(Transfer& transfer) {
  if (transfer.request.on_read || !transfer.request.notify)
    return around_.visible(sim::Notify{sim::kNoCore}, index_, written_);
  const Time visible = semaphore_visible(written_, params_);
  transfer.visible = std::max(transfer.visible, visible);
  around_.visible(*transfer.request.notify, index_, visible);
  written_ = semaphore_written(written_, params_);
}

void DmaEngine::report_flight(const DmaFlight& flight) {
  const Transfer& transfer = *flight.transfer;
  base::PacketActivity a;
  a.engine = static_cast<std::uint8_t>(index_);
  a.ring = static_cast<std::uint8_t>(transfer.request.ring);
  a.queue = static_cast<std::uint8_t>(transfer.request.queue);
  a.index = transfer.request.index;
  a.bytes = flight.packet.elements * transfer.element;
  a.busy = flight.cost;
  tell_sides(transfer.request, flight.packet.elements, a);
  a.elements = flight.packet.runs;
  a.last = flight.packet.last;
  a.issued = flight.possible;
  a.start = flight.start;
  a.read_done = flight.read;
  a.write_done = transfer.remote ? flight.read : written_;
  a.blocked = flight.blocked;
  a.starved = flight.starved;
  if (flight.to_hbm) a.held = flight.handed_on - flight.read + flight.held;
  around_.moved(*flight.transfer, a);
}

}  // namespace tahoma::model
