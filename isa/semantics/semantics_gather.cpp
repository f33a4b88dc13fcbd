// SPDX-License-Identifier: Apache-2.0
// Gathers and scatters by lists of indices: local_gather, gather_columns, scatter_columns and n_gather. An
// index out of range, undefined on silicon, is an error here.
#include <algorithm>
#include <string>

#include "isa/core/program_error.h"
#include "isa/semantics/arithmetic/integer_alu.h"
#include "isa/semantics/arithmetic/partition_row.h"
#include "isa/semantics/semantics_ops.h"

namespace tahoma::isa {
namespace {

// `partition` holds the index.
void check_index(const char* mnemonic, std::size_t partition, std::uint32_t index, std::uint32_t limit) {
  if (index < limit) return;
  throw ProgramError("E-ISA-402", mnemonic,
                     "partition " + std::to_string(partition) + " holds index " + std::to_string(index) +
                         "; expected below " + std::to_string(limit));
}

std::byte* element(const Operand& tile, std::size_t partition, std::size_t index) {
  return tile.at + tile.step[0] * static_cast<std::ptrdiff_t>(partition) +
         tile.step[kFreeDims] * static_cast<std::ptrdiff_t>(index);
}

// The indices of `width` partitions from `first` on, as one list that runs down these partitions first.
std::vector<std::uint32_t> list_of(const Instruction& i, const CoreView& core, std::size_t first,
                                   std::size_t width, std::uint32_t limit) {
  const Operand index = tile_operand(core, i.src1);
  std::vector<std::uint32_t> list(i.valid), row;
  for (std::size_t p = 0; p < width; ++p) {
    PartitionRow(index, i.shape.count, first + p).read(row);
    for (std::size_t j = p; j < list.size(); j += width) {
      list[j] = row[j / width];
      check_index(row_of(i.op).mnemonic.data(), i.src1.partition + first + p, list[j], limit);
    }
  }
  return list;
}

// Calls f(partition, its list) for each partition of an indirect copy.
template <class F>
void for_each_listed(const Instruction& i, const CoreView& core, F&& f) {
  const std::size_t width = kGpSimdPartitions * i.per_index;  // groups
  for (std::size_t first = 0; first < i.shape.partitions; first += width) {
    const std::vector<std::uint32_t> list = list_of(i, core, first, width, i.extent);
    for (std::size_t p = first; p < first + width; ++p) f(p, list);
  }
}

}  // namespace

void do_local_gather(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  const std::size_t size = size_of(i.src0.dtype), n = std::size_t{i.valid} * i.per_index;
  std::vector<std::uint32_t> bits(n);
  for (std::size_t group = 0; group < i.shape.partitions / kGpSimdPartitions; ++group) {
    const std::vector<std::uint32_t> list =
        list_of(i, core, group * kGpSimdPartitions, kGpSimdPartitions, i.extent - i.per_index + 1);
    for (std::size_t p = group * kGpSimdPartitions; p < (group + 1) * kGpSimdPartitions; ++p) {
      for (std::size_t k = 0; k < n; ++k)
        bits[k] = load_bits(element(src, p, list[k / i.per_index] + k % i.per_index), size);
      PartitionRow(dst, in_a_row(n), p).write(bits.data());
    }
  }
}

void do_gather_columns(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  std::vector<std::uint32_t> bits(i.valid);
  for_each_listed(i, core, [&](std::size_t p, const std::vector<std::uint32_t>& list) {
    std::transform(list.begin(), list.end(), bits.begin(), [&](std::uint32_t column) {
      return load_bits(element(src, p, column), size_of(i.src0.dtype));
    });
    PartitionRow(dst, in_a_row(i.valid), p).write(bits.data());
  });
}

void do_scatter_columns(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  std::vector<std::uint32_t> bits;
  for_each_listed(i, core, [&](std::size_t p, const std::vector<std::uint32_t>& list) {
    PartitionRow(src, in_a_row(i.valid), p).read(bits);
    for (std::size_t k = 0; k < list.size(); ++k)
      store_bits(element(dst, p, list[k]), size_of(i.src0.dtype), bits[k]);
  });
}

void do_n_gather(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0),
                index = tile_operand(core, i.src1);
  const std::size_t size = size_of(i.src0.dtype);
  std::vector<std::uint32_t> bits;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    PartitionRow(index, i.shape.count, p).read(bits);
    for (std::uint32_t& word : bits) {
      check_index("n_gather", i.src1.partition + p, word, i.extent);
      word = load_bits(element(src, p, word), size);
    }
    PartitionRow(dst, i.shape.count, p).write(bits.data());
  }
}

}  // namespace tahoma::isa
