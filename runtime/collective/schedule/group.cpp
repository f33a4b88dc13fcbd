// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/golden/golden.h"

namespace tahoma::runtime::collective {

namespace {

class RankList {
 public:
  RankList(const model::MachineParams& machine, RankKind kind)
      : machine_(machine),
        cores_of_rank_(kind == RankKind::kChips   ? machine.chip.cores
                       : kind == RankKind::kCores ? 1
                                                  : 2),
        per_chip_(machine.chip.cores / cores_of_rank_) {
    if (machine.chip.cores % cores_of_rank_ != 0)
      throw base::UserError(
          "E-COL-020", "workload.ranks",
          fmt::format("a rank of {} cores does not divide a chip of {}", cores_of_rank_, machine.chip.cores));
  }

  std::uint64_t ranks() const { return machine_.chips() * per_chip_; }
  std::uint64_t per_chip() const { return per_chip_; }

  std::vector<std::uint32_t> cores_of(std::uint64_t rank) const {
    std::vector<std::uint32_t> cores;
    for (std::uint64_t c = 0; c < cores_of_rank_; ++c)
      cores.push_back(static_cast<std::uint32_t>(rank * cores_of_rank_ + c));
    return cores;
  }

 private:
  const model::MachineParams& machine_;
  std::uint64_t cores_of_rank_, per_chip_;
};

[[noreturn]] void refuse_ranks(const std::string& text) {
  throw base::UserError("E-COL-020", "workload.over", text);
}

void refuse_dead(const model::MachineParams& machine, std::uint32_t core) {
  if (machine.is_dead(core / machine.chip.cores))
    refuse_ranks(fmt::format("{} belongs to a dead chip; expected lists of working ranks, such as 0-3|5-8",
                             core_name(machine, core)));
}

std::uint64_t number(std::string_view text, std::uint64_t ranks) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse_ranks(
        fmt::format("'{}' is not a rank number; expected machine, servers, chips, or lists such as "
                    "0-3|4,6",
                    text));
  if (value >= ranks) refuse_ranks(fmt::format("there is no rank {}; expected below {}", value, ranks));
  return value;
}

std::vector<std::uint64_t> listed(std::string_view text, std::uint64_t ranks) {
  std::vector<std::uint64_t> list;
  for (const std::string_view part : base::split(text, ",")) {
    const auto ends = base::split(part, "-");
    const std::uint64_t first = number(ends.front(), ranks), last = number(ends.back(), ranks);
    if (ends.size() > 2 || last < first) refuse_ranks(fmt::format("'{}' is not a range of ranks", part));
    for (std::uint64_t r = first; r <= last; ++r) list.push_back(r);
  }
  return list;
}

void count_sharers(const model::MachineParams& machine, std::vector<Group>& groups) {
  std::map<std::uint64_t, std::uint32_t> on_chip;
  std::vector<std::set<std::uint64_t>> chips(groups.size());
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (const auto& cores : groups[g].cores) chips[g].insert(cores.front() / machine.chip.cores);
    if (chips[g].size() == 1) continue;
    groups[g].share = on_chip[*chips[g].begin()];
    for (const std::uint64_t chip : chips[g]) ++on_chip[chip];
  }
  for (std::size_t g = 0; g < groups.size(); ++g)
    if (chips[g].size() > 1)
      for (const std::uint64_t chip : chips[g])
        groups[g].sharers = std::max(groups[g].sharers, on_chip[chip]);
}

}  // namespace

std::vector<Group> groups_from(const model::MachineParams& machine, std::vector<Members> members) {
  const model::FabricWays ways(machine);
  std::vector<Group> groups;
  for (Members& of : members) {
    Grid grid = grid_of(machine, ways, of.cores);
    groups.push_back({std::move(of.name), std::move(grid), std::move(of.cores), 1, 0});
  }
  count_sharers(machine, groups);
  return groups;
}

std::vector<Group> groups_of(const model::MachineParams& machine, RankKind rank_kind,
                             const std::string& over) {
  const RankList members(machine, rank_kind);
  std::vector<Members> groups;
  const auto add = [&](std::string name, std::vector<std::vector<std::uint32_t>> cores) {
    for (const auto& of_rank : cores) refuse_dead(machine, of_rank.front());
    groups.push_back({std::move(name), std::move(cores)});
  };
  const auto equal = [&](const char* name, std::uint64_t count, std::uint64_t chips) {
    for (std::uint64_t g = 0; g < count; ++g) {
      std::vector<std::vector<std::uint32_t>> cores;
      for (std::uint64_t r = 0; r < chips * members.per_chip(); ++r)
        cores.push_back(members.cores_of(g * chips * members.per_chip() + r));
      add(count == 1 && chips > 1 ? name : fmt::format("{}{}", name, g), std::move(cores));
    }
  };
  const std::uint64_t server = machine.torus.x * machine.torus.y;
  if (over == "machine") {
    equal("machine", 1, machine.chips());
  } else if (over == "servers") {
    equal("server", machine.torus.z, server);
  } else if (over == "chips") {
    equal("chip", machine.chips(), 1);
  } else {
    std::set<std::uint64_t> taken;
    for (const std::string_view text : base::split(over, "|")) {
      std::vector<std::vector<std::uint32_t>> cores;
      for (const std::uint64_t rank : listed(text, members.ranks())) {
        if (!taken.insert(rank).second) refuse_ranks(fmt::format("rank {} appears twice", rank));
        cores.push_back(members.cores_of(rank));
      }
      add(std::string(text), std::move(cores));
    }
  }
  return groups_from(machine, std::move(groups));
}

}  // namespace tahoma::runtime::collective
