// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/chunk_pipeline.h"

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::runtime::collective {

Pipeline::Pipeline(const Channel& channel)
    : channel_(channel), itinerary_(follow(*channel.schedule)), pieces_(channel.pieces()) {
  for (const Transfer& t : schedule().transfers)
    TAHOMA_INVARIANT(channel.alike() || t.chunks.size() == 1, "unequal chunks in one transfer");
  const auto takes_place = [this](std::uint32_t hop, std::uint32_t piece) { return units(hop, piece) > 0; };
  for (const Box& box : itinerary_.boxes)
    slots_.emplace_back(box, schedule(), pieces_,
                        channel.alike() || given_back_alike(itinerary_, schedule(), box), takes_place);
}

std::uint64_t Pipeline::units(std::uint32_t hop, std::uint32_t piece) const {
  const std::uint64_t all = channel_.alike() ? channel_.units[0] : channel_.units[transfer(hop).chunks.first];
  const std::uint64_t first = piece * channel_.piece;
  return first >= all ? 0 : std::min(channel_.piece, all - first);
}

std::vector<Pipeline::Turn> Pipeline::turns(std::uint32_t rank) const {
  const std::vector<std::uint32_t>& run = hops_of(rank);
  const std::uint32_t rounds = schedule().rounds;
  std::vector<std::size_t> begin(rounds + 1, run.size());  // first index in `run` of each round
  for (std::size_t i = run.size(); i-- > 0;) begin[transfer(run[i]).round] = i;
  for (std::size_t round = rounds; round-- > 0;) begin[round] = std::min(begin[round], begin[round + 1]);

  std::vector<Turn> turns;
  for (std::uint32_t tick = 0; tick < rounds + pieces_ - 1; ++tick)
    for (std::uint32_t piece = tick < rounds ? 0 : tick - rounds + 1; piece < pieces_ && piece <= tick;
         ++piece)
      for (std::size_t i = begin[tick - piece]; i < begin[tick - piece + 1]; ++i)
        turns.push_back({run[i], piece});
  return turns;
}

}  // namespace tahoma::runtime::collective
