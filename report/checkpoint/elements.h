// SPDX-License-Identifier: Apache-2.0
// Element-wise comparison of two arrays.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/dtype.h"
#include "runtime/host/npy.h"

namespace tahoma::runtime {

// Returns the exact values of an array of one of the element types that represent `dtype`
// (runtime/host/npy_dtype.h).
std::vector<double> elements_of(const NpyArray& array, isa::DType dtype);

struct DifferenceLimits {  // |got - want| <= absolute + relative |want|
  double relative = 0, absolute = 0;
};
// The default limits of a dtype, for those not given (report/checkpoint/tensor_comparison.h).
DifferenceLimits limits_of(const std::vector<double>& want, isa::DType dtype, std::optional<double> relative,
                           std::optional<double> absolute);

// The first element beyond the limits, the number of such elements and their largest
// error; "" if there are none.
std::string difference_text(const std::vector<double>& got, const std::vector<double>& want,
                            const std::vector<std::uint64_t>& shape, const DifferenceLimits& limits);

}  // namespace tahoma::runtime
