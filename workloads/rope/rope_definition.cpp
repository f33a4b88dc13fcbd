// SPDX-License-Identifier: Apache-2.0
#include "workloads/rope/rope_definition.h"

#include <fmt/format.h>

#include <cmath>

#include "runtime/golden/golden_rule.h"
#include "workloads/common/row_numbers.h"

namespace tahoma::workloads {

using runtime::WantedRow;

namespace {

// Returns one head of one token.
WantedRow rotated(const RopeTensors& t, std::uint64_t row) {
  const std::uint64_t token = row / t.x.shape[1], d = t.x.columns(), half = d / 2;
  const std::uint64_t angle =
      t.positions == nullptr ? token : static_cast<std::uint64_t>(row_number(*t.positions, token));
  const double unit = runtime::unit_roundoff(t.x.dtype);
  WantedRow wanted{std::vector<double>(d), std::vector<double>(d), std::vector<double>(d)};
  for (std::uint64_t i = 0; i < half; ++i) {
    const std::uint64_t first = t.interleaved ? 2 * i : i, second = t.interleaved ? first + 1 : i + half;
    const double x1 = t.x.at(row, first), x2 = t.x.at(row, second), c = t.table.at(angle, i),
                 s = t.table.at(angle, half + i);
    const auto set = [&](std::uint64_t column, double a, double b) {
      const double size = std::fabs(a) + std::fabs(b);
      wanted.want[column] = a + b;
      wanted.scale[column] = size;
      wanted.slack[column] = (unit + 0x1p-24 * (1 + unit)) * size;
    };
    set(first, x1 * c, -(x2 * s));
    set(second, x2 * c, x1 * s);
  }
  return wanted;
}

}  // namespace

runtime::GoldenResult check_rope(const RopeTensors& tensors, const runtime::MadeBy& made_by) {
  const double unit = runtime::unit_roundoff(tensors.x.dtype);
  return runtime::check_rows(
      tensors.y, [&](std::uint64_t row) { return rotated(tensors, row); }, 2 * unit + 0x1p-24,
      fmt::format("{} rounding of want +- (2^{:.0f} + 2^-24) * (|x cos| + |x sin|)",
                  isa::name_of(tensors.y.dtype), std::log2(unit)),
      made_by);
}

}  // namespace tahoma::workloads
