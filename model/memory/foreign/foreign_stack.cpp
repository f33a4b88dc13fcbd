// SPDX-License-Identifier: Apache-2.0
#include "model/memory/foreign/foreign_stack.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <tuple>

#include "isa/core/program.h"

namespace tahoma::model {

using base::Duration, base::Time;

namespace {

constexpr std::uint64_t kPage = 4096;  // of the debug transport

}  // namespace

ForeignStack::ForeignStack(sc_core::sc_module_name name, const Environment& around, const StackFaults& faults)
    : HbmStack(name, faults.capacity(around.params)),
      around_(around),
      protocol_(this->name(), around.outstanding, around.burst.count),
      given_(host_memory().size()),
      brought_((host_memory().size() + kPage - 1) / kPage) {
  TAHOMA_INVARIANT(around.burst.count > 0 && around.outstanding > 0,
                   std::string(this->name()) + ": no bursts");
  bursts.register_nb_transport_bw(this, &ForeignStack::on_backward);
  SC_HAS_PROCESS(ForeignStack);
  SC_METHOD(step);
  sensitive << wake_;
  dont_initialize();
}

tlm::tlm_sync_enum ForeignStack::request(int initiator, sim::Payload& payload, Duration ahead) {
  std::uint32_t index = 0;
  if (free_.empty()) {
    index = static_cast<std::uint32_t>(packets_.size());
    packets_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  packets_[index] = {&payload, initiator, sim::now() + ahead};
  arriving_.push_back(index);
  count(payload);
  sim::notify_at(wake_, packets_[index].start);
  return tlm::TLM_ACCEPTED;
}

// The memory's own processes call this; the consequences run in this module's process.
tlm::tlm_sync_enum ForeignStack::on_backward(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                             sc_core::sc_time& delay) {
  around_.meter.guard(name(),
                      [&] { protocol_.heard(payload, phase, sim::now() + sim::from_systemc(delay)); });
  wake_.notify(sc_core::SC_ZERO_TIME);
  if (phase != tlm::BEGIN_RESP) return tlm::TLM_ACCEPTED;
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

void ForeignStack::step() {
  around_.meter.guard(name(), [this] {
    ++around_.meter.memory_activations;
    take_arrivals();
    for (;;) {
      if (const Burst* burst = protocol_.next_accepted(sim::now())) {
        if (burst->is_write()) progress(burst->packet, burst->accepted);
      } else if (Burst* over = protocol_.next_answered(sim::now())) {
        end(*over);
      } else if (!pieces_.empty() && may_send(pieces_.front())) {
        const Piece next = pieces_.front();
        pieces_.pop_front();
        send(next);
      } else {
        break;
      }
      note_under_way();
    }
    for (const std::uint32_t index : over_) answer(index);
    over_.clear();
    Time next = protocol_.due();
    for (const std::uint32_t index : arriving_) next = std::min(next, packets_[index].start);
    if (next != base::kNever) sim::notify_at(wake_, next);
  });
}

// Simultaneous requests are ordered by core and engine, whatever the order in which they were announced.
void ForeignStack::take_arrivals() {
  const auto key = [this](std::uint32_t index) {
    const sim::PacketInfo& info = sim::info_of(*packets_[index].payload);
    return std::make_tuple(packets_[index].start, info.source_core, info.engine);
  };
  const auto behind = std::stable_partition(arriving_.begin(), arriving_.end(), [this](std::uint32_t index) {
    return packets_[index].start <= sim::now();
  });
  std::stable_sort(arriving_.begin(), behind,
                   [&](std::uint32_t a, std::uint32_t b) { return key(a) < key(b); });
  std::for_each(arriving_.begin(), behind, [this](std::uint32_t index) { cut(index); });
  arriving_.erase(arriving_.begin(), behind);
}

void ForeignStack::cut(std::uint32_t index) {
  Packet& packet = packets_[index];
  const sim::RowPattern& rows = sim::info_of(*packet.payload).rows;
  const std::uint64_t base = isa::GlobalAddress::from(packet.payload->get_address()).offset;
  rows.each_row([&](std::int64_t row) {
    std::uint64_t at = base + static_cast<std::uint64_t>(row);
    for (const std::uint64_t end = at + rows.row_bytes(); at < end;) {
      const std::uint64_t stop = std::min(end, (at / around_.burst.count + 1) * around_.burst.count);
      pieces_.push_back({at, static_cast<std::uint32_t>(stop - at), index});
      ++packet.left;
      at = stop;
    }
  });
  TAHOMA_INVARIANT(packet.left > 0, std::string(name()) + ": an access of zero bytes");
}

bool ForeignStack::may_send(const Piece& piece) const {
  return protocol_.may_send(packets_[piece.packet].payload->is_write(), piece.offset, piece.bytes);
}

void ForeignStack::send(const Piece& piece) {
  for (std::uint64_t at = piece.offset / kPage; at <= (piece.offset + piece.bytes - 1) / kPage; ++at)
    bring_page(at * kPage);
  const bool write = packets_[piece.packet].payload->is_write();
  Burst& burst = pool_.take(write, piece.offset, piece.bytes);
  burst.packet = piece.packet;
  if (write) {
    std::memcpy(burst.data.data(), host_memory().data() + piece.offset, piece.bytes);
    std::memcpy(given_.data() + piece.offset, burst.data.data(), piece.bytes);
  }
  protocol_.sending(burst);
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum how = bursts->nb_transport_fw(burst, phase, delay);
  protocol_.returned(burst, how, phase, sim::now() + sim::from_systemc(delay));
}

void ForeignStack::end(Burst& burst) {
  if (burst.owes_end) {
    tlm::tlm_phase phase = tlm::END_RESP;
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    bursts->nb_transport_fw(burst, phase, delay);
  }
  if (burst.is_read()) {
    compare(burst);
    progress(burst.packet, burst.answered);
  }
  burst.release();
}

void ForeignStack::progress(std::uint32_t index, Time when) {
  Packet& packet = packets_[index];
  packet.first = std::min(packet.first, when);
  packet.last = std::max(packet.last, when);
  if (--packet.left == 0) over_.push_back(index);
}

void ForeignStack::answer(std::uint32_t index) {
  const Packet packet = packets_[index];
  free_.push_back(index);
  sim::PacketInfo& info = sim::info_of(*packet.payload);
  const Duration taken = packet.last - packet.start;
  if (packet.payload->is_read()) {
    info.first = packet.first;
    info.last = packet.last;
    reads_.add(taken);
  } else {
    info.held += taken;
    info.last = std::max(info.last, packet.last);
    writes_.add(taken);
  }
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  port[packet.initiator]->nb_transport_bw(*packet.payload, phase, delay);
}

// No burst to the page is in flight: the page is copied before the first one.
void ForeignStack::bring_page(std::uint64_t offset) {
  if (brought_[offset / kPage]) return;
  brought_[offset / kPage] = true;
  const std::uint64_t bytes = std::min(kPage, host_memory().size() - offset);
  std::memcpy(given_.data() + offset, host_memory().data() + offset, bytes);
  Burst& page = pool_.take(true, offset, static_cast<std::uint32_t>(bytes));
  std::memcpy(page.data.data(), host_memory().data() + offset, bytes);
  const unsigned taken = bursts->transport_dbg(page);
  page.release();
  if (taken != bytes)
    throw base::UserError("E-RUN-081", name(),
                          fmt::format("the memory accepts {} of {} bytes at {:#x} over the debug transport; "
                                      "expected all, because the host writes its tensors there",
                                      taken, bytes, offset));
}

void ForeignStack::compare(const Burst& burst) {
  const std::byte* given = given_.data() + burst.at;
  const auto differ = std::mismatch(burst.data.begin(), burst.data.end(), given);
  if (differ.first == burst.data.end()) return;
  throw base::UserError(
      "E-RUN-082", name(),
      fmt::format("the memory has {:#04x} at {:#x}; expected {:#04x}, which was written to it",
                  static_cast<unsigned>(*differ.first),
                  burst.at + static_cast<std::uint64_t>(differ.second - given),
                  static_cast<unsigned>(*differ.second)));
}

void ForeignStack::note_under_way() {
  const Time now = sim::now();
  if (protocol_.under_way() > 0) {
    busy_since_ = std::min(busy_since_, now);
  } else if (busy_since_ != base::kNever) {
    series_.add(busy_since_, now);
    counted_.busy += now - busy_since_;
    busy_since_ = base::kNever;
  }
}

void ForeignStack::check_ended() const {
  if (protocol_.under_way() > 0)
    refuse_protocol(name(),
                    fmt::format("the memory has left {} requests without a response", protocol_.under_way()));
}

// A write's response may come after the last effect of the run.
base::HbmMeasurement ForeignStack::measure(Duration elapsed) {
  base::HbmMeasurement m = counted();
  m.busy = std::min(m.busy, elapsed);
  m.peak = around_.params.bandwidth;
  m.series = series_.series();
  m.reads = reads_.measure();
  m.writes = writes_.measure();
  return m;
}

}  // namespace tahoma::model
