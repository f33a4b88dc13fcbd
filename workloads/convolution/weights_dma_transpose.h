// SPDX-License-Identifier: Apache-2.0
// Weights that the DMA engines transpose inside HBM, one element at a time, before all other work.
#pragma once

#include <deque>
#include <vector>

#include "workloads/convolution/weights.h"

namespace tahoma::workloads {

class DmaTransposedWeights final : public Weights {
 public:
  explicit DmaTransposedWeights(const ConvolutionParts& parts);
  void load(unsigned out) override;
  void stage(unsigned out) override;
  void transpose(unsigned out) override;
  runtime::TileView tap(unsigned in, unsigned tap) const override;

 private:
  void transpose_all();
  runtime::HbmView transposed_in_hbm(unsigned out, unsigned in, unsigned tap) const;

  const ConvolutionParts& parts_;
  runtime::Kernel& kernel_;
  runtime::HbmView w_, scratch_;
  runtime::Pool taps_, interleaved_;
  std::deque<runtime::TileView> loaded_;
  std::vector<runtime::TileView> weights_;  // per tile of input channels
  unsigned scattered_ = 0;
};

}  // namespace tahoma::workloads
