// SPDX-License-Identifier: Apache-2.0
// Weights that are loaded once and transposed on chip. In SBUF the taps of a channel are side by side, so the
// copies and the tensor engine's weight loads have a stride of a whole filter.
#pragma once

#include <deque>
#include <vector>

#include "workloads/convolution/weights.h"

namespace tahoma::workloads {

class ResidentWeights final : public Weights {
 public:
  explicit ResidentWeights(const ConvolutionParts& parts);
  void load(unsigned out) override;
  void stage(unsigned out) override;
  void transpose(unsigned out) override;
  runtime::TileView tap(unsigned in, unsigned tap) const override;

 private:
  void gather();  // the taps of the next loaded block
  void transpose_block();

  const ConvolutionParts& parts_;
  runtime::Kernel& kernel_;
  runtime::HbmView w_, identity_from_;
  runtime::Pool identities_, rows_, gathered_, transposed_;
  runtime::TileView identity_;
  std::deque<runtime::TileView> loaded_, staged_;
  std::vector<runtime::TileView> weights_;  // per tile of input channels
  unsigned scattered_ = 0;
};

}  // namespace tahoma::workloads
