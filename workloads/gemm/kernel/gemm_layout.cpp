// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/kernel/gemm_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::workloads {

using runtime::part_of;
using runtime::parts_used;
using runtime::collective::Group;

std::vector<Group> gemm_groups(const model::MachineParams& machine, const GemmShape& shape,
                               const runtime::Shard& shard) {
  const runtime::Placement placement(machine, shard);
  std::vector<std::string> lists;
  for (std::uint64_t m = 0; m < parts_used(shape.m, shard.m); ++m)
    for (std::uint64_t n = 0; n < parts_used(shape.n, shard.n); ++n) {
      std::vector<std::uint32_t> cores;
      for (std::uint64_t k = 0; k < parts_used(shape.k, shard.k); ++k)
        cores.push_back(placement.core_of(m, n, k));
      std::sort(cores.begin(), cores.end());
      lists.push_back(fmt::format("{}", fmt::join(cores, ",")));
    }
  return runtime::collective::groups_of(machine, runtime::collective::RankKind::kCores,
                                        fmt::format("{}", fmt::join(lists, "|")));
}

GemmLayout::GemmLayout(runtime::Machine& machine, const GemmShape& shape, const runtime::Shard& shard,
                       runtime::collective::Algorithm algorithm)
    : machine_(machine),
      shape_(shape),
      shard_(shard),
      ranks_(static_cast<std::uint32_t>(parts_used(shape.k, shard.k))) {
  const std::vector<Group> groups = gemm_groups(machine.params(), shape, shard);
  const std::uint64_t across = parts_used(shape.n, shard.n);
  runtime::collective::Estimates estimates(machine.params());
  for (std::uint64_t g = 0; g < groups.size(); ++g) {
    if (ranks_ > 1)
      sums_.emplace_back(estimates, groups[g],
                         GemmSum::Tile{part_of(shape.m, shard.m, g / across).count,
                                       part_of(shape.n, shard.n, g % across).count, shape.out},
                         algorithm);
    add_group(groups[g], g / across, g % across);
  }
}

void GemmLayout::add_group(const Group& group, std::uint64_t m, std::uint64_t n) {
  const model::ChipParams& chip = machine_.params().chip;
  for (std::uint32_t rank = 0; rank < ranks_; ++rank) {
    GemmTile tile;
    tile.core = group.cores[rank].front();
    tile.rank = rank;
    tile.m = part_of(shape_.m, shard_.m, m);
    tile.n = part_of(shape_.n, shard_.n, n);
    tile.k = part_of(shape_.k, shard_.k, rank);
    const runtime::Part chunk = part_of(tile.m.count, ranks_, rank);
    tile.own = {tile.m.first + chunk.first, chunk.count};
    const auto stack =
        static_cast<std::uint32_t>(tile.core / chip.cores * chip.hbm.stacks) + chip.stack_of(tile.core);
    const GemmShape part = shape_of(tile);
    tile.a = shared_input({0, stack, m, rank}, tile, {"a", part.dtype, part.a_rows(), part.a_columns()});
    tile.b = shared_input({1, stack, n, rank}, tile, {"b", part.dtype, part.b_rows(), part.b_columns()});
    if (part.sparse())
      tile.tags = shared_input({2, stack, m, rank}, tile,
                               {"tags", isa::DType::kUint16, part.a_rows(), GemmShape::tag_columns(part.m)});
    if (part.epilogue.bias == BiasOf::kRows)
      tile.bias = machine_.allocate(tile.core, "bias", isa::DType::kFp32, {part.m, 1});
    if (part.epilogue.bias == BiasOf::kColumns)
      tile.bias = machine_.allocate(tile.core, "bias", isa::DType::kFp32, {1, part.n});
    if (part.epilogue.residual)
      tile.residual = machine_.allocate(tile.core, "residual", shape_.out, {part.m, part.n});
    tile.c = machine_.allocate(tile.core, "c", shape_.out, {tile.own.count, tile.n.count});
    if (ranks_ > 1) {
      tile.partial = machine_.allocate(tile.core, "partial", isa::DType::kFp32, {tile.m.count, tile.n.count});
      tile.staging = machine_.allocate(tile.core, "staging", isa::DType::kFp32, {sums_.back().staging(rank)});
    }
    tiles_.push_back(std::move(tile));
  }
}

GemmShape GemmLayout::shape_of(const GemmTile& tile) const {
  GemmShape part = shape_;
  part.m = tile.m.count, part.n = tile.n.count, part.k = tile.k.count;
  return part;
}

runtime::Tensor GemmLayout::shared_input(const Key& key, const GemmTile& tile, const Operand& operand) {
  if (const auto found = inputs_.find(key); found != inputs_.end()) return found->second;
  return inputs_[key] =
             machine_.allocate(tile.core, operand.name, operand.dtype, {operand.rows, operand.columns});
}

const GemmTile& GemmLayout::maker(std::uint64_t row, std::uint64_t column) const {
  const std::uint64_t m = row / part_of(shape_.m, shard_.m, 0).count;
  const std::uint64_t n = column / part_of(shape_.n, shard_.n, 0).count;
  std::size_t index = (m * parts_used(shape_.n, shard_.n) + n) * ranks_;
  while (row >= tiles_[index].own.first + tiles_[index].own.count) ++index;
  return tiles_[index];
}

}  // namespace tahoma::workloads
