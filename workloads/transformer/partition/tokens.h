// SPDX-License-Identifier: Apache-2.0
// The tokens of a sequence that a group of ranks has in a prefill. A group that shares its sequences with no
// other has all of them, in one run. With S groups, each has two of 2 S runs, i and 2 S - 1 - i ("zigzag"):
// later tokens see more keys, so this balances the work of all groups behind a causal mask. The group's rows
// of a sequence are its first run, then its second one.
#pragma once

#include <cstdint>

#include "workloads/transformer/partition/transformer_params.h"

namespace tahoma::workloads {

struct TokenSharding {
  static constexpr std::uint64_t kRuns = 2;  // of a group that shares its sequences

  TokenSharding(const TransformerParams& params, std::uint64_t group)
      : groups(params.parallel.sequence),
        group_number(group),
        runs(groups == 1 ? 1 : kRuns),
        run(params.tokens / (groups * runs)) {}

  std::uint64_t groups, group_number;
  std::uint64_t runs;  // of a group
  std::uint64_t run;   // tokens of one

  std::uint64_t tokens() const { return runs * run; }  // of a sequence on this group
  // The position of the group's n-th run among all runs of the sequence.
  std::uint64_t place(std::uint64_t n) const { return n == 0 ? group_number : 2 * groups - 1 - group_number; }
  // Whether the last token of a sequence is on this group; it is the last one of the group's then.
  bool has_last() const { return place(runs - 1) + 1 == groups * runs; }
  // The position in the sequence of a token of the group.
  std::uint64_t position(std::uint64_t token) const { return place(token / run) * run + token % run; }
};

}  // namespace tahoma::workloads
