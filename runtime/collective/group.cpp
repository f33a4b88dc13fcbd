// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/group.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "model/base/error.h"

namespace tahoma::runtime::collective {

namespace {

class Members {
 public:
  Members(const model::MachineParams& machine, const std::string& kind)
      : machine_(machine),
        cores_of_rank_(kind == "chips"   ? machine.chip.cores
                       : kind == "cores" ? 1
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

  // Ranks of `count` chips in machine order, as a product of the chip's cores and the first axes of the
  // torus.
  Grid grid_over(std::uint64_t chips) const {
    Grid grid;
    std::uint32_t stride = 1;
    const auto add = [&](const char* name, std::uint64_t size, bool links, double rate) {
      if (size > 1) grid.axes.push_back({name, static_cast<std::uint32_t>(size), stride, links, rate});
      stride *= static_cast<std::uint32_t>(size);
    };
    add("core", per_chip_, false, on_chip_rate());
    const auto sharers = static_cast<double>(per_chip_);
    const auto rate = [&](const base::Bandwidth& link) { return bytes_a_second(link) / sharers; };
    const model::TorusParams& torus = machine_.torus;
    if (chips > 1) add("x", torus.x, true, rate(machine_.link.x));
    if (chips > 1) add("y", torus.y, true, rate(machine_.link.y));
    if (chips > torus.x * torus.y) add("z", torus.z, true, rate(machine_.link.z));
    return grid;
  }

 private:
  static double bytes_a_second(const base::Bandwidth& b) {
    return b.ideal ? 1e18 : static_cast<double>(b.bytes_per_second);
  }
  // A rank's engines read two sources for what they fold.
  double on_chip_rate() const {
    const model::DmaParams& dma = machine_.chip.core.dma;
    return static_cast<double>(cores_of_rank_) * 16 * static_cast<double>(dma.bytes_per_cycle.count) *
           static_cast<double>(dma.clock.hz) / 2;
  }

  const model::MachineParams& machine_;
  std::uint64_t cores_of_rank_, per_chip_;
};

[[noreturn]] void refuse(const std::string& text) {
  throw base::UserError("E-COL-020", "workload.over", text);
}

std::uint64_t number(std::string_view text, std::uint64_t ranks) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    refuse(
        fmt::format("'{}' is no number of a rank; expected machine, servers, chips, or lists such as "
                    "0-3|4,6",
                    text));
  if (value >= ranks) refuse(fmt::format("there is no rank {}; expected below {}", value, ranks));
  return value;
}

std::vector<std::string_view> split(std::string_view text, char by) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t at = text.find(by);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::uint64_t> listed(std::string_view text, std::uint64_t ranks) {
  std::vector<std::uint64_t> list;
  for (const std::string_view part : split(text, ',')) {
    const auto ends = split(part, '-');
    const std::uint64_t first = number(ends.front(), ranks), last = number(ends.back(), ranks);
    if (ends.size() > 2 || last < first) refuse(fmt::format("'{}' is no range of ranks", part));
    for (std::uint64_t r = first; r <= last; ++r) list.push_back(r);
  }
  return list;
}

}  // namespace

std::vector<std::string> rank_kinds() { return {"chips", "cores", "logical_cores"}; }

std::vector<Group> groups_of(const model::MachineParams& machine, const std::string& rank_kind,
                             const std::string& over) {
  const Members members(machine, rank_kind);
  std::vector<Group> groups;
  const auto equal = [&](const char* name, std::uint64_t count, std::uint64_t chips) {
    for (std::uint64_t g = 0; g < count; ++g) {
      Group group{
          count == 1 && chips > 1 ? name : fmt::format("{}{}", name, g), members.grid_over(chips), {}};
      for (std::uint64_t r = 0; r < chips * members.per_chip(); ++r)
        group.cores.push_back(members.cores_of(g * chips * members.per_chip() + r));
      groups.push_back(std::move(group));
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
    for (const std::string_view text : split(over, '|')) {
      Group group{std::string(text), {}, {}};
      for (const std::uint64_t rank : listed(text, members.ranks())) {
        if (!taken.insert(rank).second) refuse(fmt::format("rank {} is named twice", rank));
        group.cores.push_back(members.cores_of(rank));
      }
      if (group.ranks() > 1) group.grid.axes.push_back({"list", group.ranks(), 1, false, 1});
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

}  // namespace tahoma::runtime::collective
