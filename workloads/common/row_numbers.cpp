// SPDX-License-Identifier: Apache-2.0
#include "workloads/common/row_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "model/base/error.h"

namespace tahoma::workloads {

using runtime::HostTensor;

std::int32_t row_number(const HostTensor& tensor, std::uint64_t index) {
  std::int32_t value = 0;
  std::memcpy(&value, tensor.values.data() + index * sizeof value, sizeof value);
  return value;
}

std::function<void(const HostTensor&)> refuse_rows_beyond(std::uint64_t rows) {
  return [rows](const HostTensor& tensor) {
    for (std::uint64_t i = 0; i < tensor.elements(); ++i) {
      const std::int64_t value = row_number(tensor, i);
      if (value < 0 || static_cast<std::uint64_t>(value) >= rows)
        throw base::UserError("E-RUN-099", "workload.inputs." + tensor.name,
                              fmt::format("number {} is {}; expected 0 .. {}", i, value, rows - 1));
    }
  };
}

std::function<void(HostTensor&, std::uint64_t)> any_rows_below(std::uint64_t rows) {
  return [rows](HostTensor& tensor, std::uint64_t seed) {
    const runtime::GeneratedValues drawn(seed, tensor.name);
    for (std::uint64_t i = 0; i < tensor.elements(); ++i) {
      const double place = (1.0 + drawn[i]) / 2;  // [0, 1]
      const auto value = static_cast<std::int32_t>(
          std::min(static_cast<double>(rows - 1), place * static_cast<double>(rows)));
      std::memcpy(tensor.values.data() + i * sizeof value, &value, sizeof value);
    }
  };
}

}  // namespace tahoma::workloads
