// SPDX-License-Identifier: Apache-2.0
#include <cstring>

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

GoldenResult check_moved(const HostTensor& want, const HostTensor& got, const MadeBy& made_by) {
  GoldenTally tally;
  const std::size_t size = isa::size_of(got.dtype);
  for (std::uint64_t row = 0; row < got.rows(); ++row)
    for (std::uint64_t column = 0; column < got.columns(); ++column) {
      const std::uint64_t index = row * got.columns() + column;
      if (std::memcmp(want.values.data() + index * size, got.values.data() + index * size, size) != 0)
        tally.mismatch(index);
      tally.error(got.at(row, column), want.at(row, column), 0, row, column);
    }
  const auto examine = [&](std::uint64_t row, std::uint64_t column) {
    const double value = want.at(row, column);
    return ExaminedElement{value, 0, {value, value, false}};
  };
  return conclude(tally, got, examine, 0, "bit by bit", made_by);
}

}  // namespace tahoma::runtime
