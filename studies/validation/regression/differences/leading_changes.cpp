// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/differences/leading_changes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/reference/declarations.h"
#include "studies/validation/regression/differences/subsystem.h"

namespace tahoma::runtime {

namespace {

constexpr std::size_t kFewChanges = 4;
constexpr double kSameRatio = 0.01;  // of the size of the change

constexpr std::array<std::string_view, 4> kInputs{"workload", "machine", "mode", "seed"};

// Resources by the last word of the stall reasons that name them (wait_vector, blocked_link).
constexpr std::array<std::string_view, 7> kResources{"tensor", "vector", "scalar", "gpsimd",
                                                     "dma",    "link",   "memory"};

enum class ChangeKind { kWork, kTime, kOther };

// A change with what the rules read from it.
struct RuledChange {
  const Difference* difference;
  ChangeKind kind = ChangeKind::kOther;
  bool share_or_rate = false;
  double log_ratio = 0;  // of the amounts; infinite if one is 0
  double weight = kLeastPart;
  std::string_view resource = {}, waits_for = {};  // "" if none
};

bool is_input(const std::string& name) {
  return std::find(kInputs.begin(), kInputs.end(), name) != kInputs.end();
}

// "vector" of "wait_vector", wherever it stands in the name.
std::string_view awaited(const std::string& name) {
  for (const std::string_view resource : kResources)
    for (const char* verb : {"wait_", "blocked_"})
      if (name.find(verb + std::string(resource)) != std::string::npos) return resource;
  return "";
}

// The resource to which a part of the name belongs: "engines.vector.*", "vector_engine_*", "links.bytes",
// "*.hbm*".
std::string_view resource_in(const std::string& name) {
  for (const std::string_view resource : kResources) {
    const std::string wanted = resource == "memory" ? "hbm" : std::string(resource);
    for (std::size_t at = name.find(wanted); at != std::string::npos; at = name.find(wanted, at + 1))
      if (at == 0 || name[at - 1] == '.') return resource;
  }
  return "";
}

double log_ratio_of(double before, double after) {
  return std::log(std::fabs(after)) - std::log(std::fabs(before));
}

bool in_same_ratio(double a, double b) {
  if (std::isinf(a) || std::isinf(b)) return a == b;
  return std::fabs(a - b) <= kSameRatio * std::max(std::fabs(a), std::fabs(b));
}

class Rules {
 public:
  Rules(double before_ns, double after_ns)
      : before_ns_(before_ns), after_ns_(after_ns), time_ratio_(log_ratio_of(before_ns, after_ns)) {}

  RuledChange read(const Difference& d) const {
    const auto declared = declaration_of(d.name);
    const base::Unit unit = declared ? declared->unit : base::Unit::kCount;
    const bool share = d.name.find("percent") != std::string::npos || unit == base::Unit::kRatio;
    const bool rate = unit == base::Unit::kBytesPerSecond || unit == base::Unit::kTeraflops;
    RuledChange change{&d};
    change.share_or_rate = share || rate;
    if (unit == base::Unit::kNanoseconds || matches_pattern(d.name, "*time_percent.*"))
      change.kind = ChangeKind::kTime;
    else if (declared && !share && !rate)
      change.kind = ChangeKind::kWork;
    change.log_ratio = log_ratio_of(amount(change, d.before, before_ns_), amount(change, d.after, after_ns_));
    change.weight = std::max(kLeastPart, d.explains);
    change.waits_for = awaited(d.name);
    if (change.waits_for.empty() && change.kind != ChangeKind::kOther) change.resource = resource_in(d.name);
    return change;
  }

  bool follows_time(const RuledChange& change) const {
    const Difference& d = *change.difference;
    if (d.name == "simulated_time_ns" || matches_pattern(d.name, "*idle*")) return true;
    if (!d.quantity || time_ratio_ == 0 || !std::isfinite(time_ratio_)) return false;
    if (change.share_or_rate && std::fabs(change.log_ratio) <= kSameRatio * std::fabs(time_ratio_))
      return true;
    return change.kind == ChangeKind::kTime && in_same_ratio(change.log_ratio, time_ratio_);
  }

  static bool explains(const RuledChange& a, const RuledChange& b) {
    if (!a.difference->quantity || !b.difference->quantity) return a.difference == b.difference;
    if (in_same_ratio(a.log_ratio, b.log_ratio)) return true;
    return !a.resource.empty() && a.resource == b.waits_for && (a.log_ratio > 0) == (b.log_ratio > 0);
  }

 private:
  // A side that a statistic is missing on has 0.
  static double amount(const RuledChange& change, const std::optional<std::string>& value, double run_ns) {
    const double number = value ? number_of(*value).value_or(0) : 0;
    return change.share_or_rate && run_ns > 0 ? number * run_ns : number;
  }

  double before_ns_, after_ns_, time_ratio_;
};

// The changes that no lead explains yet, and the choice of the next lead.
class Unexplained {
 public:
  explicit Unexplained(std::vector<RuledChange> changes)
      : changes_(std::move(changes)), explained_(changes_.size()) {}

  // Unset if nothing is left.
  std::optional<LeadingChange> next() {
    const RuledChange* best = nullptr;
    double most = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (explained_[i] || !changes_[i].difference->quantity) continue;
      const double weight = weight_of(changes_[i]);
      const bool more = weight > most * (1 + 1e-9), equal = weight >= most * (1 - 1e-9);
      if (best != nullptr && !more && !(equal && changes_[i].kind < best->kind)) continue;
      best = &changes_[i];
      most = weight;
    }
    if (best == nullptr) return std::nullopt;
    LeadingChange lead{*best->difference, 0};
    for (std::size_t i = 0; i < changes_.size(); ++i) {
      if (explained_[i] || !Rules::explains(*best, changes_[i])) continue;
      explained_[i] = true;
      if (&changes_[i] != best) ++lead.explained;
    }
    return lead;
  }

 private:
  double weight_of(const RuledChange& lead) const {
    double weight = 0;
    for (std::size_t i = 0; i < changes_.size(); ++i)
      if (!explained_[i] && Rules::explains(lead, changes_[i])) weight += changes_[i].weight;
    return weight;
  }

  std::vector<RuledChange> changes_;
  std::vector<bool> explained_;
};

}  // namespace

std::size_t LeadingChanges::explained() const {
  std::size_t count = 0;
  for (const LeadingChange& lead : leads) count += lead.explained;
  return count;
}

LeadingChanges leading_changes(const std::vector<DifferenceGroup>& groups, double before_ns,
                               double after_ns) {
  const Rules rules(before_ns, after_ns);
  LeadingChanges result;
  std::vector<RuledChange> rest;
  for (const DifferenceGroup& group : groups) {
    for (const Difference& difference : group.differences) {
      if (matches_pattern(difference.name, "outputs.*")) continue;
      ++result.all;
      const RuledChange change = rules.read(difference);
      if (is_input(difference.name))
        result.leads.push_back({difference, 0});
      else if (rules.follows_time(change))
        ++result.follow_time;
      else
        rest.push_back(change);
    }
  }
  Unexplained unexplained(std::move(rest));
  while (result.leads.size() < kMostLeads) {
    const auto lead = unexplained.next();
    if (!lead) break;
    result.leads.push_back(*lead);
  }
  return result;
}

std::string lead_cell(const Difference& d) {
  return fmt::format("{} {} -> {}{} ({})", d.name, value_cell(d.before), value_cell(d.after), unit_cell(d),
                     change_text(d));
}

std::string leads_text(const LeadingChanges& changes, const std::string& indent) {
  if (changes.all <= kFewChanges) return "";
  const std::size_t others = changes.all - changes.follow_time - changes.leads.size();
  std::string text = fmt::format("{}{} changes", indent, changes.all);
  if (changes.follow_time > 0)
    text += fmt::format(", of which {} follow from the time of the run", changes.follow_time);
  text += fmt::format("; {} lead, and explain {} of the other {}:\n", changes.leads.size(),
                      changes.explained(), others);
  for (const LeadingChange& lead : changes.leads) {
    text += fmt::format("{}  {}{}", indent, lead_cell(lead.difference), part_text(lead.difference));
    text += lead.explained > 0 ? fmt::format("; explains {} others\n", lead.explained) : "\n";
  }
  return text;
}

}  // namespace tahoma::runtime
