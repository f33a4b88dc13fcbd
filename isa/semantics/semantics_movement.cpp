// SPDX-License-Identifier: Apache-2.0
// Movement between partitions on the vector engine: vector_transpose, stream_shuffle. Bits pass unchanged.
// All sources are read before anything is written, so dst may overlap src in any way.
#include "isa/semantics/arithmetic/partition_row.h"
#include "isa/semantics/semantics_ops.h"

namespace tahoma::isa {

void do_vector_transpose(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  std::vector<std::vector<std::uint32_t>> turned;  // [element][partition]
  std::vector<std::uint32_t> bits;
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    PartitionRow(src, i.shape.count, p).read(bits);
    turned.resize(bits.size());
    for (std::size_t e = 0; e < bits.size(); ++e) turned[e].push_back(bits[e]);
  }
  for (std::size_t e = 0; e < turned.size(); ++e)
    PartitionRow(dst, in_a_row(i.shape.partitions), e).write(turned[e].data());
}

// The source always covers whole groups of 32 partitions, even where the shape ends inside one.
void do_stream_shuffle(const Instruction& i, const CoreView& core) {
  const Operand dst = tile_operand(core, i.dst), src = tile_operand(core, i.src0);
  std::vector<std::vector<std::uint32_t>> moved(i.shape.partitions);
  for (std::size_t p = 0; p < i.shape.partitions; ++p) {
    const std::size_t from = i.mask[p % kQuadrant];
    if (from != kKeep) PartitionRow(src, i.shape.count, p / kQuadrant * kQuadrant + from).read(moved[p]);
  }
  for (std::size_t p = 0; p < i.shape.partitions; ++p)
    if (!moved[p].empty()) PartitionRow(dst, i.shape.count, p).write(moved[p].data());
}

}  // namespace tahoma::isa
