// SPDX-License-Identifier: Apache-2.0
// Walks the iteration space of an instruction or a transfer over several operands at once, as rows of
// elements a fixed number of bytes apart. Results never depend on how the space is split into rows, so walks
// merge dimensions that are contiguous for every operand and, where order does not matter, swap dimensions to
// get long rows.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "isa/semantics/arithmetic/core_view.h"

namespace tahoma::isa {

inline constexpr std::size_t kWalkDims = 5;  // partition, then the free dimensions, outermost first

// Address of element (0,...,0), and the byte stride of each index. Sources are never written through it.
struct Operand {
  std::byte* at = nullptr;
  DType dtype = DType::kFp32;
  std::array<std::ptrdiff_t, kWalkDims> step{};

  std::ptrdiff_t row_step() const { return step[kWalkDims - 1]; }
};

Operand tile_operand(const CoreView& core, const Tile& tile);
// Returns one number for all partitions (an immediate: the scalar must outlive the walk) or one per
// partition.
Operand scalar_operand(const CoreView& core, const Scalar& scalar);
// Returns a few adjacent elements per partition; the column must be present.
Operand column_operand(const CoreView& core, const Column& column);

template <std::size_t operands>
struct Walk {
  std::array<std::size_t, kWalkDims> count{};
  std::array<Operand, operands> operand{};

  std::size_t row_length() const { return count[kWalkDims - 1]; }
  std::ptrdiff_t row_step(std::size_t which) const { return operand[which].row_step(); }

  // Covers the same elements in the same order with the fewest and longest rows.
  void merge();
  // Makes the longest dimension the row if rows are short. Elements stay paired, but their order changes.
  void prefer_long_rows();
  // Calls f(std::array<std::byte*, operands>) with the first element of each row.
  template <class F>
  void for_each_row(F&& f) const;
  // Like for_each_row, in pieces of at most `limit` elements: f(first elements, length).
  template <class F>
  void for_each_piece(std::size_t limit, F&& f) const;
};

template <std::size_t operands>
Walk<operands> make_walk(const Shape& shape, const std::array<Operand, operands>& list) {
  return {{shape.partitions, shape.count[0], shape.count[1], shape.count[2], shape.count[3]}, list};
}

template <std::size_t operands>
void Walk<operands>::merge() {
  const Walk old = *this;
  *this = Walk{};
  count.fill(1);
  for (std::size_t k = 0; k < operands; ++k) {
    operand[k].at = old.operand[k].at;
    operand[k].dtype = old.operand[k].dtype;
  }
  std::size_t to = kWalkDims;  // dimensions [to, kWalkDims) are filled
  for (std::size_t from = kWalkDims; from-- > 0;) {
    if (old.count[from] == 1) continue;
    bool joins = to < kWalkDims;
    for (std::size_t k = 0; joins && k < operands; ++k) {
      const auto whole = operand[k].step[to] * static_cast<std::ptrdiff_t>(count[to]);
      joins = old.operand[k].step[from] == whole;
    }
    if (joins) {
      count[to] *= old.count[from];
      continue;
    }
    count[--to] = old.count[from];
    for (std::size_t k = 0; k < operands; ++k) operand[k].step[to] = old.operand[k].step[from];
  }
}

template <std::size_t operands>
void Walk<operands>::prefer_long_rows() {
  constexpr std::size_t kLong = 16, kRow = kWalkDims - 1;
  if (count[kRow] >= kLong) return;
  std::size_t longest = kRow;
  for (std::size_t d = 0; d < kRow; ++d) {
    if (count[d] > count[longest]) longest = d;
  }
  std::swap(count[longest], count[kRow]);
  for (Operand& o : operand) std::swap(o.step[longest], o.step[kRow]);
}

template <std::size_t operands>
template <class F>
void Walk<operands>::for_each_row(F&& f) const {
  std::array<std::size_t, kWalkDims - 1> index{};
  for (const std::size_t c : count) {
    if (c == 0) return;
  }
  std::array<std::byte*, operands> at;
  for (std::size_t k = 0; k < operands; ++k) at[k] = operand[k].at;
  while (true) {
    f(at);
    std::size_t d = kWalkDims - 1;
    while (d-- > 0) {
      for (std::size_t k = 0; k < operands; ++k) at[k] += operand[k].step[d];
      if (++index[d] < count[d]) break;
      for (std::size_t k = 0; k < operands; ++k) {
        at[k] -= operand[k].step[d] * static_cast<std::ptrdiff_t>(count[d]);
      }
      index[d] = 0;
      if (d == 0) return;
    }
  }
}

template <std::size_t operands>
template <class F>
void Walk<operands>::for_each_piece(std::size_t limit, F&& f) const {
  for_each_row([&](const std::array<std::byte*, operands>& row) {
    std::array<std::byte*, operands> at = row;
    for (std::size_t done = 0; done < row_length();) {
      const std::size_t length = row_length() - done < limit ? row_length() - done : limit;
      f(at, length);
      done += length;
      for (std::size_t k = 0; k < operands; ++k) at[k] += row_step(k) * static_cast<std::ptrdiff_t>(length);
    }
  });
}

}  // namespace tahoma::isa
