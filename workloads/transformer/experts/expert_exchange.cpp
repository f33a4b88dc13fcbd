// SPDX-License-Identifier: Apache-2.0
// The transfers of a mixture's rows to their experts and back.
#include "workloads/transformer/experts/experts.h"

namespace tahoma::workloads {

using namespace runtime::collective;

End ExpertExchange::end_of(const Travel& travel, std::size_t physical_core) const {
  const Segment& segment = *travel.segment;
  End end;
  end.window = segment.of(travel.matrix->of(physical_core));
  end.address = travel.matrix->tensor.address + end.window.offset;
  end.places = std::max<std::size_t>(1, travel.places);
  for (std::size_t i = 0; i < travel.places; ++i) end.starts.push_back(segment.start(travel.first + i));
  if (travel.places == 0) end.starts.push_back(0);
  return end;
}

ExchangeParty ExpertExchange::exchange(Operation operation, std::size_t number,
                                       std::vector<std::uint64_t> counts, const Side& from, const Side& to) {
  const Team& team = teams_.team(number);
  Ends ends;
  for (const std::size_t rank : team.ranks) {
    ends.input.push_back(end_of(from(rank), team.physical_core));
    ends.output.push_back(end_of(to(rank), team.physical_core));
  }
  Communicator& communicator = teams_.communicator(number);
  // There is only one algorithm for all_to_all.
  const Algorithm algorithm = operation == Operation::kAllToAll ? Algorithm::kDirect : params_.algorithm;
  PlannedCollective planned =
      communicator.plan(operation, TransformerParams::kDType, std::move(counts), algorithm);
  communicator.add(planned, ends);
  return {std::move(planned), &team};
}

// Exchanges a physical core's own rows with the rows at the ranks of their experts.
ExchangeParty ExpertExchange::across(const ExpertStep& step, std::size_t slot, bool out, std::size_t place,
                                     std::size_t h) {
  const ExpertLayout& layout = step.layout;
  const std::size_t number = teams_.across(place, h), blocks = teams_.blocks();
  const std::vector<std::size_t>& ranks = teams_.team(number).ranks;
  std::vector<std::uint64_t> counts(blocks * blocks);
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t j = 0; j < blocks; ++j)
      counts[out ? i * blocks + j : j * blocks + i] = layout.sent(ranks[i], h, slot).elements(j);
  const Side here = [&](std::size_t r) {
    const ExpertStep::CoreTensors& tensors = step.ranks[r].core_tensors[h];
    return Travel{out ? &tensors.sent : &tensors.back, &layout.sent(r, h, slot), 0, blocks};
  };
  const Side there = [&](std::size_t r) {
    const ExpertStep::OfRank& rank = step.ranks[r];
    if (shape_.block == 1)
      return Travel{out ? &rank.rows : &rank.partial, &layout.rows(r, slot), layout.place(h, 0), blocks};
    const ExpertStep::CoreTensors& tensors = rank.core_tensors[h];
    return Travel{out ? &tensors.arrived : &tensors.returned, &layout.arrived(r, h, slot), 0, blocks};
  };
  return exchange(Operation::kAllToAll, number, std::move(counts), out ? here : there, out ? there : here);
}

// Exchanges the arrivals of each rank of a block with the rows that all of its ranks have.
ExchangeParty ExpertExchange::within(const ExpertStep& step, std::size_t slot, bool out, std::size_t block,
                                     std::size_t h) {
  const ExpertLayout& layout = step.layout;
  const std::size_t number = teams_.within(block, h), first = layout.place(h, 0);
  const Segment& rows = layout.rows(teams_.team(number).ranks.front(), slot);
  std::vector<std::uint64_t> counts;
  for (std::size_t i = 0; i < teams_.block_size(); ++i) counts.push_back(rows.elements(first + i));
  const Side one = [&](std::size_t r) {
    const ExpertStep::CoreTensors& tensors = step.ranks[r].core_tensors[h];
    if (shape_.blocks() == 1)
      return Travel{out ? &tensors.sent : &tensors.back, &layout.sent(r, h, slot), 0, 0};
    return Travel{out ? &tensors.arrived : &tensors.returned, &layout.arrived(r, h, slot), 0, 0};
  };
  const Side all = [&](std::size_t r) {
    const ExpertStep::OfRank& rank = step.ranks[r];
    return Travel{out ? &rank.rows : &rank.partial, &layout.rows(r, slot), first, teams_.block_size()};
  };
  return exchange(out ? Operation::kAllGather : Operation::kReduceScatter, number, std::move(counts),
                  out ? one : all, out ? all : one);
}

void ExpertExchange::across(const ExpertStep& step, std::size_t slot, bool out) {
  for (std::size_t h = 0; h < replica_.physical_cores() && teams_.blocks() > 1; ++h) {
    PhaseExchange all{out ? "dispatch all_to_all" : "combine all_to_all", h, {}};
    for (std::size_t place = 0; place < teams_.block_size(); ++place)
      all.parties.push_back(across(step, slot, out, place, h));
    keep_(std::move(all));
  }
}

void ExpertExchange::within(const ExpertStep& step, std::size_t slot, bool out) {
  for (std::size_t h = 0; h < replica_.physical_cores() && teams_.block_size() > 1; ++h) {
    PhaseExchange all{out ? "dispatch all_gather" : "combine reduce_scatter", h, {}};
    for (std::size_t block = 0; block < teams_.blocks(); ++block)
      all.parties.push_back(within(step, slot, out, block, h));
    keep_(std::move(all));
  }
}

void ExpertExchange::dispatch(const ExpertStep& step, std::size_t slot) {
  replica_.region("dispatch");
  across(step, slot, true);
  within(step, slot, true);
}

void ExpertExchange::bring_back(const ExpertStep& step, std::size_t slot) {
  replica_.region("combine");
  within(step, slot, false);
  across(step, slot, false);
}

}  // namespace tahoma::workloads
