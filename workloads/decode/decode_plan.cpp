// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode/decode_plan.h"

#include <algorithm>

#include "workloads/common/ceil_div.h"

namespace tahoma::workloads {

namespace {

constexpr std::uint64_t kRunBytes = 4096;     // of a partition per piece: full rate of a DMA engine
constexpr unsigned kMostChunks = 64;          // of a block: 8192 keys
constexpr std::uint64_t kBlockBytes = 32768;  // of a partition for the keys of a block: three blocks fit SBUF
constexpr std::uint64_t kMostFolds = 8;       // of a page: each fold is a transfer

std::vector<DecodePiece> contiguous_pieces(const DecodeTiling& tiling, std::uint64_t length) {
  std::vector<DecodePiece> pieces;
  for (std::uint64_t first = 0; first < length;) {
    const std::uint64_t left = length - first;
    DecodePiece piece;
    piece.first = first;
    piece.rows = static_cast<unsigned>(std::min<std::uint64_t>(left, tiling.chunk));
    piece.depth = static_cast<unsigned>(std::clamp<std::uint64_t>(left / tiling.chunk, 1, tiling.depth));
    piece.whole = piece.depth;
    first += std::uint64_t{piece.rows} * piece.depth;
    pieces.push_back(piece);
  }
  return pieces;
}

// Number of parts into which a page is folded so that `pages` of them fill the partitions as far as possible.
std::uint64_t folds_of(std::uint64_t page, std::uint64_t pages, unsigned chunk) {
  std::uint64_t folds = std::min(kMostFolds, chunk / pages);
  while (page % folds != 0) --folds;
  return folds;
}

std::vector<DecodePiece> paged_pieces(std::uint64_t page, const DecodeTiling& tiling, std::uint64_t length) {
  std::vector<DecodePiece> pieces;
  const std::uint64_t pages = (length + page - 1) / page, in_last = length - (pages - 1) * page;
  for (std::uint64_t first = 0; first < pages; first += tiling.chunk) {
    const std::uint64_t here = std::min<std::uint64_t>(pages - first, tiling.chunk);
    const bool cut = first + here == pages && in_last < page;
    const std::uint64_t full = cut ? here - 1 : here, folds = folds_of(page, here, tiling.chunk),
                        span = page / folds, tail = cut ? (in_last + span - 1) / span : 0;
    const std::uint64_t last_part = cut ? in_last - (tail - 1) * span : span;  // tokens of the last part
    const std::uint64_t tokens = full == 0 && tail == 1 ? last_part : span;
    for (std::uint64_t token = 0; token < tokens; token += tiling.depth) {
      const auto depth = static_cast<unsigned>(std::min<std::uint64_t>(tokens - token, tiling.depth));
      const std::uint64_t whole = last_part > token ? std::min<std::uint64_t>(last_part - token, depth) : 0;
      pieces.push_back({first, token, static_cast<unsigned>(folds * full + tail), depth,
                        static_cast<unsigned>(whole), static_cast<unsigned>(full),
                        static_cast<unsigned>(folds), static_cast<unsigned>(tail)});
    }
  }
  return pieces;
}

unsigned chunk_of(const model::MachineParams& machine) {
  const auto& core = machine.chip.core;
  return static_cast<unsigned>(std::min({core.tensor.rows, core.tensor.columns, core.sbuf.partitions}));
}

}  // namespace

unsigned DecodeBlock::chunks() const {
  unsigned sum = 0;
  for (const DecodePiece& piece : pieces) sum += piece.depth;
  return sum;
}

DecodeTiling decode_tiling(const model::MachineParams& machine, const DecodeShape& shape) {
  const auto& core = machine.chip.core;
  const std::uint64_t scores =
      std::min(core.tensor.moving_columns, core.psum.bank.count / sizeof(float)) / shape.group;
  DecodeTiling tiling{};
  tiling.chunk = chunk_of(machine);
  const std::uint64_t token = shape.d * isa::size_of(shape.dtype),
                      held = ceil_div(shape.d, tiling.chunk) * tiling.chunk * isa::size_of(shape.dtype),
                      most = std::clamp<std::uint64_t>(kBlockBytes / held, 1, kMostChunks);
  tiling.block_chunks = static_cast<unsigned>(std::clamp<std::uint64_t>(scores, 1, most));
  tiling.depth = static_cast<unsigned>(std::clamp<std::uint64_t>(kRunBytes / token, 1, tiling.block_chunks));
  tiling.block_pieces = (tiling.block_chunks + tiling.depth - 1) / tiling.depth;
  tiling.bank_chunks = static_cast<unsigned>(
      std::max<std::uint64_t>(1, core.psum.bank.count / (isa::size_of(shape.dtype) * tiling.chunk)));
  tiling.parts = cut(all_of(shape.values()), tiling.chunk);
  tiling.value_parts = static_cast<unsigned>(tiling.parts.size());
  const Range more{shape.values(), static_cast<unsigned>(shape.d - shape.values())};
  for (const Range& part : cut(more, tiling.chunk)) tiling.parts.push_back(part);
  return tiling;
}

std::uint64_t most_decode_group(const model::MachineParams& machine, std::uint64_t values, isa::DType dtype) {
  const std::uint64_t chunk = chunk_of(machine), bank = machine.chip.core.psum.bank.count;
  if (values * isa::size_of(dtype) > bank) return 0;
  return std::min(chunk, bank / sizeof(float) / (ceil_div(values, chunk) + 1));
}

std::vector<DecodeBlock> decode_blocks(const DecodeShape& shape, const DecodeTiling& tiling,
                                       std::uint64_t length) {
  std::vector<DecodeBlock> blocks;
  unsigned chunks = tiling.block_chunks;
  for (const DecodePiece& piece :
       shape.page == 0 ? contiguous_pieces(tiling, length) : paged_pieces(shape.page, tiling, length)) {
    if (chunks + piece.depth > tiling.block_chunks || blocks.back().pieces.size() == tiling.block_pieces) {
      blocks.emplace_back();
      chunks = 0;
    }
    blocks.back().pieces.push_back(piece);
    chunks += piece.depth;
  }
  return blocks;
}

}  // namespace tahoma::workloads
