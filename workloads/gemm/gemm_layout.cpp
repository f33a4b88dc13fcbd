// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/gemm_layout.h"

namespace tahoma::workloads {

namespace {

using runtime::part_of;
using runtime::parts_used;

}  // namespace

GemmLayout::GemmLayout(runtime::Machine& machine, const GemmShape& shape, const runtime::Shard& shard)
    : machine_(machine), shape_(shape), shard_(shard) {
  const runtime::Placement placement(machine.params(), shard);
  const auto ranks = static_cast<std::uint32_t>(parts_used(shape.k, shard.k));
  const std::uint64_t per_stack = machine.params().chip.cores / machine.params().chip.hbm.stacks;
  for (std::uint64_t m = 0; m < parts_used(shape.m, shard.m); ++m)
    for (std::uint64_t n = 0; n < parts_used(shape.n, shard.n); ++n)
      for (std::uint32_t rank = 0; rank < ranks; ++rank) {
        GemmTile tile;
        tile.core = placement.core_of(m, n, rank);
        tile.m = part_of(shape.m, shard.m, m);
        tile.n = part_of(shape.n, shard.n, n);
        tile.k = part_of(shape.k, shard.k, rank);
        tile.ring = {rank, ranks};
        const runtime::Part chunk = part_of(tile.m.count, ranks, rank);
        tile.own = {tile.m.first + chunk.first, chunk.count};
        const auto stack = static_cast<std::uint32_t>(tile.core / per_stack);
        tile.a = shared_input({0, stack, m, rank}, tile, shape.dtype);
        tile.b = shared_input({1, stack, n, rank}, tile, shape.dtype);
        tile.c = machine.allocate(tile.core, "c", shape.out, {tile.own.count, tile.n.count});
        if (ranks > 1) allocate_ring(tile);
        tiles_.push_back(std::move(tile));
      }
}

runtime::Tensor GemmLayout::shared_input(const Key& key, const GemmTile& tile, isa::DType dtype) {
  if (const auto found = inputs_.find(key); found != inputs_.end()) return found->second;
  const bool is_a = std::get<0>(key) == 0;
  const std::uint64_t columns = is_a ? tile.m.count : tile.n.count;
  return inputs_[key] = machine_.allocate(tile.core, is_a ? "a" : "b", dtype, {tile.k.count, columns});
}

void GemmLayout::allocate_ring(GemmTile& tile) {
  const std::uint64_t columns = tile.n.count;
  tile.partial = machine_.allocate(tile.core, "partial", isa::DType::kFp32, {tile.m.count, columns});
  for (RingTensors& direction : tile.directions) {
    direction.staging = machine_.allocate(tile.core, "staging", isa::DType::kFp32,
                                          {runtime::staging_rows(tile.m.count, tile.ring.ranks), columns});
    direction.ack = machine_.allocate(tile.core, "ack", isa::DType::kFp32,
                                      {runtime::ack_rows(tile.ring.ranks), runtime::kAckColumns});
  }
}

std::vector<std::uint64_t> GemmLayout::arguments(std::size_t index) const {
  const GemmTile& tile = tiles_[index];
  if (tile.ring.ranks == 1) return {tile.a.address, tile.b.address, tile.c.address};
  std::vector<std::uint64_t> values{tile.a.address, tile.b.address, tile.partial.address, tile.c.address};
  const std::size_t first = index - tile.ring.rank;
  const GemmTile& above = tiles_[first + (tile.ring.rank + 1) % tile.ring.ranks];
  const GemmTile& below = tiles_[first + (tile.ring.rank + tile.ring.ranks - 1) % tile.ring.ranks];
  for (const unsigned direction : {0U, 1U}) {
    const GemmTile &next = direction == 0 ? above : below, &previous = direction == 0 ? below : above;
    values.insert(values.end(),
                  {tile.directions[direction].staging.address, next.directions[direction].staging.address,
                   next.core, previous.directions[direction].ack.address, previous.core});
  }
  return values;
}

const GemmTile& GemmLayout::maker(std::uint64_t row, std::uint64_t column) const {
  const std::uint64_t m = row / part_of(shape_.m, shard_.m, 0).count;
  const std::uint64_t n = column / part_of(shape_.n, shard_.n, 0).count;
  const std::uint64_t ranks = tiles_.front().ring.ranks;
  std::size_t index = (m * parts_used(shape_.n, shard_.n) + n) * ranks;
  while (row >= tiles_[index].own.first + tiles_[index].own.count) ++index;
  return tiles_[index];
}

}  // namespace tahoma::workloads
