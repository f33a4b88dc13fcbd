// SPDX-License-Identifier: Apache-2.0
// The log of every query's sum of exponentials in a decoding step: scale * maximum + log(sum). Maxima and
// sums are kept side by side for a batch of sequences and finished together, because the scalar engine's
// tables hold either the exponential or the logarithm.
#pragma once

#include "workloads/decode/decode_batch.h"

namespace tahoma::workloads {

class DecodeLse {
 public:
  // Writes lse [heads, sequences] of fp32.
  DecodeLse(runtime::Kernel& kernel, const DecodeShape& shape, const DecodeTiling& tiling, float scale,
            const runtime::HbmView& lse);

  // The maximum and the sum of a finished sequence, [any, group] with the same in every partition.
  void record(const DecodeBatch& batch, const runtime::TileView& row_max, const runtime::TileView& sum);

 private:
  void finish(const DecodeBatch& batch);

  runtime::Kernel& kernel_;
  const DecodeShape& shape_;
  float scale_;
  runtime::HbmView lse_;
  runtime::Pool row_max_pool_, sums_pool_;
  runtime::TileView row_max_, sums_;
};

}  // namespace tahoma::workloads
