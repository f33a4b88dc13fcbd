// SPDX-License-Identifier: Apache-2.0
// The tensor engine of a kernel, and the contents of its array.
#pragma once

#include <vector>

#include "runtime/builder/kernel_views.h"

namespace tahoma::runtime {

class KernelRecord;

class KernelMatmul {
 public:
  explicit KernelMatmul(KernelRecord& record);
  ~KernelMatmul();

  // Tensor engine. dst: PSUM [columns of stationary, moving columns]. Loads the weights unless they are
  // already loaded. `moving` has as many slices per partition as the mode of the stationary operand requires.
  // Operands with more rows or columns than the array become several instructions; sums over blocks of rows
  // accumulate.
  void matmul(const TileView& dst, const Stationary& stationary, const TileView& moving, bool accumulate);
  void transpose(const TileView& dst, const TileView& src,
                 const TileView& identity);  // dst [F,P] = src [P,F]

 protected:
  void forget_weights();  // the array holds other weights now

 private:
  struct Loaded;
  void matmul_block(const TileView& dst, const Stationary& stationary, const TileView& moving,
                    bool accumulate);
  void transpose_block(const TileView& dst, const TileView& src, const TileView& identity);
  // Loads `stationary` into the array block that a matmul or transpose of `moving` into `dst` will use.
  void load_weights(const TileView& dst, const Stationary& stationary, const TileView& moving);
  // Called for a matmul that accumulates into `dst`: keeps the accumulation group of the previous matmul
  // open, unless its results have been accessed since.
  void continue_group(const TileView& dst);

  KernelRecord& record_;
  std::vector<Loaded> loaded_;  // current contents of the array
};

}  // namespace tahoma::runtime
