// SPDX-License-Identifier: Apache-2.0
// The numbers of two arrays beside each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/core/dtype.h"
#include "runtime/host/npy.h"

namespace tahoma::runtime {

// Exactly, of an array of one of the element types that `dtype` may come in (runtime/host/npy_dtype.h).
std::vector<double> elements_of(const NpyArray& array, isa::DType dtype);

struct DifferenceLimits {  // |got - want| <= absolute + relative |want|
  double relative = 0, absolute = 0;
};
// Those of a dtype where nothing else is said (runtime/checkpoint/tensor_comparison.h).
DifferenceLimits limits_of(const std::vector<double>& want, isa::DType dtype, std::optional<double> relative,
                           std::optional<double> absolute);

// The first element beyond the limits, how many there are and the largest of their errors; "" if none.
std::string difference_text(const std::vector<double>& got, const std::vector<double>& want,
                            const std::vector<std::uint64_t>& shape, const DifferenceLimits& limits);

}  // namespace tahoma::runtime
