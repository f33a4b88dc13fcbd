// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/layer/rotary_table.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace tahoma::workloads {

namespace {

// The number of the pair that turns so often in the original context: theta^(-n / pairs) context = 2 pi
// turns.
double pair_of_turns(const ModelShape& model, double turns) {
  const double context = static_cast<double>(model.rope.original_context),
               pairs = static_cast<double>(model.rotary_dim()) / 2;
  return pairs * std::log(context / (turns * 2 * std::numbers::pi)) / std::log(model.theta);
}

// Returns the unscaled share of the pair `i`. The ends of the ramp are whole numbers of pairs; the second one
// is at most the number of features less one.
double yarn_share(const ModelShape& model, std::uint64_t i) {
  const double first = pair_of_turns(model, model.rope.beta_fast),
               end = pair_of_turns(model, model.rope.beta_slow),
               last = static_cast<double>(model.rotary_dim()) - 1,
               low = std::max(model.rope.truncated ? std::floor(first) : first, 0.0),
               high = std::min(model.rope.truncated ? std::ceil(end) : end, last);
  constexpr double kLeast = 0.001;  // between the ends, as in the published code
  return 1 - std::clamp((static_cast<double>(i) - low) / std::max(high - low, kLeast), 0.0, 1.0);
}

// The share of the unscaled frequency.
double unscaled_share(const RotaryAngles& rope, double frequency) {
  if (rope.scaling == RopeScaling::kNone) return 1;
  if (rope.scaling == RopeScaling::kLinear) return 0;
  const double wavelength = 2 * std::numbers::pi / frequency,
               turns = static_cast<double>(rope.original_context) / wavelength;
  // Without a range between the factors there is nothing to interpolate.
  if (rope.high_frequency_factor <= rope.low_frequency_factor)
    return turns >= rope.low_frequency_factor ? 1 : 0;
  return std::clamp(
      (turns - rope.low_frequency_factor) / (rope.high_frequency_factor - rope.low_frequency_factor), 0.0,
      1.0);
}

}  // namespace

double rotary_frequency(const ModelShape& model, std::uint64_t i, bool local) {
  const std::uint64_t pairs = model.rotary_dim() / 2;
  const double half = static_cast<double>(pairs);
  if (local) return std::pow(model.rope.local_theta, -static_cast<double>(i) / half);
  const double frequency = std::pow(model.theta, -static_cast<double>(i) / half);
  if (!model.rope.divisors.empty()) return frequency / rope_divisors(model.rope.divisors)[i];
  const double share =
      model.rope.scaling == RopeScaling::kYarn ? yarn_share(model, i) : unscaled_share(model.rope, frequency);
  return share == 1 ? frequency : (1 - share) * frequency / model.rope.factor + share * frequency;
}

runtime::HostTensor rope_table(const ModelShape& model, std::uint64_t first, std::uint64_t step,
                               std::uint64_t rows, bool local) {
  runtime::HostTensor table = runtime::make_tensor("rope_table", kModelDType, {rows, model.rotary_dim()});
  const std::uint64_t half = model.rotary_dim() / 2;
  const std::size_t size = isa::size_of(table.dtype);
  const double magnitude = local ? 1 : model.rope.magnitude;
  for (std::uint64_t i = 0; i < half; ++i) {
    const double frequency = rotary_frequency(model, i, local);
    for (std::uint64_t r = 0; r < rows; ++r) {
      const double angle = static_cast<double>(first + r * step) * frequency;
      std::byte* row = table.values.data() + r * model.rotary_dim() * size;
      isa::store_from_fp32(row + i * size, table.dtype, static_cast<float>(magnitude * std::cos(angle)));
      isa::store_from_fp32(row + (half + i) * size, table.dtype,
                           static_cast<float>(magnitude * std::sin(angle)));
    }
  }
  return table;
}

}  // namespace tahoma::workloads
