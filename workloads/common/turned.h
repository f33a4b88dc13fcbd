// SPDX-License-Identifier: Apache-2.0
// Token-major tensors ([tokens, features] row-major, perhaps some columns of a wider matrix) as operands that
// the array contracts over features: the DMA engines turn them on their way into SBUF, 2- or 4-byte elements.
//
// They turn 16 tokens at a time. Of a tensor with a number of tokens that is no multiple, the rows up to the
// next multiple are read too: they have to be there in HBM, with whatever values, and what they leave in SBUF
// is not used. (To the check of uninitialised memory they are rows like others: somebody has to have written
// them.)
#pragma once

#include <algorithm>
#include <cstdint>

#include "runtime/builder/kernel.h"
#include "workloads/gemm/kernel/ranges.h"

namespace tahoma::workloads {

inline constexpr unsigned kTurnedRows = 16;      // of the source, or multiples
inline constexpr unsigned kTurnedColumns = 128;  // of the source, at most

// What is read of so many rows, and the columns of the tile that takes them.
constexpr std::uint64_t turned_rows(std::uint64_t rows) {
  return (rows + kTurnedRows - 1) / kTurnedRows * kTurnedRows;
}

// Tokens by features of `from` into `tile` [features, turned_rows(tokens) columns]; returns the tokens'
// columns. They are the tile's first unless the tokens end behind the last multiple of 16 in `from` and begin
// between two.
inline runtime::TileView load_turned(runtime::Kernel& kernel, const runtime::TileView& tile,
                                     runtime::HbmView from, const Range& tokens, const Range& features,
                                     isa::Queue on = isa::Queue::kSync) {
  const std::uint64_t width = turned_rows(tokens.count);
  from.rows = turned_rows(from.rows);
  const std::uint64_t first = std::min(tokens.first, from.rows - width);
  kernel.load_transposed(tile, from.window(first, features.first, width, features.count), on);
  return tile.columns(static_cast<unsigned>(tokens.first - first), tokens.count);
}

}  // namespace tahoma::workloads
