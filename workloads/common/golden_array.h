// SPDX-License-Identifier: Apache-2.0
// A row of a tensor as an Eigen array of double, for golden definitions that work row by row.
#pragma once

#include <Eigen/Core>
#include <cstdint>

#include "runtime/run/inputs.h"

namespace tahoma::workloads {

inline Eigen::ArrayXd array_of_row(const runtime::HostTensor& tensor, std::uint64_t row) {
  Eigen::ArrayXf narrow(static_cast<Eigen::Index>(tensor.columns()));
  runtime::widen_window(tensor, {row, 0, 1, tensor.columns()}, narrow.data());
  return narrow.cast<double>();
}

}  // namespace tahoma::workloads
