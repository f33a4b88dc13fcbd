// SPDX-License-Identifier: Apache-2.0
#include "runtime/golden/golden_verdict.h"

#include <fmt/format.h>

#include "model/base/error.h"

namespace tahoma::runtime {

using base::ExitStatus, base::UserError;

std::string_view name_of(GoldenOutcome outcome) {
  switch (outcome) {
    case GoldenOutcome::kNotChecked:
      return "not_checked";
    case GoldenOutcome::kPassed:
      return "passed";
    case GoldenOutcome::kFailed:
      return "failed";
  }
  return "";
}

void require_golden(const GoldenResult& golden, bool must_be_checked) {
  if (golden.failed())
    throw UserError("E-RUN-070", "golden check",
                    fmt::format("{} of {} elements are wrong\n{}", golden.mismatches, golden.elements,
                                golden.first_mismatch),
                    ExitStatus::kCheckFailed);
  if (must_be_checked && !golden.checked())
    throw UserError("E-RUN-072", "golden check",
                    fmt::format("--require-golden expects checked values; {}", golden.rule),
                    ExitStatus::kCheckFailed);
}

}  // namespace tahoma::runtime
