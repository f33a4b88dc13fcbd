// SPDX-License-Identifier: Apache-2.0
#include "runtime/validation/regression/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "runtime/validation/regression/subsystem.h"

namespace tahoma::runtime {

namespace {

double change_of(const std::string& before, const std::string& after) {
  const auto a = number_of(before), b = number_of(after);
  if (!a || !b || *a == 0) return 1;
  return (*b - *a) / std::fabs(*a);
}

bool tolerated(const Difference& d, const std::vector<Tolerance>& tolerances) {
  if (!d.before || !d.after || !number_of(*d.before) || !number_of(*d.after)) return false;
  return std::any_of(tolerances.begin(), tolerances.end(), [&](const Tolerance& t) {
    return matches_pattern(d.name, t.pattern) && std::fabs(d.change) <= t.fraction;
  });
}

class Groups {
 public:
  void add(const Difference& difference) {
    const std::string subsystem = subsystem_of(difference.name);
    const auto [at, fresh] = known_.try_emplace(subsystem, groups_.size());
    if (fresh) groups_.push_back({subsystem, {}});
    groups_[at->second].differences.push_back(difference);
  }

  std::vector<DifferenceGroup> sorted() {
    const auto larger = [](const Difference& a, const Difference& b) {
      return std::fabs(a.change) > std::fabs(b.change);
    };
    for (DifferenceGroup& group : groups_)
      std::stable_sort(group.differences.begin(), group.differences.end(), larger);
    std::stable_sort(groups_.begin(), groups_.end(), [&](const auto& a, const auto& b) {
      return larger(a.differences.front(), b.differences.front());
    });
    return std::move(groups_);
  }

 private:
  std::vector<DifferenceGroup> groups_;
  std::map<std::string, std::size_t> known_;
};

}  // namespace

std::vector<DifferenceGroup> differences_of(const RunStatistics& before, const RunStatistics& after,
                                            const std::vector<Tolerance>& tolerances) {
  std::map<std::string, std::string> now;
  for (const Statistic& s : after) now.emplace(s.name, s.value);
  Groups groups;
  for (const Statistic& s : before) {
    const auto found = now.find(s.name);
    if (found == now.end()) {
      groups.add({s.name, s.value, std::nullopt, 1});
      continue;
    }
    if (found->second != s.value) {
      const Difference d{s.name, s.value, found->second, change_of(s.value, found->second)};
      if (!tolerated(d, tolerances)) groups.add(d);
    }
    now.erase(found);
  }
  for (const Statistic& s : after)
    if (now.count(s.name) > 0) groups.add({s.name, std::nullopt, s.value, 1});
  return groups.sorted();
}

std::size_t count_of(const std::vector<DifferenceGroup>& groups) {
  std::size_t count = 0;
  for (const DifferenceGroup& group : groups) count += group.differences.size();
  return count;
}

std::string change_text(const Difference& d) {
  if (!d.before) return "new";
  if (!d.after) return "gone";
  const auto before = number_of(*d.before);
  if (!before || !number_of(*d.after) || *before == 0) return "";
  // As many digits as needed to show the smallest change.
  const double percent = 100 * d.change;
  return std::fabs(percent) >= 0.005 ? fmt::format("{:+.2f} %", percent) : fmt::format("{:+.1e} %", percent);
}

std::string value_cell(const std::optional<std::string>& value) {
  if (!value) return "-";
  const auto number = number_of(*value);
  if (!number || value->find_first_of(".e") == std::string::npos) return *value;
  return fmt::format("{:.6g}", *number);
}

std::string groups_text(const std::vector<DifferenceGroup>& groups, std::size_t most,
                        const std::string& indent) {
  std::string text;
  for (const DifferenceGroup& group : groups) {
    const std::size_t all = group.differences.size(), shown = std::min(all, most);
    text += fmt::format("{}{}: {} difference{}\n", indent, group.subsystem, all, all == 1 ? "" : "s");
    std::size_t widest = 0;
    for (std::size_t i = 0; i < shown; ++i) widest = std::max(widest, group.differences[i].name.size());
    for (std::size_t i = 0; i < shown; ++i) {
      const Difference& d = group.differences[i];
      const std::string before = value_cell(d.before), after = value_cell(d.after);
      // Two values that differ only beyond the digits of a cell are written in full.
      const bool alike = before == after;
      text += fmt::format("{}  {:<{}}  {:>12}  {} -> {}\n", indent, d.name, widest, change_text(d),
                          alike ? *d.before : before, alike ? *d.after : after);
    }
    if (shown < all) text += fmt::format("{}  and {} more\n", indent, all - shown);
  }
  return text;
}

}  // namespace tahoma::runtime
