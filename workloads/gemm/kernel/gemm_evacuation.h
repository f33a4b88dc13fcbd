// SPDX-License-Identifier: Apache-2.0
// The path of sums out of PSUM: activation(sum + bias) + residual in fp32, rounded once to C's dtype and
// stored. The vector and the scalar engine take turns where either can do all of it (no epilogue, a bias of
// rows, relu). The scalar engine squares what the vector engine leaves of relu. Otherwise the vector engine
// adds the bias of columns and the residual, and the scalar engine computes the activation and adds a bias of
// rows at no cost. Intermediate results between the two engines stay in their bank.
#pragma once

#include <optional>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/common/ranges.h"
#include "workloads/gemm/kernel/blocking.h"
#include "workloads/gemm/kernel/gemm_nests.h"

namespace tahoma::workloads {

class Evacuation {
 public:
  Evacuation(runtime::Kernel& kernel, const GemmShape& shape, const Blocking& blocking,
             const GemmViews& views);

  // Call it before the first sums of a panel of b take their banks. A bias of columns is one row, which the
  // tensor engine broadcasts to every partition by a product with ones; in fp32 that is exact.
  void begin_panel(const Range& panel, runtime::Pool banks);
  // The sums of tiles of rows by tiles of columns, row by row, of a panel of b. Their operands are loaded
  // here, on the queue of the other loads, which runs ahead of the tensor engine.
  void finish(const std::vector<runtime::TileView>& sums, const std::vector<Range>& row_tiles,
              const Range& panel, const Range& columns, const std::vector<Range>& column_tiles);

 private:
  struct Operands {
    std::optional<runtime::TileView> row_bias, column_bias, residual;
    Operands columns(const Range& wanted, const Range& of_panel, const Range& of_group) const;
  };
  Operands load_operands(const Range& rows, const Range& columns);
  void finish_tile(const runtime::TileView& sum, const runtime::TileView& out, const Operands& operands);
  void round_in_turn(const runtime::TileView& sum, const runtime::TileView& out, const Operands& operands);

  runtime::Kernel& kernel_;
  GemmEpilogue epilogue_;
  GemmViews views_;
  unsigned height_, width_;  // of a tile of sums
  runtime::Pool c_pool_;
  std::optional<runtime::Pool> row_biases_, bias_rows_, column_biases_, residuals_;
  std::optional<runtime::TileView> ones_, column_bias_;  // column_bias_: of the current panel
  std::size_t evacuated_ = 0;
};

}  // namespace tahoma::workloads
