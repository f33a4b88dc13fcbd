// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/program_checks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "model/base/error.h"

namespace tahoma::runtime {

const std::vector<std::string>& program_check_names() {
  static const std::vector<std::string> names{"races", "uninitialised"};
  return names;
}

bool enable_check(model::check::Options& checks, const std::string& name) {
  if (name == "races") return checks.races = true;
  if (name == "uninitialised") return checks.uninitialised = true;
  return false;
}

void require_clean(const model::check::Findings& findings, bool in_full) {
  const std::uint64_t found = findings.total(), places = findings.groups().size();
  if (found == 0) return;
  const std::vector<std::string> first = findings.first();
  const std::string groups =
      places == found ? "" : fmt::format(" at {} pair{} of places", places, places == 1 ? "" : "s");
  const std::string shown = places > first.size() ? fmt::format(", of which {} are shown", first.size()) : "";
  throw base::UserError(
      "E-RUN-071", "program check",
      fmt::format("{} finding{}{}{}{}{}", found, found == 1 ? "" : "s", groups, shown, in_full ? "\n" : "",
                  in_full ? fmt::format("{}", fmt::join(first, "\n")) : ""),
      base::ExitStatus::kProgram);
}

}  // namespace tahoma::runtime
