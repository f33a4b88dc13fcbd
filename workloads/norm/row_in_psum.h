// SPDX-License-Identifier: Apache-2.0
// A row vector in fp32 (a gain, a bias) that is replicated on every partition. The tensor engine writes it
// into PSUM: a matmul with a selector of ones copies the row into all partitions. In PSUM an operand of
// scalar_tensor_tensor costs one cycle per element, in SBUF two. HBM reads the row once, not once for each
// partition.
//
// fp32 passes through the array as three bf16 numbers whose sum it is (8 significant bits each), in one pass:
// rows 0..31 of the array hold the first of them for up to 32 pieces of 512 columns, rows 32..63 the second,
// 64..95 the third. The sum is exact for every number whose smallest part is not below bf16's range. With
// fewer than 96 partitions the parts are three products that accumulate, each of as many pieces as there are
// partitions, up to 32.
//
// A small number of rows may be folded: row r is split into `folds` neighbours of `width` columns in
// partitions r folds, r folds + 1, ..., each of which sees its part of the vector.
//
// Not supported: rows of more than 16384 columns.
#pragma once

#include <string>

#include "runtime/builder/kernel.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

inline constexpr unsigned kWidestRow = 16384;

// Columns of a piece, as the tensor engine moves them.
inline constexpr unsigned kPiece = 512;

// State that all rows of a kernel share: column c of the identities selects piece c of a layer, whose pieces
// are in different rows of the array.
class PieceSelector {
 public:
  PieceSelector(runtime::Kernel& kernel, const model::MachineParams& machine);
  bool stacks() const { return identities_.shape.partitions > group_; }  // a layer has all three parts
  unsigned group() const { return group_; }                              // pieces of a layer
  unsigned partitions() const { return partitions_; }                    // of the core
  runtime::TileView of(unsigned piece, unsigned partitions) const;
  // Piece first + part * step for partition row * parts + part.
  runtime::TileView of_parts(unsigned first, unsigned step, unsigned rows, unsigned parts) const;

 private:
  unsigned partitions_, group_;
  runtime::TileView identities_;  // [96, 32], or [group, group]
};

// Rows that are folded over several partitions each; the pieces of the vector divide evenly among the parts.
struct Fold {
  unsigned rows = 0, parts = 1;
};

class RowInPsum {
 public:
  // The row owns `banks` of PSUM. It stays there if it fits; otherwise columns are loaded in turns.
  RowInPsum(runtime::Kernel& kernel, const PieceSelector& selector, const std::string& name,
            const runtime::HbmView& row, unsigned banks, Fold fold = {});
  // Maximum width of a tile, in columns: the row, or a multiple of kPiece.
  unsigned width() const { return width_; }
  // A range that starts at a multiple of kPiece and is at most width() wide, on `partitions` partitions.
  runtime::TileView columns(const Range& range, unsigned partitions);

 private:
  void split(const std::string& name, const runtime::HbmView& row);
  runtime::TileView selected(unsigned piece) const;
  void fill(const runtime::TileView& tile, const Range& range);
  unsigned layers() const;  // of one part

  runtime::Kernel& kernel_;
  const PieceSelector& selector_;
  Fold fold_;
  unsigned height_, columns_, width_;
  bool stays_;
  runtime::Pool pool_;
  runtime::TileView parts_, resident_;  // parts: [96, 512] bf16, or [group, 3 layers 512]
};

}  // namespace tahoma::workloads
