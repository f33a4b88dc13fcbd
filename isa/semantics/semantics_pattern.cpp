// SPDX-License-Identifier: Apache-2.0
// Instructions whose values or conditions depend on an element's index: iota and affine_select.
#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>

#include "isa/semantics/arithmetic/row_access.h"
#include "isa/semantics/arithmetic/walk.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/simd/alu.h"

namespace tahoma::isa {
namespace {

// Calls f(row's first byte in dst and src, affine expression at its first element) for every innermost row.
template <class F>
void for_each_affine_row(const Instruction& i, const Operand& dst, const Operand& src, F&& f) {
  const auto& count = i.shape.count;
  for (std::int64_t p = 0; p < i.shape.partitions; ++p) {
    for (std::int64_t a = 0; a < count[0]; ++a) {
      for (std::int64_t b = 0; b < count[1]; ++b) {
        for (std::int64_t c = 0; c < count[2]; ++c) {
          const auto offset = [&](const Operand& o) {
            return p * o.step[0] + a * o.step[1] + b * o.step[2] + c * o.step[3];
          };
          const std::int64_t first = i.base + std::int64_t{i.channel_multiplier} * p + a * i.pattern[0] +
                                     b * i.pattern[1] + c * i.pattern[2];
          f(dst.at + offset(dst), src.at + offset(src), first);
        }
      }
    }
  }
}

template <class T>
void store_integer(std::byte* at, std::int64_t value) {
  const std::int64_t low{std::numeric_limits<T>::min()}, high{std::numeric_limits<T>::max()};
  const auto limited = static_cast<T>(std::clamp(value, low, high));
  std::memcpy(at, &limited, sizeof limited);
}

void store_index(std::byte* at, DType dtype, std::int64_t value, Rounding* rounding) {
  switch (dtype) {
    case DType::kInt32:
      return store_integer<std::int32_t>(at, value);
    case DType::kUint32:
      return store_integer<std::uint32_t>(at, value);
    case DType::kUint8:
      return store_integer<std::uint8_t>(at, value);
    case DType::kInt8:
      return store_integer<std::int8_t>(at, value);
    case DType::kInt16:
      return store_integer<std::int16_t>(at, value);
    case DType::kUint16:
      return store_integer<std::uint16_t>(at, value);
    case DType::kFp32:
    case DType::kBf16:
    case DType::kFp16:
    case DType::kTf32:
    case DType::kFp8E4M3:
    case DType::kFp8E5M2:
    case DType::kFp8E3M4:
    case DType::kFp8E4M3Fn:
      return store_rounded(at, dtype, static_cast<float>(value), rounding);
  }
}

// Start of a row, and how the condition's expression changes along it.
struct SelectRow {
  std::int64_t first, coefficient;
  const float* in;
  float otherwise;
};

template <CompareOp op>
void select_row(const SelectRow& row, std::size_t n, float* out) {
  std::int64_t value = row.first;
  for (std::size_t k = 0; k < n; ++k, value += row.coefficient) {
    out[k] = compare<std::int64_t>(op, value, 0) ? row.in[k] : row.otherwise;
  }
}

using Select = void (*)(const SelectRow&, std::size_t, float*);
constexpr std::array<Select, 6> kSelect{select_row<CompareOp::kEq>, select_row<CompareOp::kNe>,
                                        select_row<CompareOp::kLt>, select_row<CompareOp::kLe>,
                                        select_row<CompareOp::kGt>, select_row<CompareOp::kGe>};

}  // namespace

void do_iota(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst);
  for_each_affine_row(i, dst, dst, [&](std::byte* at, std::byte*, std::int64_t value) {
    for (std::size_t k = 0; k < i.shape.count[3]; ++k, at += dst.step[4], value += i.pattern[3]) {
      store_index(at, i.dst.dtype, value, core.rounding);
    }
  });
}

void do_affine_select(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  const Select select = kSelect[static_cast<std::size_t>(i.compare)];
  ScratchRow in, out;
  for_each_affine_row(i, dst, src, [&](std::byte* to, std::byte* from, std::int64_t value) {
    for (std::size_t done = 0; done < i.shape.count[3]; done += kScratch) {
      const std::size_t n = std::min<std::size_t>(kScratch, i.shape.count[3] - done);
      const auto index = static_cast<std::ptrdiff_t>(done);
      const float* row = load_dense_row(from + index * src.step[4], src.step[4], i.src0.dtype, n, in);
      float* result = result_row(to + index * dst.step[4], dst.step[4], i.dst.dtype, out);
      select({value + index * i.pattern[3], i.pattern[3], row, i.value}, n, result);
      store_row(to + index * dst.step[4], dst.step[4], i.dst.dtype, n, result, core.rounding);
    }
  });
}

}  // namespace tahoma::isa
