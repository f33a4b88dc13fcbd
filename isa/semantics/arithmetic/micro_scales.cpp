// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/arithmetic/micro_scales.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "isa/semantics/arithmetic/partition_row.h"
#include "isa/table/table_fields.h"

namespace tahoma::isa {
namespace {

constexpr int kE8M0Bias = 127, kE8M0NaN = 255;

template <std::size_t width>
void scale_panels(const MicroScales& scales, std::size_t k, unsigned slices, PanelBuffer<float>& numbers) {
  const std::size_t stride = panel_stride(k, width);
  for (std::size_t row = 0; row < k; ++row) {
    const float* scale = scales.scale.data() + row / slices / kScaleGroup * scales.columns;
    for (std::size_t column = 0; column < scales.columns; ++column)
      numbers[column / width * stride + row * width + column % width] *= scale[column];
  }
}

}  // namespace

unsigned scale_partition(unsigned group) {
  return group / kScaleRows * unsigned{kQuadrant} + group % kScaleRows;
}

float scale_from_e8m0(std::uint8_t byte) {
  return byte == kE8M0NaN ? std::numeric_limits<float>::quiet_NaN() : std::ldexp(1.0F, byte - kE8M0Bias);
}

MicroScales read_scales(const Instruction& i, const CoreView& core) {
  FreeCounts count = i.shape.count;
  count[kSliceDim] = 1;
  MicroScales scales;
  const Operand tile = tile_operand(core, i.src1);
  std::vector<std::uint32_t> bytes;
  for (unsigned group = 0; group < i.shape.partitions / kScaleGroup; ++group) {
    PartitionRow(tile, count, scale_partition(group)).read(bytes);
    for (const std::uint32_t byte : bytes)
      scales.scale.push_back(scale_from_e8m0(static_cast<std::uint8_t>(byte)));
  }
  scales.columns = bytes.size();
  return scales;
}

std::vector<std::byte> unpacked_quads(const Operand& quads, const Shape& shape) {
  // The numbers of E2M1 from 1 on are those of E5M2 with another bias; only 0 and 0.5 are below.
  constexpr unsigned kBits = 4, kMagnitude = 7, kHalf = 0x38;
  std::vector<std::byte> numbers;
  std::vector<std::uint32_t> row;
  for (unsigned p = 0; p < shape.partitions; ++p) {
    PartitionRow(quads, shape.count, p).read(row);
    const std::size_t columns = row.size() / shape.count[kSliceDim];
    for (std::size_t e = 0; e < row.size(); ++e) {
      const unsigned code = row[e] >> (e / columns * kBits), magnitude = code & kMagnitude;
      numbers.push_back(std::byte(
          (code & 8U) << 4U | (magnitude == 0 ? 0 : kHalf + (magnitude << 1U) - (magnitude == 1 ? 2U : 0U))));
    }
  }
  return numbers;
}

Operand operand_of_quads(std::vector<std::byte>& unpacked, const Shape& shape) {
  Operand operand{unpacked.data(), DType::kFp8E5M2, {}};
  std::ptrdiff_t step = 1;
  for (std::size_t d = kFreeDims; d-- > 0; step *= shape.count[d]) operand.step[d + 1] = step;
  operand.step[0] = step;
  return operand;
}

void scale_weights(const MicroScales& scales, std::size_t k, unsigned slices, Halves& weights) {
  scale_panels<kWeightPanel>(scales, k, slices, weights.high);
}

void scale_moving(const MicroScales& scales, std::size_t k, unsigned slices, Halves& moving) {
  scale_panels<kMovingPanel>(scales, k, slices, moving.high);
}

namespace {

struct MxElement {
  int emax;       // exponent of the largest power of two
  float largest;  // number
};
MxElement element_of(DType element) {
  return element == DType::kFp8E4M3Fn ? MxElement{8, 448.0F} : MxElement{15, 57344.0F};
}

}  // namespace

std::uint8_t e8m0_of(float largest, DType element) {
  if (!std::isfinite(largest)) return kE8M0NaN;
  if (largest == 0.0F) return 0;
  const int exponent = std::ilogb(largest) - element_of(element).emax + 1;
  return static_cast<std::uint8_t>(std::clamp(exponent + kE8M0Bias, 0, kE8M0NaN - 1));
}

std::uint8_t quantised(float value, std::uint8_t byte, DType element) {
  const float most = element_of(element).largest, scaled = std::ldexp(value, kE8M0Bias - int{byte});
  std::byte out{};
  store_from_fp32(&out, element, std::isnan(scaled) ? scaled : std::clamp(scaled, -most, most));
  return std::to_integer<std::uint8_t>(out);
}

}  // namespace tahoma::isa
