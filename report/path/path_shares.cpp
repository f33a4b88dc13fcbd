// SPDX-License-Identifier: Apache-2.0
#include "report/path/path_shares.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "model/base/shares.h"
#include "report/path/instruction_place.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

using base::Duration;

namespace {

// Equal times are ordered by names.
bool is_larger(const PathShare& a, const PathShare& b) {
  return std::tie(b.time, a.resource, a.operation) < std::tie(a.time, b.resource, b.operation);
}

}  // namespace

void PathShares::add(const PathStep& step, const isa::Program* program, const PathCosts& costs) {
  const ResourceTimes times = resources_of(step, program, costs);
  const std::string operation = program == nullptr ? "" : InstructionNames{*program, *step.at}.operation();
  for (std::size_t n = 0; n < times.size(); ++n) {
    if (times[n].fs == 0) continue;
    for (Sum* sum : {&sums_[{static_cast<PathResource>(n), operation}], &of_resource_[n]}) {
      ++sum->steps;
      sum->time += times[n];
    }
  }
}

std::vector<PathShare> PathShares::operations(Duration elapsed) const {
  std::vector<PathShare> all;
  for (const auto& [key, sum] : sums_)
    all.push_back({name_of(key.first), key.second, sum.steps, sum.time, base::percent_of(sum.time, elapsed)});
  std::sort(all.begin(), all.end(), is_larger);
  return all;
}

std::vector<PathResourceShare> PathShares::resources(Duration elapsed) const {
  std::vector<PathResourceShare> all;
  for (const PathShare& share : operations(elapsed)) {
    const auto known = std::find_if(all.begin(), all.end(),
                                    [&](const auto& other) { return other.resource == share.resource; });
    if (known == all.end()) all.push_back({share, share.share_percent});
  }
  for (PathResourceShare& resource : all)
    for (std::size_t n = 0; n < of_resource_.size(); ++n) {
      if (resource.resource != name_of(static_cast<PathResource>(n))) continue;
      resource.steps = of_resource_[n].steps;
      resource.time = of_resource_[n].time;
      resource.share_percent = base::percent_of(resource.time, elapsed);
    }
  std::sort(all.begin(), all.end(), is_larger);
  return all;
}

std::optional<PathResourceShare> limiting_of(const std::vector<PathResourceShare>& resources) {
  const auto first = std::find_if(resources.begin(), resources.end(), [](const PathResourceShare& r) {
    return r.resource != name_of(PathResource::kNone);
  });
  return first == resources.end() ? std::nullopt : std::optional(*first);
}

namespace {

template <class Row>
base::Columns<Row> share_columns(const char* place, const char* what_operation) {
  using base::Unit;
  return base::Columns<Row>("", place)
      .text("", "resource",
            "resource that held the critical path, as `tahoma explain` names it; none: no instruction",
            [](const Row& r) { return r.resource; })
      .text("", "operation", what_operation, [](const Row& r) { return r.operation; })
      .number("", "steps", Unit::kCount, "steps of the critical path in which it has a part",
              [](const Row& r) { return r.steps; })
      .number("", "time_ns", Unit::kNanoseconds, "its time on the critical path",
              [](const Row& r) { return r.time.ns(); })
      .number("", "share_percent", Unit::kPercent, "that in percent of the simulated time",
              [](const Row& r) { return r.share_percent; });
}

}  // namespace

const base::Columns<PathShare>& path_operation_columns() {
  static const auto kColumns = share_columns<PathShare>(
      "critical_path.operations.*",
      "region of the program; the source line of one without regions, else the program");
  return kColumns;
}

const base::Columns<PathResourceShare>& path_resource_columns() {
  static const auto kColumns =
      share_columns<PathResourceShare>("critical_path.resources.*", "operation with most of its time")
          .number("", "operation_percent", base::Unit::kPercent,
                  "its time in that operation, in percent of the simulated time",
                  [](const PathResourceShare& r) { return r.operation_percent; });
  return kColumns;
}

std::string path_shares_text(const std::vector<PathShare>& operations, std::size_t most) {
  std::string text =
      fmt::format("  {:>8}{:>11}{:>8}  {:<21} {}\n", "share", "time", "steps", "resource", "operation");
  for (std::size_t n = 0; n < std::min(most, operations.size()); ++n) {
    const PathShare& s = operations[n];
    text += trimmed(fmt::format("  {:>6.1f} %{:>11}{:>8}  {:<21} {}", s.share_percent, time_text(s.time),
                                s.steps, s.resource, fitted(s.operation, 46))) +
            "\n";
  }
  return text;
}

}  // namespace tahoma::runtime
