// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/share.h"

#include <algorithm>

namespace tahoma::workloads {

RankShare::RankShare(const TransformerParams& params, std::uint64_t halves_of_rank)
    : heads(std::max<std::uint64_t>(1, params.model.heads / params.parallel.tensor)),
      kv_heads(std::max<std::uint64_t>(1, heads / params.model.group())),
      heads_per_kv(std::min(heads, params.model.group())),
      sharers(std::max<std::uint64_t>(1, params.parallel.tensor / params.model.heads)),
      ffn(params.model.ffn / params.parallel.block()),
      group(params.model.group()),
      experts(params.model.experts / params.parallel.expert),
      block(params.parallel.block()),
      halves(halves_of_rank) {}

RankShare::Heads RankShare::heads_of(std::uint64_t rank, std::uint64_t half) const {
  const std::uint64_t among = rank % sharers;
  if (heads % halves == 0) return {half * (heads / halves), heads / halves, among, sharers};
  return {0, heads, among * halves + half, sharers * halves};
}

}  // namespace tahoma::workloads
