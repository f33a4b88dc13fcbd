// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/differences/difference.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "report/reference/declarations.h"
#include "studies/validation/regression/differences/subsystem.h"

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

bool is_quantity(const std::string& name, const std::string& value) {
  const auto declared = declaration_of(name);
  return number_of(value) && !(declared && declared->unit == base::Unit::kIdentifier);
}

double time_of(const RunStatistics& statistics) {
  for (const Statistic& s : statistics)
    if (s.name == "simulated_time_ns") return number_of(s.value).value_or(0);
  return 0;
}

// Idle time follows from other times, and a start is a moment.
bool explains_nothing(const std::string& name) {
  return matches_pattern(name, "*idle*") || matches_pattern(name, "*start_ns");
}

// The parts of the runs' times that statistics take.
class Parts {
 public:
  Parts(const RunStatistics& before, const RunStatistics& after)
      : before_ns_(time_of(before)), after_ns_(time_of(after)) {}

  double explained(const std::string& name, const Statistic* before, const Statistic* after) const {
    if (before_ns_ <= 0 || explains_nothing(name)) return 0;
    // A golden does not have the number of instances: it is that of the run.
    const std::uint64_t instances = std::max(instances_of(before), instances_of(after));
    return std::fabs(nanoseconds(name, after, after_ns_, instances) -
                     nanoseconds(name, before, before_ns_, instances)) /
           before_ns_;
  }

 private:
  static std::uint64_t instances_of(const Statistic* of) { return of == nullptr ? 0 : of->instances; }

  // A statistic that a side does not have is 0 there. 0 for what is not a time.
  static double nanoseconds(const std::string& name, const Statistic* of, double run_ns,
                            std::uint64_t instances) {
    const auto value = of == nullptr ? std::nullopt : number_of(of->value);
    if (!value) return 0;
    if (matches_pattern(name, "*time_percent.*")) return *value / 100 * run_ns;
    const auto declared = declaration_of(name);
    if (!declared || declared->unit != base::Unit::kNanoseconds) return 0;
    if (!name.ends_with(".total")) return *value;
    return instances == 0 ? 0 : *value / static_cast<double>(instances);
  }

  double before_ns_, after_ns_;
};

class Groups {
 public:
  void add(const Difference& difference) {
    const std::string subsystem = subsystem_of(difference.name);
    const auto [at, fresh] = known_.try_emplace(subsystem, groups_.size());
    if (fresh) groups_.push_back({subsystem, {}});
    groups_[at->second].differences.push_back(difference);
  }

  std::vector<DifferenceGroup> sorted() {
    const auto rank = [](const Difference& d) {
      return std::tuple(d.quantity, d.explains < kLeastPart ? 0 : d.explains, std::fabs(d.change));
    };
    const auto larger = [&](const Difference& a, const Difference& b) { return rank(a) > rank(b); };
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
  std::map<std::string, const Statistic*> now;
  for (const Statistic& s : after) now.emplace(s.name, &s);
  const Parts parts(before, after);
  Groups groups;
  for (const Statistic& s : before) {
    const auto found = now.find(s.name);
    const Statistic* other = found == now.end() ? nullptr : found->second;
    if (other != nullptr) now.erase(found);
    if (other != nullptr && other->value == s.value) continue;
    const Difference d{s.name,
                       s.value,
                       other == nullptr ? std::nullopt : std::optional(other->value),
                       other == nullptr ? 1 : change_of(s.value, other->value),
                       parts.explained(s.name, &s, other),
                       is_quantity(s.name, s.value)};
    if (!tolerated(d, tolerances)) groups.add(d);
  }
  for (const Statistic& s : after)
    if (now.count(s.name) > 0)
      groups.add({s.name, std::nullopt, s.value, 1, parts.explained(s.name, nullptr, &s),
                  is_quantity(s.name, s.value)});
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
  if (!d.quantity) return "changed";
  if (!before || !number_of(*d.after) || *before == 0) return "";
  // As many digits as needed to show the smallest change.
  const double percent = 100 * d.change;
  return std::fabs(percent) >= 0.005 ? fmt::format("{:+.2f} %", percent) : fmt::format("{:+.1e} %", percent);
}

std::string part_text(const Difference& d) {
  if (d.explains < kLeastPart) return "";
  if (d.explains > 1) return fmt::format(", {:.3g} times the time before", d.explains);
  return fmt::format(", {:.1f} % of the time before", 100 * d.explains);
}

std::string value_cell(const std::optional<std::string>& value) {
  if (!value) return "-";
  const auto number = number_of(*value);
  if (!number || value->find_first_of(".e") == std::string::npos) return *value;
  return fmt::format("{:.6g}", *number);
}

std::string unit_cell(const Difference& d) {
  const auto declared = declaration_of(d.name);
  if (!d.quantity || !declared) return "";
  const base::Unit unit = declared->unit;
  const bool none =
      unit == base::Unit::kCount || unit == base::Unit::kRatio || unit == base::Unit::kIdentifier;
  return none ? "" : fmt::format(" {}", base::name_of(unit));
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
      text += fmt::format("{}  {:<{}}  {:>12}  {} -> {}{}{}\n", indent, d.name, widest, change_text(d),
                          alike ? *d.before : before, alike ? *d.after : after, unit_cell(d), part_text(d));
    }
    if (shown < all) text += fmt::format("{}  and {} more\n", indent, all - shown);
  }
  return text;
}

}  // namespace tahoma::runtime
