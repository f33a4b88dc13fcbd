// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/partition/delta_rule.h"

namespace tahoma::workloads {

void DeltaRule::declare(base::ParamTree& t) {
  using base::chosen;
  t.add("value_heads", value_heads, std::uint64_t{0}, {0, 1024},
        "local layers have a gated delta rule of so many heads of values instead of attention; 0: none has",
        chosen());
  t.add("key_heads", key_heads, std::uint64_t{16}, {1, 1024}, "heads of queries and keys", chosen());
  t.add("key_dim", key_dim, std::uint64_t{128}, {16, 128}, "features of a query and a key", chosen());
  t.add("value_dim", value_dim, std::uint64_t{128}, {16, 128}, "features of a value", chosen());
  t.add("taps", taps, std::uint64_t{4}, {1, 16}, "tokens that a convolution mixes in front of the rule",
        chosen());
}

}  // namespace tahoma::workloads
