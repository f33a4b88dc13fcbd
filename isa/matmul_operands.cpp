// SPDX-License-Identifier: Apache-2.0
#include "isa/matmul_operands.h"

#include <bit>
#include <cstring>

#include "isa/row_access.h"

namespace tahoma::isa {
namespace {

constexpr std::size_t kBytes = 256;  // values of a byte

struct Fp8Values {
  std::array<std::array<float, kBytes>, kDTypeCount> of{};
  Fp8Values() {
    for (const DType dtype : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp8E3M4})
      for (std::size_t bits = 0; bits < kBytes; ++bits) {
        const auto byte = static_cast<std::byte>(bits);
        of[static_cast<std::size_t>(dtype)][bits] = load_as_fp32(&byte, dtype);
      }
  }
};

// n contiguous elements as fp32. NaNs stay NaNs, whichever: the kernel makes them one.
const float* widen(const std::byte* at, std::ptrdiff_t step, DType dtype, std::size_t n,
                   ScratchRow& scratch) {
  const bool contiguous = step == static_cast<std::ptrdiff_t>(size_of(dtype));
  if (contiguous && dtype == DType::kTf32) {
    for (std::size_t i = 0; i < n; ++i) {
      std::uint32_t bits = 0;
      std::memcpy(&bits, at + i * sizeof bits, sizeof bits);
      const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
      scratch.value[i] = std::bit_cast<float>((bits & 0xFFFFE000U) | (nan ? 0x00400000U : 0U));
    }
    return scratch.value.data();
  }
  if (contiguous && is_float(dtype) && size_of(dtype) == 1) {
    static const Fp8Values values;
    const auto& table = values.of[static_cast<std::size_t>(dtype)];
    for (std::size_t i = 0; i < n; ++i) scratch.value[i] = table[static_cast<std::size_t>(at[i])];
    return scratch.value.data();
  }
  return load_dense_row(at, step, dtype, n, scratch);
}

}  // namespace

void split(Halves& numbers) {
  const std::size_t n = numbers.high.size();
  numbers.low.resize(n);
  std::uint32_t not_finite = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const float x = numbers.high[i];
    const auto bits = std::bit_cast<std::uint32_t>(x), magnitude = bits & 0x7FFFFFFFU;
    const bool finite = magnitude < 0x7F800000U, all_low = magnitude < 0x1000U;
    const float high = std::bit_cast<float>(finite && !all_low ? bits & 0xFFFFF000U : bits);
    numbers.high[i] = high;
    numbers.low[i] = finite ? x - high : 0.0F;
    not_finite |= finite ? 0U : 1U;
  }
  numbers.has_low = true;
  numbers.all_finite = not_finite == 0;
  if (numbers.all_finite) return;
  numbers.finite.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool finite = (std::bit_cast<std::uint32_t>(numbers.high[i]) & 0x7F800000U) != 0x7F800000U;
    numbers.finite[i] = finite ? numbers.high[i] : 0.0F;
  }
}

void pack_moving(const Shape& shape, const Operand& operand, unsigned slices, bool wanted_halves,
                 Halves& packed) {
  std::size_t columns = 1;
  for (const std::size_t c : shape.count) columns *= c;
  columns /= slices;
  const std::size_t rows = std::size_t{shape.partitions} * slices;
  packed.high.resize(panel_floats(rows, columns, kMovingPanel));
  packed.has_low = false;
  packed.all_finite = true;
  ScratchRow scratch;
  for (unsigned p = 0; p < shape.partitions; ++p) {
    for_each_piece_of_partition(
        shape, operand, p, kScratch,
        [&](const std::byte* at, std::ptrdiff_t step, std::size_t index, std::size_t n) {
          const float* row = widen(at, step, operand.dtype, n, scratch);
          while (n > 0) {  // a piece may run from one slice into the next
            const std::size_t slice = index / columns, column = index % columns;
            const std::size_t part = std::min(n, columns - column);
            pack<kMovingPanel>(row, column, part, p * slices + slice, rows, packed.high.data());
            row += part;
            index += part;
            n -= part;
          }
        });
  }
  if (wanted_halves) split(packed);
}

void pack_weights(const std::byte* raw, DType dtype, std::size_t k, std::size_t columns, Halves& packed) {
  packed.high.assign(panel_floats(k, columns, kWeightPanel), 0.0F);
  packed.has_low = false;
  packed.all_finite = true;
  const std::size_t size = size_of(dtype);
  ScratchRow scratch;
  for (std::size_t row = 0; row < k; ++row) {
    for (std::size_t done = 0; done < columns;) {
      const std::size_t n = std::min(kScratch, columns - done);
      const std::byte* at = raw + (row * columns + done) * size;
      pack<kWeightPanel>(widen(at, static_cast<std::ptrdiff_t>(size), dtype, n, scratch), done, n, row, k,
                         packed.high.data());
      done += n;
    }
  }
  if (dtype == DType::kFp32) split(packed);
}

}  // namespace tahoma::isa
