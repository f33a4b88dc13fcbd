// SPDX-License-Identifier: Apache-2.0
#include "report/trace/selection.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/run/core_selection.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

void refuse_without_trace(const TraceRequest& request) {
  const auto refuse = [](const char* option) {
    throw UserError("E-TRC-001", option, "there is no trace; expected --trace as well");
  };
  if (!request.from.empty()) refuse("--trace-from");
  if (!request.until.empty()) refuse("--trace-until");
  if (!request.cores.empty()) refuse("--trace-cores");
  if (!request.kinds.empty()) refuse("--trace-kinds");
  if (!request.limit.empty()) refuse("--trace-limit");
  if (request.flows) refuse("--trace-flows");
}

base::Time time_of(const char* option, const std::string& text) {
  try {
    return base::parse_duration(text);
  } catch (const UserError& e) {
    throw UserError("E-TRC-002", option, e.message + "; expected a simulated time, like 12.5us");
  }
}

void select_kind(const std::string& text, std::array<bool, kTraceKinds>& kinds) {
  std::vector<std::string> names;
  for (const TraceKindRow& row : kTraceKindTable) names.emplace_back(row.name);
  const auto named = std::find(names.begin(), names.end(), text);
  if (named == names.end())
    throw UserError("E-TRC-004", "--trace-kinds",
                    fmt::format("there is no kind '{}'{}; expected some of {}", text,
                                base::did_you_mean(text, names), fmt::join(names, ", ")));
  kinds[static_cast<std::size_t>(named - names.begin())] = true;
}

std::uint64_t limit_of(const std::string& text) {
  try {
    if (const std::uint64_t limit = base::parse_count(text); limit > 0) return limit;
  } catch (const UserError& e) {
    throw UserError("E-TRC-005", "--trace-limit", e.message + "; expected a number of events");
  }
  throw UserError("E-TRC-005", "--trace-limit", "the limit must be at least 1 event");
}

}  // namespace

bool TraceSelection::every_core() const {
  return std::find(cores.begin(), cores.end(), false) == cores.end();
}

TraceSelection trace_selection(const TraceRequest& request, const model::MachineParams& machine) {
  TraceSelection selection;
  selection.cores.assign(machine.cores(), true);
  selection.kinds.fill(request.kinds.empty());
  if (!request.wanted) {
    refuse_without_trace(request);
    return selection;
  }
  if (!request.from.empty()) selection.from = time_of("--trace-from", request.from);
  if (!request.until.empty()) selection.until = time_of("--trace-until", request.until);
  if (selection.until <= selection.from)
    throw UserError("E-TRC-002", "--trace-until",
                    fmt::format("the window ends at {} and begins at {}; expected a later end",
                                base::to_text(selection.until), base::to_text(selection.from)));
  if (!request.cores.empty()) selection.cores = selected_cores("--trace-cores", request.cores, machine);
  for (const std::string& text : request.kinds) select_kind(text, selection.kinds);
  if (!request.limit.empty()) selection.limit = limit_of(request.limit);
  selection.flows = request.flows;
  return selection;
}

std::uint64_t TraceTally::total(TraceFate fate) const {
  std::uint64_t all = 0;
  for (const auto& of_kind : counts_) all += of_kind[static_cast<std::size_t>(fate)];
  return all;
}

std::string tally_text(const TraceTally& tally) {
  constexpr std::array<const char*, kTraceFates> kReasons{"", "of other kinds", "of other cores",
                                                          "outside the window", "beyond the limit"};
  std::string text = fmt::format("{} events", tally.total(TraceFate::kWritten)), left_out;
  for (std::size_t fate = 1; fate < kTraceFates; ++fate)
    if (const std::uint64_t count = tally.total(static_cast<TraceFate>(fate)); count > 0)
      left_out += fmt::format("{}{} {}", left_out.empty() ? "; omitted: " : ", ", count, kReasons[fate]);
  return text + left_out;
}

}  // namespace tahoma::runtime
