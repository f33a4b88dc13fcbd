// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/share.h"

#include <algorithm>

namespace tahoma::workloads {

RankShare::RankShare(const TransformerParams& params, std::uint64_t cores_of_rank)
    : heads(std::max<std::uint64_t>(1, params.model.heads / params.parallel.tensor)),
      kv_heads(std::max<std::uint64_t>(1, heads / params.model.group())),
      heads_per_kv(std::min(heads, params.model.group())),
      sharers(std::max<std::uint64_t>(1, params.parallel.tensor / params.model.heads)),
      ffn(params.model.ffn / params.parallel.block()),
      common_ffn(params.model.common_ffn() / params.parallel.tensor),
      group(params.model.group()),
      experts(params.model.experts / params.parallel.expert),
      block(params.parallel.block()),
      dense_ffn(params.model.dense_ffn / params.parallel.tensor),
      mixture(params.model.experts > 0),
      delta(false),
      feeds(true),
      gated(params.model.attention_gate),
      head_norms(params.model.qk_norm),
      physical_cores(cores_of_rank),
      ranks(params.parallel.tensor),
      absorbed(params.model.latent && params.phase == Phase::kDecode) {}

RankShare RankShare::of_layer(const ModelShape& model, std::uint64_t layer) const {
  RankShare share = *this;
  share.delta = model.has_delta(layer);
  share.feeds = model.has_feed_forward(layer);
  share.head_norms = model.has_head_norms(layer);
  if (!share.feeds) {
    share.mixture = false;
    share.common_ffn = 0;
    return share;
  }
  if (!mixture || model.has_experts(layer)) return share;
  share.mixture = false;
  share.common_ffn = dense_ffn;
  return share;
}

RankShare::Heads RankShare::heads_of(std::uint64_t rank, std::uint64_t physical_core) const {
  const std::uint64_t among = rank % sharers;
  if (heads % physical_cores == 0)
    return {physical_core * (heads / physical_cores), heads / physical_cores, among, sharers};
  return {0, heads, among * physical_cores + physical_core, sharers * physical_cores};
}

}  // namespace tahoma::workloads
