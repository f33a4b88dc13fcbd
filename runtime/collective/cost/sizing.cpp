// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/cost/sizing.h"

#include <algorithm>

#include "runtime/collective/schedule/channel_semaphores.h"

namespace tahoma::runtime::collective {

std::uint32_t most_chunks(const Schedule& schedule) {
  std::uint32_t most = 1;
  for (const Transfer& t : schedule.transfers)
    if (t.kind != TransferKind::kSettle) most = std::max(most, t.chunks.size());
  return most;
}

std::uint32_t channels_for(const AlgorithmRow& algorithm, const Problem& problem, const Grid& grid,
                           std::uint64_t vector_bytes, std::uint32_t queues) {
  const std::vector<ChannelPlan> plan = algorithm.plan(problem, grid, 1);
  const Schedule& schedule = *plan.front().schedule;
  const std::uint64_t largest = vector_bytes / schedule.chunks * most_chunks(schedule);
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(largest / kChannelBytes, 1, queues));
}

std::uint32_t pieces_for(const Schedule& schedule, std::uint64_t chunk_bytes, bool uneven,
                         std::uint32_t signals) {
  auto pieces = static_cast<std::uint32_t>(
      std::clamp<std::uint64_t>(chunk_bytes * most_chunks(schedule) / kPieceBytes, 1, kMostPieces));
  if (pieces == 1) return 1;
  const Itinerary itinerary = follow(schedule);
  while (pieces > 1 && semaphores_needed(schedule, itinerary, pieces, uneven) > signals) --pieces;
  return pieces;
}

}  // namespace tahoma::runtime::collective
