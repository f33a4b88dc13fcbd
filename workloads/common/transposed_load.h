// SPDX-License-Identifier: Apache-2.0
// Loads token-major tensors ([tokens, features] row-major, possibly some columns of a wider matrix) as
// operands that the array contracts over features: the DMA engines transpose 2- or 4-byte elements on their
// way into SBUF.
//
// They transpose 16 tokens at a time. If the number of tokens of a tensor is not a multiple of 16, the rows
// up to the next multiple are read too. These rows must exist in HBM, with any values; their data in SBUF are
// not used. The check of uninitialised memory treats them like other rows: they must have been written.
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/builder/kernel.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

inline constexpr unsigned kTransposeRows = 16;      // of the source, or multiples
inline constexpr unsigned kTransposeColumns = 128;  // of the source, at most

// The number of rows that are read for that many tokens, and the columns of the tile that receives them.
constexpr std::uint64_t transposed_load_rows(std::uint64_t rows) {
  return (rows + kTransposeRows - 1) / kTransposeRows * kTransposeRows;
}

// The number of rows of a tensor that must exist so that its windows of that many rows can be loaded. The
// last one ends with the tensor.
constexpr std::uint64_t transposed_tensor_rows(std::uint64_t rows, std::uint64_t window) {
  return rows - window + transposed_load_rows(window);
}

// Loads tokens by features of `from` into `tile` [features, transposed_load_rows(tokens) columns] and returns
// the tokens' columns. They are the tile's first columns unless the tokens end behind the last multiple of 16
// in `from` and begin between two multiples.
inline runtime::TileView load_transposed_tokens(runtime::Kernel& kernel, const runtime::TileView& tile,
                                                runtime::HbmView from, const Range& tokens,
                                                const Range& features, isa::Queue on = isa::Queue::kSync) {
  const std::uint64_t width = transposed_load_rows(tokens.count);
  from.rows = transposed_load_rows(from.rows);
  const std::uint64_t first = std::min(tokens.first, from.rows - width);
  kernel.load_transposed(tile, from.window(first, features.first, width, features.count), on);
  return tile.columns(static_cast<unsigned>(tokens.first - first), tokens.count);
}

}  // namespace tahoma::workloads
