// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/decode/decode_sharding.h"

#include <algorithm>

namespace tahoma::workloads {

DecodeSharding::DecodeSharding(const TransformerParams& params, const RankShare& share,
                               std::uint64_t rank_count, std::uint64_t group)
    : rows(params.rows()),
      hidden(params.model.hidden),
      ranks(rank_count),
      physical_cores(share.physical_cores),
      sharers(share.sharers),
      groups(params.parallel.sequence),
      context(params.context / groups),
      has_new(group + 1 == groups) {}

runtime::Part DecodeSharding::sequences_of(std::size_t rank, std::size_t physical_core) const {
  return runtime::part_of(rows, sharers * physical_cores, rank % sharers * physical_cores + physical_core);
}

DecodeSharding::Run DecodeSharding::run_of(std::size_t rank, std::size_t physical_core) const {
  const auto [first, count] = reduced_rows(physical_core);
  const std::uint64_t elements = count * hidden / ranks;
  if (elements == 0) return {};
  const std::uint64_t columns = std::min(elements, hidden), at = rank * elements;
  return {first + at / hidden, at % hidden, elements / columns, columns};
}

}  // namespace tahoma::workloads
