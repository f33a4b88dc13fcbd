// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/rotary_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tahoma::workloads {

namespace {

// The share of the unscaled frequency.
double unscaled_share(const RotaryAngles& rope, double frequency) {
  if (rope.scaling == RopeScaling::kNone) return 1;
  if (rope.scaling == RopeScaling::kLinear) return 0;
  const double wavelength = 2 * std::numbers::pi / frequency,
               turns = static_cast<double>(rope.original_context) / wavelength;
  return std::clamp(
      (turns - rope.low_frequency_factor) / (rope.high_frequency_factor - rope.low_frequency_factor), 0.0,
      1.0);
}

}  // namespace

double rotary_frequency(const ModelShape& model, std::uint64_t i, bool local) {
  const std::uint64_t pairs = model.head_dim / 2;
  const double half = static_cast<double>(pairs);
  if (local) return std::pow(model.rope.local_theta, -static_cast<double>(i) / half);
  const double frequency = std::pow(model.theta, -static_cast<double>(i) / half),
               share = unscaled_share(model.rope, frequency);
  return share == 1 ? frequency : (1 - share) * frequency / model.rope.factor + share * frequency;
}

runtime::HostTensor rope_table(const ModelShape& model, std::uint64_t first, std::uint64_t step,
                               std::uint64_t rows, bool local) {
  runtime::HostTensor table = runtime::make_tensor("rope_table", kModelDType, {rows, model.head_dim});
  const std::uint64_t half = model.head_dim / 2;
  const std::size_t size = isa::size_of(table.dtype);
  for (std::uint64_t i = 0; i < half; ++i) {
    const double frequency = rotary_frequency(model, i, local);
    for (std::uint64_t r = 0; r < rows; ++r) {
      const double angle = static_cast<double>(first + r * step) * frequency;
      std::byte* row = table.values.data() + r * model.head_dim * size;
      isa::store_from_fp32(row + i * size, table.dtype, static_cast<float>(std::cos(angle)));
      isa::store_from_fp32(row + (half + i) * size, table.dtype, static_cast<float>(std::sin(angle)));
    }
  }
  return table;
}

}  // namespace tahoma::workloads
