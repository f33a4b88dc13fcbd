// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/result/sent_counts.h"

#include <numeric>

namespace tahoma::runtime::collective {

std::uint64_t mean_sent(const Problem& problem, const std::vector<std::uint64_t>& counts) {
  const std::uint64_t all = std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
  return (all + problem.ranks - 1) / problem.ranks;
}

double bus_factor_of(const Problem& problem, const std::vector<std::uint64_t>& counts) {
  std::uint64_t all = 0, kept = 0;
  for (std::size_t chunk = 0; chunk < counts.size(); ++chunk) {
    all += counts[chunk];
    if (chunk / problem.ranks == chunk % problem.ranks) kept += counts[chunk];
  }
  if (!counts.empty()) return all == 0 ? 0 : static_cast<double>(all - kept) / static_cast<double>(all);
  const auto stays = [&](std::uint32_t rank) {
    return problem.to[rank] == kNowhere || problem.to[rank] == rank;
  };
  bool moves = problem.to.empty();
  for (std::uint32_t rank = 0; rank < problem.to.size(); ++rank) moves = moves || !stays(rank);
  return moves ? bus_factor(problem.operation, problem.ranks) : 0;
}

}  // namespace tahoma::runtime::collective
