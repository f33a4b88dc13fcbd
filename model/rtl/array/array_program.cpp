// SPDX-License-Identifier: Apache-2.0
#include "model/rtl/array/array_program.h"

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/core/program_error.h"
#include "isa/semantics/arithmetic/matmul_operands.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/table/table_fields.h"

namespace tahoma::rtl {
namespace {

using isa::DType, isa::MatmulMode;

std::uint32_t read(const std::byte* at, std::size_t size) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, at, size);  // little-endian
  return bits;
}

float as_fp32(std::uint32_t bits, DType dtype) {
  return isa::load_as_fp32(reinterpret_cast<const std::byte*>(&bits), dtype);
}

// Reads the elements of a tile in their layout, [partition][free element].
Elements read_tile(const isa::Shape& shape, const isa::Operand& tile) {
  const std::size_t columns = isa::free_elements(shape), size = isa::size_of(tile.dtype);
  Elements elements{shape.partitions, columns, std::vector<std::uint32_t>(shape.partitions * columns)};
  for (unsigned p = 0; p < shape.partitions; ++p)
    isa::for_each_piece_of_partition(
        shape, tile, p, std::numeric_limits<std::size_t>::max(),
        [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          for (std::size_t e = 0; e < n; ++e)
            elements.at(p, index + e) = read(at + step * static_cast<std::ptrdiff_t>(e), size);
        });
  return elements;
}

Elements read_moving(const isa::Instruction& i, const isa::CoreView& core) {
  return read_tile(i.shape, isa::tile_operand(core, i.src0));
}

Elements read_weights(const isa::LoadedWeights& w) {
  const std::size_t size = isa::size_of(w.standing.dtype), columns = w.standing.block.columns;
  Elements elements{w.k, columns, std::vector<std::uint32_t>(w.k * columns)};
  for (std::size_t e = 0; e < elements.bits.size(); ++e)
    elements.bits[e] = read(w.raw.data() + e * size, size);
  return elements;
}

// In double-row mode, one row of the array holds two elements, slice 0 in the low byte.
constexpr unsigned kByteBits = 8;
Elements pair_slices_of_weights(const Elements& k) {
  Elements pairs{k.rows / 2, k.columns, std::vector<std::uint32_t>(k.rows / 2 * k.columns)};
  for (std::size_t r = 0; r < pairs.rows; ++r)
    for (std::size_t c = 0; c < pairs.columns; ++c)
      pairs.at(r, c) = k.at(2 * r, c) | k.at(2 * r + 1, c) << kByteBits;
  return pairs;
}
Elements pair_slices_of_moving(const Elements& x) {  // a partition stores its slices one after another
  const std::size_t columns = x.columns / 2;
  Elements pairs{x.rows, columns, std::vector<std::uint32_t>(x.rows * columns)};
  for (std::size_t r = 0; r < x.rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) pairs.at(r, c) = x.at(r, c) | x.at(r, columns + c) << kByteBits;
  return pairs;
}

template <class F>
Elements map(const Elements& from, F&& f) {
  Elements to = from;
  for (std::uint32_t& bits : to.bits) bits = f(bits);
  return to;
}

// fp32 in halves (isa/semantics/semantics.h). `mixed` is the operand for products with a low half.
struct HalvesOfFp32 {
  Elements high, low, mixed;
  bool has_low;
};

constexpr std::uint32_t kInfinity = 0x7F800000U, kLowBits = 0xFFFU, kAboveTiny = 0x7FFFF000U;

bool is_finite(std::uint32_t bits) { return (bits & kInfinity) != kInfinity; }
std::uint32_t high_half(std::uint32_t bits) {
  return !is_finite(bits) || (bits & kAboveTiny) == 0 ? bits : bits & ~kLowBits;
}
std::uint32_t low_half(std::uint32_t bits) {
  if (!is_finite(bits)) return 0;
  return std::bit_cast<std::uint32_t>(std::bit_cast<float>(bits) - std::bit_cast<float>(high_half(bits)));
}

HalvesOfFp32 halves(const Elements& bits, DType dtype, bool wants_low) {
  const Elements whole =
      map(bits, [dtype](std::uint32_t b) { return std::bit_cast<std::uint32_t>(as_fp32(b, dtype)); });
  HalvesOfFp32 h;
  h.has_low = dtype == DType::kFp32 && wants_low;
  h.high = dtype == DType::kFp32 ? map(whole, high_half) : whole;
  h.low = map(whole, low_half);
  h.mixed = map(h.high, [](std::uint32_t b) { return is_finite(b) ? b : 0; });
  return h;
}

std::vector<ArrayPass> passes_in_halves(const isa::Instruction& i, const Elements& weights,
                                        DType weight_dtype, const Elements& moving) {
  const HalvesOfFp32 w = halves(weights, weight_dtype, i.mode != MatmulMode::kOneZeroStationary);
  const HalvesOfFp32 x = halves(moving, i.src0.dtype, i.mode != MatmulMode::kOneZeroMoving);
  std::vector<ArrayPass> passes;
  const auto add = [&](const Elements& a, const Elements& b) {
    passes.push_back({a, b, Format::kFp32Half, Format::kFp32Half});
  };
  if (w.has_low && x.has_low) add(w.low, x.low);
  if (x.has_low) add(w.mixed, x.low);
  if (w.has_low) add(w.low, x.mixed);
  add(w.high, x.high);
  return passes;
}

constexpr unsigned kHalfWord = 16;
constexpr std::uint32_t kHalfWordMask = 0xFFFF;

std::uint32_t fp32_sum(std::uint32_t a, std::uint32_t b) {
  const float sum = std::bit_cast<float>(a) + std::bit_cast<float>(b);
  return std::isnan(sum) ? 0x7FC00000U : std::bit_cast<std::uint32_t>(sum);
}

}  // namespace

std::vector<ArrayPass> passes_of_matmul(const isa::Instruction& i, const isa::CoreView& core) {
  const isa::LoadedWeights& w = isa::weights_for(i, core, "matmul");
  if (isa::row_of(i.mode).kept != 0)
    throw isa::ProgramError(
        "E-RTL-003", "matmul",
        "has sparse weights; expected dense ones or double_row: the cells of pe_array.sv "
        "cannot choose between moving elements (machine.chip.core.tensor.model=behavioural)");
  const Elements weights = read_weights(w), moving = read_moving(i, core);
  if (isa::size_of(i.src0.dtype) == 4) return passes_in_halves(i, weights, w.standing.dtype, moving);
  const Format weight_format = format_of(w.standing.dtype), moving_format = format_of(i.src0.dtype);
  if (i.mode == MatmulMode::kDoubleRow)
    return {
        {pair_slices_of_weights(weights), pair_slices_of_moving(moving), weight_format, moving_format, true}};
  return {{weights, moving, weight_format, moving_format}};
}

std::vector<ArrayPass> passes_of_transpose(const isa::Instruction& i, const isa::CoreView& core) {
  const isa::LoadedWeights& w = isa::weights_for(i, core, "transpose");
  const Elements weights = read_weights(w);
  // Only whether a moving element is zero matters.
  const DType dtype = i.src0.dtype;
  const Elements moving = map(read_moving(i, core), [dtype](std::uint32_t b) {
    return as_fp32(b, dtype) != 0.0F ? std::uint32_t{isa::bf16_from_fp32(1.0F)} : 0;
  });
  std::vector<ArrayPass> passes;
  for (unsigned part = 0; part < (isa::size_of(w.standing.dtype) == 4 ? 2U : 1U); ++part) {
    const Elements bits =
        map(weights, [part](std::uint32_t b) { return b >> (kHalfWord * part) & kHalfWordMask; });
    passes.push_back({bits, moving, Format::kBits, Format::kBf16, false, true});
  }
  return passes;
}

Elements destination(const isa::Instruction& i, const isa::CoreView& core) {
  isa::Shape shape = i.shape;
  shape.partitions = static_cast<std::uint16_t>(i.columns);
  if (isa::row_of(i.mode).slices > 1) shape.count[isa::kSliceDim] = 1;
  return read_tile(shape, isa::tile_operand(core, i.dst));
}

Elements accumulated(const isa::Instruction& i, const Elements& before, const std::vector<Elements>& sums) {
  Elements total = i.accumulate ? before : sums.front();
  for (std::size_t pass = i.accumulate ? 0 : 1; pass < sums.size(); ++pass)
    for (std::size_t e = 0; e < total.bits.size(); ++e)
      total.bits[e] = fp32_sum(total.bits[e], sums[pass].bits[e]);
  return total;
}

Elements turned(const isa::Instruction& i, const isa::CoreView& core, const std::vector<Elements>& sums) {
  const DType weights = isa::weights_for(i, core, "transpose").standing.dtype;
  Elements bits = sums.front();
  for (std::size_t e = 0; e < bits.bits.size() && sums.size() > 1; ++e)
    bits.bits[e] |= sums[1].bits[e] << kHalfWord;
  if (isa::turn_of(weights, i.dst.dtype) != isa::Turn::kWiden) return bits;
  return map(bits, [weights](std::uint32_t b) { return std::bit_cast<std::uint32_t>(as_fp32(b, weights)); });
}

}  // namespace tahoma::rtl
