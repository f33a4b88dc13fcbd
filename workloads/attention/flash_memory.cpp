// SPDX-License-Identifier: Apache-2.0
#include "workloads/attention/flash_memory.h"

#include <algorithm>

namespace tahoma::workloads {

using runtime::HbmView, runtime::Kernel, runtime::TileView;

namespace {

constexpr isa::Queue kStores =
    isa::Queue::kGpSimd;  // loads are never stuck behind a store that waits for its tile

unsigned divided_up(std::uint64_t value, std::uint64_t by) {
  return static_cast<unsigned>((value + by - 1) / by);
}

std::uint64_t aligned(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace

FlashMemory::FlashMemory(Kernel& kernel, const FlashShape& shape, const FlashTiling& tiling,
                         const model::MachineParams& machine)
    : kernel_(kernel),
      shape_(shape),
      tiling_(tiling),
      d_(static_cast<unsigned>(shape.d)),
      d_parts_(divided_up(shape.d, tiling.d_rows)),
      block_chunks_(divided_up(std::min<std::uint64_t>(tiling.kv_block, shape.kv_len), tiling.chunk)) {
  qt_ = kernel.argument("qt", shape.dtype, shape.heads * shape.d, shape.q_len);
  kt_ = kernel.argument("kt", shape.dtype, shape.heads * shape.d, shape.kv_len);
  v_ = kernel.argument("v", shape.dtype, shape.heads * shape.kv_len, shape.d);
  o_ = kernel.argument("o", shape.dtype, shape.heads * shape.q_len, shape.d);
  const auto& core = machine.chip.core;
  make_working_pools(core.psum.per_partition.count / core.psum.bank.count);
  make_identity();
  make_block_pools(core.sbuf.usable.count - std::min(core.sbuf.usable.count, sbuf_used_));
}

runtime::Pool FlashMemory::sbuf(const std::string& name, isa::DType dtype, unsigned columns,
                                unsigned copies) {
  sbuf_used_ += copies * aligned(std::uint64_t{columns} * isa::size_of(dtype));
  return kernel_.sbuf(name, dtype, columns, copies);
}

// Copies: as many as are alive in program order, which follows from the stages that write and read them, and
// one more so that the next can be written while the oldest is read. Columns are small, so they get the most
// that any needs.
void FlashMemory::make_working_pools(std::uint64_t psum_banks) {
  constexpr unsigned kColumns = kFlashDepth + 2;
  constexpr isa::DType kFp32 = isa::DType::kFp32;
  const unsigned block = static_cast<unsigned>(std::min<std::uint64_t>(tiling_.kv_block, shape_.kv_len));
  const unsigned turned = std::min(tiling_.bank_chunks, block_chunks_) * tiling_.q_rows;
  const unsigned two = psum_banks >= 7 ? 2 : 1;
  scores_ = kernel_.psum("scores", kFp32, block, psum_banks >= 7 ? 3 : 2);
  transposed_psum_ = kernel_.psum("transposed", shape_.dtype, turned, two);
  products_ = kernel_.psum("products", kFp32, d_, two);
  queries_ = sbuf("queries", shape_.dtype, tiling_.q_rows, 3 * d_parts_);
  if (shape_.causal) masked_ = sbuf("masked", kFp32, block, 3);
  probabilities_ = sbuf("probabilities", shape_.dtype, block, 3);
  transposed_ = sbuf("transposed", shape_.dtype, turned, 3 * divided_up(block_chunks_, tiling_.bank_chunks));
  tops_ = sbuf("tops", kFp32, 1, kColumns);
  columns_ = sbuf("columns", kFp32, 1, kColumns);
  tile_sums_ = sbuf("tile_sums", kFp32, 1, kColumns);
  sums_ = sbuf("sums", kFp32, 1, kColumns);
  corrections_ = sbuf("corrections", kFp32, 1, kColumns);
  outputs_ = sbuf("outputs", kFp32, d_, 2);
  results_ = sbuf("results", shape_.dtype, d_, 3);
}

void FlashMemory::make_block_pools(std::uint64_t room) {
  const auto block = static_cast<unsigned>(std::min<std::uint64_t>(tiling_.kv_block, shape_.kv_len));
  const std::size_t size = isa::size_of(shape_.dtype);
  const std::uint64_t bytes =
      d_parts_ * aligned(block * size) + aligned(std::uint64_t{block_chunks_} * d_ * size);
  const std::uint64_t blocks = divided_up(shape_.kv_len, tiling_.kv_block), fit = room / bytes;
  // A step may load a block while kFlashDepth earlier steps have still to read theirs.
  resident_ = fit >= blocks + kFlashDepth;
  const std::uint64_t useful = resident_ ? 2 * blocks + kFlashDepth : kFlashDepth + 3;
  const auto copies = static_cast<unsigned>(std::clamp<std::uint64_t>(fit, kFlashDepth + 1, useful));
  keys_ = sbuf("keys", shape_.dtype, block, copies * d_parts_);
  values_ = sbuf("values", shape_.dtype, block_chunks_ * d_, copies);
}

void FlashMemory::make_identity() {
  const unsigned n = tiling_.q_rows;
  const TileView ones = kernel_.take(sbuf("ones", shape_.dtype, n, 1), n, n);
  identity_ = kernel_.take(sbuf("identity", shape_.dtype, n, 1), n, n);
  kernel_.memset(ones, 1.0F, isa::Queue::kGpSimd);
  kernel_.affine_select(identity_, ones, 0, 1, -1, isa::CompareOp::kEq, 0.0F);
}

TileView FlashMemory::identity(unsigned rows) const { return identity_.partitions(0, rows).columns(0, rows); }

std::vector<TileView> FlashMemory::load_queries(const FlashStep& step) {
  std::vector<TileView> parts;
  for (unsigned first = 0; first < d_; first += tiling_.d_rows) {
    const unsigned count = std::min(tiling_.d_rows, d_ - first);
    parts.push_back(take(queries_, count, step.rows));
    kernel_.load(parts.back(), qt_.window(step.head * d_ + first, step.query, count, step.rows));
  }
  return parts;
}

FlashBlock FlashMemory::block(const FlashStep& step) {
  if (!resident_) return load_block(step, step.keys);
  if (step.head != resident_head_) blocks_.clear();
  resident_head_ = step.head;
  const auto held = blocks_.find(step.block);
  if (held != blocks_.end()) return held->second;
  // Whole, even if this tile of queries sees a part of it: later tiles see the rest.
  const auto keys =
      static_cast<unsigned>(std::min<std::uint64_t>(tiling_.kv_block, shape_.kv_len - step.key));
  return blocks_.emplace(step.block, load_block(step, keys)).first->second;
}

FlashBlock FlashMemory::load_block(const FlashStep& step, unsigned keys) {
  FlashBlock block;
  for (unsigned first = 0; first < d_; first += tiling_.d_rows) {
    const unsigned count = std::min(tiling_.d_rows, d_ - first);
    block.k.push_back(take(keys_, count, keys));
    kernel_.load(block.k.back(), kt_.window(step.head * d_ + first, step.key, count, keys));
  }
  const unsigned chunks = divided_up(keys, tiling_.chunk);
  const TileView all = take(values_, std::min(tiling_.chunk, keys), chunks * d_);
  for (unsigned c = 0; c < chunks; ++c) {
    const unsigned first = c * tiling_.chunk, count = std::min(tiling_.chunk, keys - first);
    block.v.push_back(all.partitions(0, count).columns(c * d_, d_));
    kernel_.load(block.v.back(), v_.window(step.head * shape_.kv_len + step.key + first, 0, count, d_));
  }
  return block;
}

void FlashMemory::store(const FlashStep& step, const TileView& result) {
  kernel_.store(o_.window(step.head * shape_.q_len + step.query, 0, step.rows, d_), result, kStores);
}

}  // namespace tahoma::workloads
