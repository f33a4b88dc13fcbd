// SPDX-License-Identifier: Apache-2.0
#include "model/engine/dma_engine.h"

#include <algorithm>

#include "isa/program.h"
#include "model/base/error.h"
#include "model/engine/dma_timing.h"

namespace tahoma::model {

using base::Duration, base::Time;

DmaEngine::DmaEngine(sc_core::sc_module_name name, const Place& place, const DmaParams& params,
                     DmaGroup& group, sim::PayloadPool& pool, sim::Meter& meter)
    : sc_module(name),
      place_(place),
      params_(params),
      group_(group),
      pool_(pool),
      meter_(meter),
      clock_(params.clock),
      rings_(params.rings),
      local_info_(new sim::PacketInfo) {
  local_.set_extension(local_info_);  // the payload owns it
  network.register_nb_transport_bw(this, &DmaEngine::on_end_request);
  SC_HAS_PROCESS(DmaEngine);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
  SC_METHOD(inject);
  sensitive << inject_wake_;
  dont_initialize();
}

void DmaEngine::push(Transfer* transfer, unsigned ring, Time available) {
  const UnitRange range = share_of(transfer->runs, place_.index);
  rings_[ring].push_back({transfer, available, range.first, range.last});
  ++waiting_;
  schedule();
}

void DmaEngine::schedule() {
  if (waiting_ == 0 || blocked_on_link_) return;
  Time earliest = base::kNever;
  for (const auto& ring : rings_)
    if (!ring.empty()) earliest = std::min(earliest, ring.front().available);
  sim::notify_at(wake_, std::max({earliest, free_at_, sim::now()}));
}

// Round-robin over the rings whose head has come through its start-up.
DmaEngine::Share* DmaEngine::next_share(Time t, unsigned& ring) {
  for (unsigned n = 1; n <= rings_.size(); ++n) {
    ring = (last_ring_ + n) % static_cast<unsigned>(rings_.size());
    if (!rings_[ring].empty() && rings_[ring].front().available <= t) return &rings_[ring].front();
  }
  return nullptr;
}

DmaEngine::Packet DmaEngine::next_packet(Share& share) const {
  Packet p;
  p.unit = share.unit;
  if (share.unit == share.last_unit) {  // an empty share still writes its semaphore
    p.last = true;
    return p;
  }
  const isa::Descriptor& d = *share.transfer->request.descriptor;
  const Runs& runs = share.transfer->runs;
  const std::uint64_t element = std::max(isa::size_of(d.src.dtype), isa::size_of(d.dst.dtype));
  const std::uint64_t room = std::max<std::uint64_t>(1, params_.packet.count / element);
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
  meter_.dma_activated();
  const Time t = sim::now();
  if (outgoing_.size() >= params_.remote_window) {  // sent() goes on when the fabric has taken one
    blocked_on_link_ = true;
    blocked_since_ = t;
    return;
  }
  unsigned ring = 0;
  Share* share = next_share(t, ring);
  if (share == nullptr) return schedule();
  last_ring_ = ring;
  Transfer& transfer = *share->transfer;
  if (!transfer.applied) group_.first_packet(transfer);

  const Packet packet = next_packet(*share);
  Time read_done{0};
  free_at_ = move(*share, packet, t, read_done);
  group_.moving(t, free_at_);
  if (transfer.remote)
    send(transfer, packet, read_done);
  else if (packet.last)
    complete(transfer, read_done);
  advance(*share, packet);
  if (packet.last) {
    rings_[ring].pop_front();
    --waiting_;
    group_.share_ended(transfer, ring);
  }
  schedule();
}

// Books one packet on the engine and the memories; returns when the engine may go on.
Time DmaEngine::move(Share& share, const Packet& packet, Time t, Time& read_done) {
  const Transfer& transfer = *share.transfer;
  const isa::Descriptor& d = *transfer.request.descriptor;
  const bool from_hbm = d.src.space == isa::Space::kHbm, to_hbm = d.dst.space == isa::Space::kHbm;
  const std::uint64_t element = std::max(isa::size_of(d.src.dtype), isa::size_of(d.dst.dtype));
  const std::uint64_t run_bytes =
      packet.elements == 0 ? sizeof(std::uint32_t) : packet.elements / packet.runs * element;
  const Duration cost =
      packet_time({packet.runs, run_bytes, packet.starts_run, from_hbm && to_hbm, d.accumulate}, params_);
  Time served = t, data_at = t;
  if (packet.elements > 0) {
    ++packets_;
    ++meter_.dma_packets;
    bytes_ += packet.elements * element;
    if (from_hbm)
      served = access(tlm::TLM_READ_COMMAND, d.src, transfer.request.src, transfer, packet, data_at);
    if (to_hbm && !transfer.remote) {
      Time ignored{0};
      if (d.accumulate)
        served = std::max(
            served, access(tlm::TLM_READ_COMMAND, d.dst, transfer.request.dst, transfer, packet, data_at));
      served = std::max(
          served, access(tlm::TLM_WRITE_COMMAND, d.dst, transfer.request.dst, transfer, packet, ignored));
    }
  }
  busy_ += cost;
  const Time end = std::max(t + cost, served);
  blocked_memory_ += end - (t + cost);
  read_done = std::max(end, data_at + cost);
  return end;
}

Time DmaEngine::access(tlm::tlm_command command, const isa::DmaSide& side, std::uint64_t base,
                       const Transfer& transfer, const Packet& packet, Time& data_at) {
  const Runs& runs = transfer.runs;
  const std::uint64_t element = (packet.unit % runs.pieces) * runs.piece_elements + packet.from_element;
  const std::int64_t offset =
      byte_offset(*transfer.request.descriptor, side, runs, packet.unit / runs.pieces, element);
  local_.set_command(command);
  local_.set_address(base + static_cast<std::uint64_t>(offset));
  local_.set_data_length(static_cast<unsigned>(packet.elements * isa::size_of(side.dtype)));
  local_info_->source_core = place_.core;
  local_info_->runs = static_cast<std::uint32_t>(packet.runs);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = network->nb_transport_fw(local_, phase, delay);
  TAHOMA_INVARIANT(answer == tlm::TLM_COMPLETED, std::string(name()) + ": memory did not complete an access");
  data_at = std::max(data_at, sim::now() + sim::from_kernel(delay));
  return local_info_->served;
}

void DmaEngine::send(const Transfer& transfer, const Packet& packet, Time read_done) {
  const isa::Descriptor& d = *transfer.request.descriptor;
  const Runs& runs = transfer.runs;
  const std::uint64_t element = (packet.unit % runs.pieces) * runs.piece_elements + packet.from_element;
  const std::int64_t offset = byte_offset(d, d.dst, runs, packet.unit / runs.pieces, element);
  sim::Payload* p =
      pool_.take(tlm::TLM_WRITE_COMMAND, transfer.request.dst + static_cast<std::uint64_t>(offset),
                 static_cast<std::uint32_t>(packet.elements * isa::size_of(d.dst.dtype)));
  sim::PacketInfo& info = sim::info_of(*p);
  info.source_core = place_.core;
  info.runs = static_cast<std::uint32_t>(packet.runs);
  if (packet.last) {
    info.notify = transfer.request.notify;
    info.notify_delay = std::max(Duration{0}, params_.completion - params_.write_latency);
  }
  outgoing_.push_back({p, read_done});
  if (outgoing_.size() == 1) sim::notify_at(inject_wake_, read_done);
}

// Offers the oldest packet to the fabric.
void DmaEngine::inject() {
  meter_.dma_activated();
  sim::Payload& p = *outgoing_.front().payload;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  awaiting_credit_ = network->nb_transport_fw(p, phase, delay) == tlm::TLM_ACCEPTED;
  if (!awaiting_credit_) sent();
}

tlm::tlm_sync_enum DmaEngine::on_end_request(sim::Payload&, tlm::tlm_phase& phase, sc_core::sc_time&) {
  TAHOMA_INVARIANT(phase == tlm::END_REQ && awaiting_credit_,
                   std::string(name()) + ": unexpected phase from the fabric");
  awaiting_credit_ = false;
  sent();
  return tlm::TLM_ACCEPTED;
}

void DmaEngine::sent() {
  outgoing_.front().payload->release();
  outgoing_.pop_front();
  if (!outgoing_.empty()) sim::notify_at(inject_wake_, std::max(outgoing_.front().ready, sim::now()));
  if (blocked_on_link_) {
    blocked_on_link_ = false;
    blocked_link_ += sim::now() - blocked_since_;
    free_at_ = std::max(free_at_, sim::now());
    schedule();
  }
}

// A local transfer's share has been read: its completion becomes visible in order.
void DmaEngine::complete(const Transfer& transfer, Time read_done) {
  completed_ = std::max(completed_, read_done + params_.completion);
  meter_.effect_at(completed_);
  if (!transfer.request.notify) return;
  const sim::Notify& n = *transfer.request.notify;
  if (n.core == place_.core) {
    semaphores->post(n.semaphore, static_cast<sim::Change>(n.change), n.value, completed_,
                     base::Cycle::kWaitDma);
    return;
  }
  sim::Payload* p = pool_.take(tlm::TLM_WRITE_COMMAND, isa::GlobalAddress{place_.chip, 0, 0}.bits(), 0);
  sim::PacketInfo& info = sim::info_of(*p);
  info.source_core = place_.core;
  info.acknowledgement = true;
  info.notify = n;
  outgoing_.push_back({p, completed_});
  if (outgoing_.size() == 1) sim::notify_at(inject_wake_, completed_);
}

}  // namespace tahoma::model
