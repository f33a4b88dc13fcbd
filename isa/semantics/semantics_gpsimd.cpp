// SPDX-License-Identifier: Apache-2.0
// GpSimd's own instructions: tensor_partition_reduce, sequence_bounds, nonzero_with_count, topk.
#include <algorithm>
#include <bit>
#include <cmath>

#include "isa/semantics/arithmetic/partition_row.h"
#include "isa/semantics/semantics_ops.h"
#include "isa/simd/alu.h"

namespace tahoma::isa {
namespace {

void reduce_numbers(const Instruction& i, const CoreView& core) {
  const Operand src = tile_operand(core, i.src0);
  std::vector<float> fold, row;
  PartitionRow(src, i.shape.count, 0).load(fold);
  for (std::size_t p = 1; p < i.shape.partitions; ++p) {
    PartitionRow(src, i.shape.count, p).load(row);
    for (std::size_t e = 0; e < fold.size(); ++e) fold[e] = alu(i.op0, fold[e], row[e]);
  }
  std::transform(fold.begin(), fold.end(), fold.begin(), one_nan);
  PartitionRow(tile_operand(core, i.dst), i.shape.count, 0).store(fold.data(), core);
}

void reduce_bits_of_partitions(const Instruction& i, const CoreView& core) {
  const Operand src = tile_operand(core, i.src0);
  std::vector<std::uint32_t> fold, row;
  PartitionRow(src, i.shape.count, 0).read(fold);
  for (std::size_t p = 1; p < i.shape.partitions; ++p) {
    PartitionRow(src, i.shape.count, p).read(row);
    for (std::size_t e = 0; e < fold.size(); ++e)
      fold[e] = i.op0 == AluOp::kBitwiseAnd ? fold[e] & row[e] : fold[e] | row[e];
  }
  PartitionRow(tile_operand(core, i.dst), i.shape.count, 0).write(fold.data());
}

// Numbers that fp32 holds exactly, in the format of an fp32 or int32 tile.
std::uint32_t word_of(std::int32_t value, DType dtype) {
  return dtype == DType::kInt32 ? static_cast<std::uint32_t>(value)
                                : std::bit_cast<std::uint32_t>(static_cast<float>(value));
}

bool is_zero(std::uint32_t word, DType dtype) {
  return dtype == DType::kInt32 ? word == 0 : std::bit_cast<float>(word) == 0;
}
bool same_id(std::uint32_t a, std::uint32_t b, DType dtype) {
  return dtype == DType::kInt32 ? a == b : std::bit_cast<float>(a) == std::bit_cast<float>(b);
}

// Maps bf16 numbers to integers in the same order: every NaN above infinity, -0 equal to +0.
std::int32_t rank_of(std::uint32_t bf16) {
  const float value = fp32_from_bf16(static_cast<std::uint16_t>(bf16));
  if (std::isnan(value)) return 0x8000;
  const auto magnitude = static_cast<std::int32_t>(bf16 & 0x7FFFU);
  return std::signbit(value) ? -magnitude : magnitude;
}

// Element e of a group is at position e / 16 of partition e % 16.
std::vector<std::uint32_t> group_elements(const Operand& src, const Instruction& i, std::size_t group) {
  std::vector<std::uint32_t> elements(i.extent), row;
  for (std::size_t p = 0; p < kGpSimdPartitions; ++p) {
    PartitionRow(src, i.shape.count, group * kGpSimdPartitions + p).read(row);
    for (std::size_t e = p; e < elements.size(); e += kGpSimdPartitions)
      elements[e] = row[e / kGpSimdPartitions];
  }
  return elements;
}

// Returns the indices of the k largest, ascending; of equal values the later index counts as larger.
std::vector<std::uint32_t> largest(const std::vector<std::uint32_t>& elements, std::size_t k) {
  std::vector<std::pair<std::int32_t, std::uint32_t>> ranked(elements.size());
  for (std::uint32_t e = 0; e < ranked.size(); ++e) ranked[e] = {rank_of(elements[e]), e};
  const auto first = ranked.end() - static_cast<std::ptrdiff_t>(k);
  std::nth_element(ranked.begin(), first, ranked.end());
  std::sort(first, ranked.end());
  std::vector<std::uint32_t> indices;
  for (auto at = first; at != ranked.end(); ++at) indices.push_back(at->second);
  return indices;
}

}  // namespace

void do_tensor_partition_reduce(const Instruction& i, const CoreView& core) {
  const bool bits = i.op0 == AluOp::kBitwiseAnd || i.op0 == AluOp::kBitwiseOr;
  bits ? reduce_bits_of_partitions(i, core) : reduce_numbers(i, core);
}

void do_sequence_bounds(const Instruction& i, const CoreView& core) {
  std::vector<std::uint32_t> ids;
  PartitionRow(tile_operand(core, i.src0), i.shape.count, 0).read(ids);
  const std::size_t n = ids.size();
  const auto word = [&](std::size_t value) { return word_of(static_cast<std::int32_t>(value), i.dst.dtype); };
  std::vector<std::uint32_t> bounds(2 * n);  // starts, then ends
  for (std::size_t first = 0, end = 0; first < n; first = end) {
    for (end = first + 1; end < n && same_id(ids[end], ids[first], i.src0.dtype);) ++end;
    const bool padding = is_zero(ids[first], i.src0.dtype);
    for (std::size_t e = first; e < end; ++e) {
      bounds[e] = word(padding ? n : first);
      bounds[n + e] = padding ? word_of(-1, i.dst.dtype) : word(end);
    }
  }
  const FreeCounts both{1, 1, 2, static_cast<std::uint16_t>(n)};
  PartitionRow(tile_operand(core, i.dst), both, 0).write(bounds.data());
}

void do_nonzero_with_count(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  std::vector<std::uint32_t> elements, list;
  for (std::size_t p = 0; p < i.shape.partitions; p += kGpSimdPartitions) {
    PartitionRow(src, i.shape.count, p).read(elements);
    list.clear();
    for (std::uint32_t e = 0; e < elements.size(); ++e)
      if (!is_zero(elements[e], i.src0.dtype)) list.push_back(static_cast<std::uint32_t>(i.base) + e);
    const auto count = static_cast<std::uint32_t>(list.size());
    list.resize(elements.size(), static_cast<std::uint32_t>(i.imm));
    list.push_back(count);
    PartitionRow(dst, in_a_row(list.size()), p).write(list.data());
  }
}

void do_topk(const Instruction& i, const CoreView& core) {
  constexpr std::uint32_t kNoIndex = ~0U;
  const Operand values = tile_operand(core, i.dst), indices = tile_operand(core, i.src1),
                src = tile_operand(core, i.src0);
  const std::size_t columns = (i.valid + kGpSimdPartitions - 1) / kGpSimdPartitions;
  std::vector<std::uint32_t> value_row(columns), index_row(columns);
  for (std::size_t group = 0; group < i.shape.partitions / kGpSimdPartitions; ++group) {
    const std::vector<std::uint32_t> elements = group_elements(src, i, group);
    const std::vector<std::uint32_t> chosen = largest(elements, i.valid);
    for (std::size_t p = 0; p < kGpSimdPartitions; ++p) {
      for (std::size_t column = 0; column < columns; ++column) {
        const std::size_t number = column * kGpSimdPartitions + p;
        const bool there = number < chosen.size();
        index_row[column] = there ? chosen[number] : kNoIndex;
        value_row[column] = there ? elements[chosen[number]] : 0;
      }
      PartitionRow(values, in_a_row(columns), group * kGpSimdPartitions + p).write(value_row.data());
      PartitionRow(indices, in_a_row(columns), group * kGpSimdPartitions + p).write(index_row.data());
    }
  }
}

}  // namespace tahoma::isa
