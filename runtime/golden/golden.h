// SPDX-License-Identifier: Apache-2.0
// The golden check. The reference is independent of the machine: Eigen computes it from the mathematical
// definition, on the inputs of the machine (already rounded to their dtype), and it shares no code with isa's
// arithmetic. The definition of a kernel is beside the kernel (workloads/NAME/golden_NAME.h or
// NAME_definition.h); this folder has the common parts.
//
// The rule. A machine that sums in fp32 rounds once for each multiply-accumulate. The check assumes that
// roundings are independent and evenly spread over +-half a unit in the last place. Then n of them on sums no
// larger than R deviate by more than
//     slack = k * 2^-24 * sqrt(n / 3) * R
// with a probability that makes a false alarm rarer than one run in a million (golden_rule.h derives k).
// Below the smallest normal number of a dtype, a rounding to it is absolute: half the smallest number. An
// element passes if it is a value to which the result may round: round(want - slack) <= got <= round(want +
// slack), rounding to the output's dtype. So a 16-bit output has no margin beyond its own last place, and no
// absolute or relative epsilon is tuned by hand. Each definition derives its n and R in its header.
//
// A NaN must be a NaN and an infinity an infinity; if an fp32 running sum may overflow, either passes.
// max_rel_error is relative to |want| plus the scale of the element's sum, which the definition gives,
// because the relative error of a sum that cancels to nothing is meaningless. Both errors are rounded to six
// digits, so they do not depend on the host's blocking.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "runtime/golden/golden_result.h"
#include "runtime/run/core_name.h"
#include "runtime/run/inputs.h"

namespace tahoma::runtime {

// Names the core that computed element (row, column) of the output, for the mismatch text: "core 17
// (server0.chip02.core1)".
using MadeBy = std::function<std::string(std::uint64_t row, std::uint64_t column)>;

// One row of an output by its definition, in double, and the slack of the machine's result before it is
// rounded to the output's dtype. A non-empty `scale` is added to |want| as the base of an element's relative
// error: the size of the terms of a sum that may cancel.
struct WantedRow {
  std::vector<double> want, slack, scale;
};
// Compares every row of `got`, as a matrix, with its definition. `tolerance` is the relative epsilon that is
// reported; `rule` states in one line how the slack follows from dtype and reduction length. `definition` is
// called again for rows with large errors.
GoldenResult check_rows(const HostTensor& got, const std::function<WantedRow(std::uint64_t row)>& definition,
                        double tolerance, const std::string& rule, const MadeBy& made_by);

// Requires that `got` equals `want` bit by bit.
GoldenResult check_moved(const HostTensor& want, const HostTensor& got, const MadeBy& made_by);

}  // namespace tahoma::runtime
