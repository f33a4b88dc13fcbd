// SPDX-License-Identifier: Apache-2.0
// Searches along a partition: max8, find_index8, match_replace8. They compare elements as fp32, so integers
// beyond 2^24 are compared after rounding.
#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/semantics/arithmetic/integer_alu.h"
#include "isa/semantics/arithmetic/partition_row.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/simd/alu.h"

namespace tahoma::isa {
namespace {

constexpr std::size_t kFound = 8;  // results of one search
constexpr std::size_t kNowhere = ~std::size_t{0};

// Maps values to integers in the order of max (isa/simd/row_loop.h): -inf < ... < -0 < +0 < ... < inf <
// NaN, all NaNs equal.
std::int32_t rank_of_number(float value) {
  const auto bits = std::bit_cast<std::int32_t>(one_nan(value));
  return bits < 0 ? static_cast<std::int32_t>(static_cast<std::uint32_t>(bits) ^ 0x7FFFFFFFU) : bits;
}
float of_rank(std::int32_t rank) {
  const auto bits = static_cast<std::uint32_t>(rank);
  return std::bit_cast<float>(rank < 0 ? bits ^ 0x7FFFFFFFU : bits);
}

// Returns the 8 largest values in descending order. Elements of equal rank have equal values, so the choice
// among them does not matter.
std::array<float, kFound> best_values(const std::vector<float>& values) {
  std::array<std::int32_t, kFound> best;
  best.fill(rank_of_number(-INFINITY));
  for (const float value : values) {
    const std::int32_t rank = rank_of_number(value);
    if (rank <= best.back()) continue;
    std::size_t place = kFound - 1;
    for (; place > 0 && best[place - 1] < rank; --place) best[place] = best[place - 1];
    best[place] = rank;
  }
  std::array<float, kFound> result;
  std::transform(best.begin(), best.end(), result.begin(), of_rank);
  return result;
}

using Order = std::array<std::size_t, kFound>;
constexpr Order kAscending{0, 1, 2, 3, 4, 5, 6, 7}, kDescending{7, 6, 5, 4, 3, 2, 1, 0};

// Finds the position of each wanted number. They are assigned in order, each to the first equal element that
// is not yet assigned. -0 equals +0; a NaN equals nothing.
std::array<std::size_t, kFound> places(const std::vector<float>& values, const std::vector<float>& wanted,
                                       const Order& order) {
  std::array<std::size_t, kFound> place{};
  for (std::size_t k = 0; k < kFound; ++k) {
    std::size_t from = 0;
    for (std::size_t before = 0; before < k; ++before) {
      if (wanted[order[before]] != wanted[order[k]]) continue;
      const std::size_t taken = place[order[before]];
      from = taken == kNowhere ? values.size() : taken + 1;
    }
    const auto first = values.begin() + static_cast<std::ptrdiff_t>(from);
    const auto found = std::find(first, values.end(), wanted[order[k]]);
    place[order[k]] = found == values.end() ? kNowhere : static_cast<std::size_t>(found - values.begin());
  }
  return place;
}

// Converts indices to the destination's integers; all ones means not found.
std::array<std::uint32_t, kFound> as_words(const std::array<std::size_t, kFound>& place) {
  std::array<std::uint32_t, kFound> words;
  std::transform(place.begin(), place.end(), words.begin(),
                 [](std::size_t p) { return static_cast<std::uint32_t>(p); });
  return words;
}

// Returns the constant of match_replace8 as stored in dst's dtype.
std::uint32_t stored(const Instruction& i, const CoreView& core) {
  std::array<std::byte, 4> bytes{};
  store_rounded(bytes.data(), i.dst.dtype, i.value, core.rounding);
  return load_bits(bytes.data(), size_of(i.dst.dtype));
}

template <class T, class Value>
void replace(std::vector<T>& elements, const std::array<std::size_t, kFound>& place, Value&& value) {
  for (const std::size_t j : kDescending)
    if (place[j] != kNowhere) elements[place[j]] = value();
}

}  // namespace

void do_max8(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  std::vector<float> values;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    PartitionRow(src, i.shape.count, p).load(values);
    PartitionRow(dst, in_a_row(kFound), p).store(best_values(values).data(), core);
  }
}

void do_find_index8(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0),
                wanted = tile_operand(core, i.src1);
  std::vector<float> values, numbers;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    PartitionRow(src, i.shape.count, p).load(values);
    PartitionRow(wanted, in_a_row(kFound), p).load(numbers);
    PartitionRow(dst, in_a_row(kFound), p).write(as_words(places(values, numbers, kAscending)).data());
  }
}

void do_match_replace8(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0),
                wanted = tile_operand(core, i.src1);
  std::vector<float> values, numbers;
  std::vector<std::uint32_t> bits;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    const PartitionRow from(src, i.shape.count, p), to(dst, i.shape.count, p);
    from.load(values);
    PartitionRow(wanted, in_a_row(kFound), p).load(numbers);
    const auto place = places(values, numbers, kDescending);
    if (i.dst.dtype == i.src0.dtype) {
      from.read(bits);
      replace(bits, place, [&] { return stored(i, core); });
      to.write(bits.data());
    } else {
      replace(values, place, [&] { return i.value; });
      to.store(values.data(), core);
    }
    if (i.result.present)
      PartitionRow(column_operand(core, i.result), in_a_row(kFound), p).write(as_words(place).data());
  }
}

}  // namespace tahoma::isa
