// SPDX-License-Identifier: Apache-2.0
#include "runtime/golden/golden.h"
#include "runtime/golden/golden_tally.h"

namespace tahoma::runtime {

namespace {

ExaminedElement element_of(const WantedRow& row, std::uint64_t column, isa::DType dtype) {
  return {row.want[column], row.scale.empty() ? 0 : row.scale[column],
          bounds_of(row.want[column], row.slack[column], dtype)};
}

}  // namespace

GoldenResult check_rows(const HostTensor& got, const std::function<WantedRow(std::uint64_t row)>& definition,
                        double tolerance, const std::string& rule, const MadeBy& made_by) {
  GoldenTally tally;
  for (std::uint64_t row = 0; row < got.rows(); ++row) {
    const WantedRow wanted = definition(row);
    for (std::uint64_t column = 0; column < got.columns(); ++column) {
      const ExaminedElement element = element_of(wanted, column, got.dtype);
      const double value = got.at(row, column);
      if (!element.bounds.accept(value)) tally.mismatch(row * got.columns() + column);
      tally.error(value, element.want, element.scale, row, column);
    }
  }
  const auto examine = [&](std::uint64_t row, std::uint64_t column) {
    return element_of(definition(row), column, got.dtype);
  };
  return conclude(tally, got, examine, tolerance, rule, made_by);
}

}  // namespace tahoma::runtime
