// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/delta_rule.h"

namespace tahoma::workloads {

std::vector<RowBlock> DeltaRule::state_blocks(std::uint64_t core, std::uint64_t cores) const {
  const DeltaHeads own = of_core(cores);
  const std::uint64_t first = first_value_head(core, cores), beside = scans() ? own.sharing() : 1;
  std::vector<RowBlock> blocks;
  for (std::uint64_t v = 0; v < own.value_heads; ++v)
    for (std::uint64_t i = 0; i < key_dim; ++i)
      blocks.push_back(
          {v / beside * key_dim + i, v % beside * value_dim, (first + v) * key_dim + i, 0, value_dim});
  return blocks;
}

std::vector<RowBlock> DeltaRule::channel_blocks(std::uint64_t core, std::uint64_t cores) const {
  const DeltaHeads own = of_core(cores);
  const std::uint64_t key = first_key_head(core, cores) * key_dim,
                      value = first_value_head(core, cores) * value_dim;
  return {{0, 0, 0, key, own.keys()},
          {0, own.keys(), 0, keys() + key, own.keys()},
          {0, 2 * own.keys(), 0, 2 * keys() + value, own.values()}};
}

void DeltaRule::declare(base::ParamTree& t) {
  using base::chosen;
  t.add("value_heads", value_heads, std::uint64_t{0}, {0, 1024},
        "local layers have a gated delta rule of so many heads of values instead of attention; 0: none has",
        chosen());
  t.add("key_heads", key_heads, std::uint64_t{16}, {1, 1024}, "heads of queries and keys", chosen());
  t.add("key_dim", key_dim, std::uint64_t{128}, {16, 256},
        "features of a query and a key; more than 128 with mamba2 only", chosen());
  t.add("value_dim", value_dim, std::uint64_t{128}, {16, 128}, "features of a value", chosen());
  t.add("taps", taps, std::uint64_t{4}, {1, 16}, "tokens that a convolution mixes in front of the rule",
        chosen());
  t.add(
      "rule", rule, StateRule::kDelta, kStateRules,
      "how tokens change states: by the gated delta rule, or as in Mamba-2, with B as keys and C as queries",
      chosen());
  t.add("tap_bias", tap_bias, false, "the convolution has a bias", chosen());
  t.add("least_rate", least_rate, 0.0, {0.0, 1e6}, "mamba2: least step of a token, softplus(.)", chosen());
  t.add("most_rate", most_rate, 0.0, {0.0, 1e6}, "mamba2: largest step of a token; 0: there is no limit",
        chosen());
}

}  // namespace tahoma::workloads
