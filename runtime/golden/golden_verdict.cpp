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

std::string failure_text(const GoldenResult& golden) {
  if (golden.mismatches > 0)
    return fmt::format("{} of {} elements are wrong\n{}", golden.mismatches, golden.elements,
                       golden.first_mismatch);
  return fmt::format(
      "{} of {} results are not finite, although all values of the inputs are; the first: {}; expected "
      "finite "
      "results, or the key 'not_finite: allowed' in the case",
      golden.not_finite, golden.results, golden.first_not_finite);
}

void require_golden(const GoldenResult& golden, bool must_be_checked) {
  if (golden.failed())
    throw UserError(golden.mismatches > 0 ? "E-RUN-070" : "E-RUN-075", "golden check", failure_text(golden),
                    ExitStatus::kCheckFailed);
  if (must_be_checked && !golden.checked())
    throw UserError("E-RUN-072", "golden check",
                    fmt::format("--require-golden expects checked values; {}", golden.rule),
                    ExitStatus::kCheckFailed);
}

}  // namespace tahoma::runtime
