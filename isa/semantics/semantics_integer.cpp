// SPDX-License-Identifier: Apache-2.0
#include "isa/semantics/semantics_integer.h"

#include "isa/semantics/arithmetic/integer_alu.h"
#include "isa/semantics/semantics_rows.h"

namespace tahoma::isa {
namespace {

using Words = std::array<std::uint32_t, kScratch>;

bool is_word(DType dtype) { return dtype == DType::kInt32 || dtype == DType::kUint32; }

std::int64_t load_integer(const std::byte* at, DType dtype) {
  const std::uint32_t bits = load_bits(at, 4);
  return dtype == DType::kInt32 ? std::int64_t{static_cast<std::int32_t>(bits)} : std::int64_t{bits};
}

// Loads n elements of the operand's row, from `from` on.
void load_words(const Operand& operand, const std::byte* from, std::size_t n, Words& words) {
  const std::size_t size = size_of(operand.dtype);
  for (std::size_t i = 0; i < n; ++i, from += operand.row_step()) words[i] = load_bits(from, size);
}

void store_words(const Operand& operand, std::byte* to, std::size_t n, const Words& words) {
  const std::size_t size = size_of(operand.dtype);
  for (std::size_t i = 0; i < n; ++i, to += operand.row_step()) store_bits(to, size, words[i]);
}

void combine_words(AluOp op, bool reverse, unsigned width, Words& a, const Words& b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = reverse && !is_unary(op) ? bit_alu(op, b[i], a[i], width) : bit_alu(op, a[i], b[i], width);
  }
}

unsigned width_of(const Tile& tile) { return static_cast<unsigned>(8 * size_of(tile.dtype)); }

// A constant is converted to an integer; a column supplies its 32 bits.
struct Constant {
  std::uint32_t bits;
  Operand operand;
  Constant(const CoreView& core, const Scalar& scalar)
      : bits(integer_bits(scalar.imm)), operand(scalar_operand(core, scalar)) {
    operand.dtype = DType::kUint32;
    if (!scalar.is_tile) operand.at = reinterpret_cast<std::byte*>(&bits);
  }
  Constant(const Constant&) = delete;
  Constant& operator=(const Constant&) = delete;
};

}  // namespace

bool is_exact(const Instruction& i, const CoreView& core) {
  return core.exact_integers && is_word(i.dst.dtype) && is_word(i.src0.dtype) && is_word(i.src1.dtype);
}

void exact_tensor_tensor(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<3>(
      i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0), tile_operand(core, i.src1)});
  walk.for_each_row([&](std::array<std::byte*, 3> at) {
    for (std::size_t n = 0; n < walk.row_length(); ++n) {
      store_bits(at[0], 4,
                 exact_alu(i.op0, load_integer(at[1], i.src0.dtype), load_integer(at[2], i.src1.dtype)));
      for (std::size_t k = 0; k < at.size(); ++k) at[k] += walk.row_step(k);
    }
  });
}

void bit_tensor_tensor(const Instruction& i, const CoreView& core) {
  const auto walk = elementwise_walk<3>(
      i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0), tile_operand(core, i.src1)});
  Words a, b;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 3>& at, std::size_t n) {
    load_words(walk.operand[1], at[1], n, a);
    load_words(walk.operand[2], at[2], n, b);
    combine_words(i.op0, false, width_of(i.dst), a, b, n);
    store_words(walk.operand[0], at[0], n, a);
  });
}

void bit_tensor_scalar(const Instruction& i, const CoreView& core) {
  const Constant s0(core, i.scalar0), s1(core, i.scalar1);
  const auto walk = elementwise_walk<4>(
      i, core, {tile_operand(core, i.dst), tile_operand(core, i.src0), s0.operand, s1.operand});
  Words x, s;
  walk.for_each_piece(kScratch, [&](const std::array<std::byte*, 4>& at, std::size_t n) {
    load_words(walk.operand[1], at[1], n, x);
    load_words(walk.operand[2], at[2], n, s);
    combine_words(i.op0, i.reverse0, width_of(i.dst), x, s, n);
    load_words(walk.operand[3], at[3], n, s);
    combine_words(i.op1, i.reverse1, width_of(i.dst), x, s, n);
    store_words(walk.operand[0], at[0], n, x);
  });
}

std::uint32_t fold_bits(AluOp op, const Walk<1>& reduced, std::ptrdiff_t from) {
  const std::size_t size = size_of(reduced.operand[0].dtype);
  bool started = false;
  std::uint32_t fold = 0;
  reduced.for_each_row([&](const std::array<std::byte*, 1>& row) {
    const std::byte* at = row[0] + from;
    for (std::size_t n = 0; n < reduced.row_length(); ++n, at += reduced.row_step(0)) {
      const std::uint32_t bits = load_bits(at, size);
      fold = started ? bit_alu(op, fold, bits, static_cast<unsigned>(8 * size)) : bits;
      started = true;
    }
  });
  return fold;
}

}  // namespace tahoma::isa
