// SPDX-License-Identifier: Apache-2.0
// The golden definition of a reduction of several ranks' vectors, and its tolerance (runtime/golden/golden.h
// has the rule).
//
// The reference is Eigen's sum, minimum or maximum in double. Minimum and maximum are exact. So is a sum of
// integers whose magnitudes add up to no more than the dtype holds exactly: no order rounds it, and every bit
// must be right. Any other sum is rounded to the dtype h times in transit and to fp32 once for each of its n
// contributions. Partial sums in an order that is independent of the values remain within R = |want| + 6 |x|
// of 0, where |x| is the root of the summed squares, so
//     slack = 6 (u sqrt(h / 3) + 2^-24 sqrt(n / 3)) R
// with the dtype's unit u. The scale of an element's relative error is |x|.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

// Every row of `got` [copies, n] is the element-wise reduction of the inputs, [1, n] each, which the machine
// rounded to the dtype at most `roundings` times.
enum class CollectiveReduction : std::uint8_t { kSum, kMin, kMax };
runtime::GoldenResult check_collective_reduction(const std::vector<runtime::HostTensor>& inputs,
                                                 CollectiveReduction reduction,
                                                 const runtime::HostTensor& got, std::uint32_t roundings,
                                                 const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
