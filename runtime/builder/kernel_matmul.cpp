// SPDX-License-Identifier: Apache-2.0
#include "runtime/builder/kernel_matmul.h"

#include <algorithm>

#include "isa/semantics/arithmetic/array_tiles.h"
#include "runtime/builder/kernel_record.h"

namespace tahoma::runtime {

namespace {

bool same_tile(const TileView& a, const TileView& b) {
  return a.buffer == b.buffer && a.tile == b.tile && a.shape == b.shape;
}

bool same_operand(const Stationary& a, const Stationary& b) {
  const bool tags = a.tags && b.tags ? same_tile(*a.tags, *b.tags) : a.tags.has_value() == b.tags.has_value();
  return same_tile(a.tile, b.tile) && a.mode == b.mode && tags;
}

isa::ArraySize array_of(const model::MachineParams& machine) {
  const model::TensorParams& tensor = machine.chip.core.tensor;
  return {static_cast<unsigned>(tensor.rows), static_cast<unsigned>(tensor.columns)};
}

struct Block {
  unsigned first, count;
};

// Cuts `count` rows or columns, the first of them in partition `partition`, where the array of `size` ends.
std::vector<Block> blocks_of(unsigned partition, std::uint64_t count, unsigned size) {
  std::vector<Block> blocks;
  for (unsigned at = 0; at < count;) {
    const auto here =
        static_cast<unsigned>(std::min<std::uint64_t>(count - at, size - (partition + at) % size));
    blocks.push_back({at, here});
    at += here;
  }
  return blocks;
}

// Whether these rows or columns are one block.
bool in_one_block(unsigned partition, std::uint64_t count, unsigned size) {
  return partition % size + count <= size;
}

// Columns of the weights; tags are four to an element.
Stationary columns_of(const Stationary& all, const Block& columns) {
  Stationary part = all;
  part.tile = all.tile.columns(columns.first, columns.count);
  if (all.tags) part.tags = all.tags->columns(columns.first / 4, (columns.count + 3) / 4);
  return part;
}

Stationary rows_of(const Stationary& all, const Block& rows) {
  Stationary part = all;
  part.tile = all.tile.partitions(rows.first, rows.count);
  if (all.tags) part.tags = all.tags->partitions(rows.first, rows.count);
  return part;
}

}  // namespace

struct KernelMatmul::Loaded {
  Stationary operand;
  std::uint16_t column = 0;
  std::uint64_t version = 0, tags_version = 0;  // of the buffers at the time of the load
  isa::ArrayBlock tile;
};

KernelMatmul::KernelMatmul(KernelRecord& record) : record_(record) {}

KernelMatmul::~KernelMatmul() = default;

void KernelMatmul::forget_weights() { loaded_.clear(); }

void KernelMatmul::load_weights(const TileView& dst, const Stationary& stationary, const TileView& moving) {
  const isa::ArraySize array = array_of(record_.machine);
  record_.require(
      stationary.tile.tile.partition % array.rows == moving.tile.partition % array.rows,
      "stationary and moving must begin at the same row of the array: their first partitions differ");
  const auto column = static_cast<std::uint16_t>(dst.tile.partition % array.columns);
  const std::uint64_t version = record_.version(stationary.tile.buffer),
                      tags_version = stationary.tags ? record_.version(stationary.tags->buffer) : 0;
  const bool stands = std::any_of(loaded_.begin(), loaded_.end(), [&](const Loaded& l) {
    return l.version == version && l.tags_version == tags_version && l.column == column &&
           same_operand(l.operand, stationary);
  });
  if (stands) return;
  Op& op = record_.append(isa::Opcode::kLoadWeights, isa::Queue::kTensor);
  op.instruction.shape = stationary.tile.shape;
  op.instruction.src0 = stationary.tile.tile;
  op.instruction.column = column;
  op.instruction.mode = stationary.mode;
  record_.reads(op, stationary.tile);
  if (stationary.tags) {
    op.instruction.src1 = stationary.tags->tile;
    record_.reads(op, *stationary.tags);
  }
  const isa::ArrayBlock tile = isa::tile_of(isa::standing_of(op.instruction, array).block, array);
  std::erase_if(loaded_, [&](const Loaded& l) { return isa::overlap(l.tile, tile); });
  loaded_.push_back({stationary, column, version, tags_version, tile});
}

void KernelMatmul::continue_group(const TileView& dst) {
  const Region region = record_.region_of(dst);
  for (std::size_t i = record_.ops.size(); i-- > 0;)
    for (const Access& access : record_.ops[i].accesses) {
      if (!access.region.overlaps(region)) continue;
      const bool same = access.region.contains(region) && region.contains(access.region);
      if (same && record_.ops[i].instruction.op == isa::Opcode::kMatmul)
        record_.ops.change(i, [](Op& op) { op.instruction.open = true; });
      return;
    }
}

void KernelMatmul::matmul(const TileView& dst, const Stationary& stationary, const TileView& moving,
                          bool accumulate) {
  const isa::ModeRow& mode = isa::row_of(stationary.mode);
  const unsigned in_weights = mode.kept > 0 ? 1 : mode.slices;  // a compressed operand has one slice
  const std::uint64_t columns = free_elements(stationary.tile.shape) / in_weights;
  record_.require(stationary.tile.shape.partitions == moving.shape.partitions,
                  "matmul: stationary and moving must have the same partitions, the contraction");
  record_.require(dst.shape.partitions == columns &&
                      free_elements(dst.shape) * mode.slices == free_elements(moving.shape),
                  "matmul: dst must be [columns of stationary, columns of moving]");
  const isa::ArraySize array = array_of(record_.machine);
  if (in_one_block(dst.tile.partition, columns, array.columns) &&
      in_one_block(moving.tile.partition, moving.shape.partitions, array.rows))
    return matmul_block(dst, stationary, moving, accumulate);
  const auto columns_at = blocks_of(dst.tile.partition, columns, array.columns);
  const auto rows_at = blocks_of(moving.tile.partition, moving.shape.partitions, array.rows);
  for (const Block& at : columns_at) {
    const Stationary part = columns_at.size() > 1 ? columns_of(stationary, at) : stationary;
    for (const Block& rows : rows_at)
      matmul_block(dst.partitions(at.first, at.count), rows_of(part, rows),
                   moving.partitions(rows.first, rows.count), accumulate || rows.first > 0);
  }
}

void KernelMatmul::matmul_block(const TileView& dst, const Stationary& stationary, const TileView& moving,
                                bool accumulate) {
  load_weights(dst, stationary, moving);
  if (accumulate) continue_group(dst);
  Op& op = record_.append(isa::Opcode::kMatmul, isa::Queue::kTensor);
  op.instruction.shape = moving.shape;
  op.instruction.columns = dst.shape.partitions;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = moving.tile;
  op.instruction.accumulate = accumulate;
  op.instruction.mode = stationary.mode;
  record_.reads(op, moving);
  record_.writes_to(op, dst);
}

void KernelMatmul::transpose(const TileView& dst, const TileView& src, const TileView& identity) {
  const std::uint64_t columns = free_elements(src.shape);
  record_.require(identity.shape.partitions == src.shape.partitions &&
                      free_elements(identity.shape) == identity.shape.partitions,
                  "transpose: the identity must be [partitions of src, partitions of src]");
  record_.require(dst.shape.partitions == columns && free_elements(dst.shape) == src.shape.partitions,
                  "transpose: dst must be [columns of src, partitions of src]");
  const isa::ArraySize array = array_of(record_.machine);
  if (in_one_block(dst.tile.partition, columns, array.columns) &&
      in_one_block(src.tile.partition, src.shape.partitions, array.rows))
    return transpose_block(dst, src, identity);
  const auto columns_at = blocks_of(dst.tile.partition, columns, array.columns);
  const auto rows_at = blocks_of(src.tile.partition, src.shape.partitions, array.rows);
  for (const Block& at : columns_at) {
    const TileView to = dst.partitions(at.first, at.count),
                   from = columns_at.size() > 1 ? src.columns(at.first, at.count) : src;
    for (const Block& rows : rows_at)
      transpose_block(rows_at.size() > 1 ? to.columns(rows.first, rows.count) : to,
                      from.partitions(rows.first, rows.count),
                      identity.partitions(rows.first, rows.count).columns(rows.first, rows.count));
  }
}

void KernelMatmul::transpose_block(const TileView& dst, const TileView& src, const TileView& identity) {
  load_weights(dst, src, identity);
  Op& op = record_.append(isa::Opcode::kTranspose, isa::Queue::kTensor);
  op.instruction.shape = identity.shape;
  op.instruction.columns = dst.shape.partitions;
  op.instruction.dst = dst.tile;
  op.instruction.src0 = identity.tile;
  record_.reads(op, identity);
  record_.writes_to(op, dst);
}

}  // namespace tahoma::runtime
