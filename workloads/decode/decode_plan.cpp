// SPDX-License-Identifier: Apache-2.0
#include "workloads/decode/decode_plan.h"

#include <algorithm>

namespace tahoma::workloads {

namespace {

constexpr std::uint64_t kRunBytes = 4096;  // of a partition in a piece: full rate of a DMA engine
constexpr unsigned kMostChunks = 64;       // of a block: 8192 keys, so that three blocks fit SBUF

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

std::vector<DecodePiece> paged_pieces(std::uint64_t page, const DecodeTiling& tiling, std::uint64_t length) {
  std::vector<DecodePiece> pieces;
  const std::uint64_t pages = (length + page - 1) / page, in_last = length - (pages - 1) * page;
  for (std::uint64_t first = 0; first < pages; first += tiling.chunk) {
    const auto rows = static_cast<unsigned>(std::min<std::uint64_t>(pages - first, tiling.chunk));
    const std::uint64_t filled = first + rows == pages ? in_last : page;  // of the last of these pages
    const std::uint64_t tokens = rows == 1 ? filled : page;
    for (std::uint64_t token = 0; token < tokens; token += tiling.depth) {
      const auto depth = static_cast<unsigned>(std::min<std::uint64_t>(tokens - token, tiling.depth));
      const std::uint64_t whole = filled > token ? std::min<std::uint64_t>(filled - token, depth) : 0;
      pieces.push_back({first, token, rows, depth, static_cast<unsigned>(whole)});
    }
  }
  return pieces;
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
  tiling.chunk =
      static_cast<unsigned>(std::min({core.tensor.rows, core.tensor.columns, core.sbuf.partitions}));
  tiling.block_chunks = static_cast<unsigned>(std::clamp<std::uint64_t>(scores, 1, kMostChunks));
  tiling.depth = static_cast<unsigned>(std::clamp<std::uint64_t>(
      kRunBytes / (shape.d * isa::size_of(shape.dtype)), 1, tiling.block_chunks));
  tiling.bank_chunks = static_cast<unsigned>(
      std::max<std::uint64_t>(1, core.psum.bank.count / (isa::size_of(shape.dtype) * tiling.chunk)));
  return tiling;
}

std::vector<DecodeBlock> decode_blocks(const DecodeShape& shape, const DecodeTiling& tiling,
                                       std::uint64_t length) {
  std::vector<DecodeBlock> blocks;
  unsigned chunks = tiling.block_chunks;
  for (const DecodePiece& piece :
       shape.page == 0 ? contiguous_pieces(tiling, length) : paged_pieces(shape.page, tiling, length)) {
    if (chunks + piece.depth > tiling.block_chunks) {
      blocks.emplace_back();
      chunks = 0;
    }
    blocks.back().pieces.push_back(piece);
    chunks += piece.depth;
  }
  return blocks;
}

}  // namespace tahoma::workloads
