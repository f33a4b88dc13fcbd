// SPDX-License-Identifier: Apache-2.0
// Weights that are stored to HBM after they are transposed and loaded again, tap by tap without gaps. In HBM
// they are ordered by output channel, tile of input channels, tap and input channel, so that a tap is a run
// of a row.
#pragma once

#include <deque>
#include <vector>

#include "workloads/convolution/weights.h"

namespace tahoma::workloads {

class ReloadedWeights final : public Weights {
 public:
  explicit ReloadedWeights(const ConvolutionParts& parts);
  void load(unsigned out) override;
  void stage(unsigned out) override;
  void transpose(unsigned out) override;
  runtime::TileView tap(unsigned in, unsigned tap) const override;

 private:
  struct Transposed {
    runtime::TileView tile;
    std::uint64_t block;  // of the scratch tensor
    unsigned tap;
  };
  void stage_block();  // the taps of the next loaded block
  void transpose_tap(std::uint64_t block, unsigned tap);
  void store_oldest();

  const ConvolutionParts& parts_;
  runtime::Kernel& kernel_;
  runtime::HbmView w_, identity_from_, scratch_;
  runtime::Pool identities_, rows_, staging_, transposing_, reloaded_;
  runtime::TileView identity_;
  std::deque<runtime::TileView> loaded_, staged_;
  std::deque<Transposed> transposed_;
  std::vector<runtime::TileView> weights_;  // per tile of input channels
};

}  // namespace tahoma::workloads
