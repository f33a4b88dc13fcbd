// SPDX-License-Identifier: Apache-2.0
// Accesses to a chip's own memories: request, answer, and crossing between dies, which cores use as well.
#include <algorithm>
#include <string>

#include "isa/core/program.h"
#include "model/base/error.h"
#include "model/link/on_chip_network.h"
#include "model/sim/time.h"

namespace tahoma::model {

using base::Time;

// The caller may learn of an access after its data have crossed, but no later than the return path takes.
sim::BookedServer::Slot OnChipNetwork::carry(Crossing& crossing, Time arrival, base::Bytes data) const {
  crossing.counted.bytes += data.count;
  const Time settled = sim::now() - place_.response - crossing.server.rate().time_for(data);
  return crossing.server.reserve(arrival, data, settled);
}

// Requests cross to another die without occupying the crossing; the data of a write use its bandwidth.
tlm::tlm_sync_enum OnChipNetwork::to_memory(sim::Payload& payload, sim::PacketInfo& info,
                                            sc_core::sc_time& delay) {
  const std::uint32_t to = isa::GlobalAddress::from(payload.get_address()).stack;
  const std::uint32_t here = die_of_core(info.source_core), there = die_of_stack(to);
  delay += sim::to_systemc(place_.request);
  // A memory may report an answer later than it holds, by more than an ideal network takes; a request that
  // follows from it is treated as if it came now.
  if (sim::from_systemc(delay) < Time{0}) delay = sc_core::SC_ZERO_TIME;
  if (here != there) {
    delay += sim::to_systemc(place_.cross_die);
    info.needed = Time{0};  // the answer has to reserve the crossing in its turn
    if (!payload.is_read()) {
      const Time arrival = sim::now() + sim::from_systemc(delay);
      const auto slot = carry(crossing(here, there), arrival, {payload.get_data_length()});
      delay += sim::to_systemc(slot.held);
      info.held = slot.held;
      info.last = slot.end;
    }
  }
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  const tlm::tlm_sync_enum answer = stack(to)->nb_transport_fw(payload, phase, delay);
  if (answer == tlm::TLM_COMPLETED) answered(payload, info);
  return answer;
}

// Handles the late answer of a memory.
tlm::tlm_sync_enum OnChipNetwork::on_answer(sim::Payload& payload, tlm::tlm_phase& phase,
                                            sc_core::sc_time& delay) {
  TAHOMA_INVARIANT(phase == tlm::BEGIN_RESP, std::string(name()) + ": unexpected phase from a memory");
  sim::PacketInfo& info = sim::info_of(payload);
  if (info.from_chip == place_.chip) {
    answered(payload, info);
    return dma[static_cast<int>(info.injector)]->nb_transport_bw(payload, phase, delay);
  }
  served(payload, info);
  return tlm::TLM_COMPLETED;
}

// Adds the return path to the memory's answer. For a write, the answer only reports its acceptance.
void OnChipNetwork::answered(const sim::Payload& payload, sim::PacketInfo& info) {
  if (payload.is_read()) {
    const std::uint32_t stack = isa::GlobalAddress::from(payload.get_address()).stack;
    carry_back(info, stack, {payload.get_data_length()});
    info.first += place_.response;
  }
  info.last += place_.response;
}

void OnChipNetwork::carry_back(sim::PacketInfo& info, std::uint32_t stack, base::Bytes bytes) {
  const std::uint32_t from = die_of_stack(stack), to = die_of_core(info.source_core);
  if (from == to) return;
  Crossing& way = crossing(from, to);
  // The data follow each other without a gap, at the latest so that the last arrives in time.
  const Time arrival = std::max(info.first, info.last - way.server.rate().time_for(bytes));
  const auto slot = carry(way, arrival, bytes);
  info.first += slot.held;
  info.last = std::max(info.last + slot.held, slot.end);
}

Time OnChipNetwork::cross(std::uint32_t from, std::uint32_t to, Time departure, base::Bytes data) {
  const std::uint32_t here = die_of_core(from), there = die_of_core(to);
  if (here == there) return departure;
  return carry(crossing(here, there), departure + place_.cross_die, data).end;
}

std::vector<base::CrossingMeasurement> OnChipNetwork::measure() const {
  std::vector<base::CrossingMeasurement> all;
  for (std::uint32_t from = 0; from < place_.dies; ++from) {
    for (std::uint32_t to = 0; to < place_.dies; ++to) {
      if (from == to) continue;
      const Crossing& c = crossings_[from * place_.dies + to];
      base::CrossingMeasurement m = c.counted;
      m.path = std::string(name()) + ".die" + std::to_string(from) + "_to_die" + std::to_string(to);
      m.busy = c.server.busy();
      m.peak = c.server.rate();
      all.push_back(std::move(m));
    }
  }
  return all;
}

}  // namespace tahoma::model
