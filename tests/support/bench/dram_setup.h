// SPDX-License-Identifier: Apache-2.0
// A channel as tests see it: its structure, rules and policy, and its service of some traffic.
#pragma once

#include <algorithm>
#include <vector>

#include "model/memory/dram/channel.h"

namespace tahoma::tests {

namespace dram = model::dram;
using dram::Command, dram::CommandKind, dram::Tick;

struct DramSetup {
  dram::Organisation organisation;
  dram::Timing timing;
  dram::Policy policy;
};

constexpr bool is_column(CommandKind kind) {
  return kind == CommandKind::kRead || kind == CommandKind::kWrite;
}
// Returns whether the command affects all banks of a stack ID.
constexpr bool is_wide(CommandKind kind) {
  return kind == CommandKind::kPrechargeAll || kind == CommandKind::kRefreshAll;
}

// Collects the channel's commands as its buses see them: trains become single commands, in order of time.
class BusLog : public dram::CommandLog {
 public:
  void command(const Command& c) override {
    for (std::uint32_t n = 0; n < c.count; ++n)
      commands_.push_back({c.at + n * c.spacing, c.kind, c.pseudo, c.bank, c.row, 1, 0});
  }
  std::vector<Command> sorted() const {
    auto commands = commands_;
    std::stable_sort(commands.begin(), commands.end(),
                     [](const Command& a, const Command& b) { return a.at < b.at; });
    return commands;
  }
  std::size_t accesses_until(Tick end) const {
    return static_cast<std::size_t>(
        std::count_if(commands_.begin(), commands_.end(),
                      [end](const Command& c) { return is_column(c.kind) && c.at <= end; }));
  }

 private:
  std::vector<Command> commands_;
};

}  // namespace tahoma::tests
