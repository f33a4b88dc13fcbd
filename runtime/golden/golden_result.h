// SPDX-License-Identifier: Apache-2.0
// The outcome of a golden check, and what it counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/dtype.h"

namespace tahoma::runtime {

enum class GoldenOutcome : std::uint8_t { kNotChecked, kPassed, kFailed };
std::string_view name_of(GoldenOutcome outcome);  // "not_checked", as in summary.json

struct NamedValues {  // an output that can be saved as .npy
  std::string name;
  isa::DType dtype;
  std::vector<std::uint64_t> shape;
  std::vector<std::byte> values;  // bf16 is saved as fp32
};

struct GoldenResult {
  double max_abs_error = 0, max_rel_error = 0;
  double tolerance =
      0;             // largest error / allowed error seen is below 1 when passed; this is the rule's epsilon
  std::string rule;  // how the tolerance follows from dtype and reduction length, one line; not checked: why
  std::uint64_t elements = 0, mismatches = 0;
  std::string first_mismatch;  // several lines: index, got, expected, neighbours, the core that made it
  // Floating-point values of the outputs that were examined, and those among them that are NaN or infinite.
  std::uint64_t results = 0, not_finite = 0;
  std::string first_not_finite;     // "c[0, 3] = nan, made by core 17 (server0.chip02.core1)"
  bool refuses_not_finite = false;  // all values of the files are finite, and the case allows nothing else

  // Follows from what was compared: a result for which no element was compared can neither pass nor fail,
  // unless it must be finite and is not.
  GoldenOutcome outcome() const {
    if (mismatches > 0 || (refuses_not_finite && not_finite > 0)) return GoldenOutcome::kFailed;
    return elements == 0 ? GoldenOutcome::kNotChecked : GoldenOutcome::kPassed;
  }
  bool checked() const { return outcome() != GoldenOutcome::kNotChecked; }
  bool passed() const { return outcome() == GoldenOutcome::kPassed; }
  bool failed() const { return outcome() == GoldenOutcome::kFailed; }
  void add(const GoldenResult& other);  // merges both checks and keeps the first mismatch of either
  // Counts values of an output, in row-major order, that no comparison has examined.
  void count_not_finite(const NamedValues& output);
};

}  // namespace tahoma::runtime
