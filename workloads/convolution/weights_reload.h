// SPDX-License-Identifier: Apache-2.0
// Weights that go back to HBM when they are turned and are loaded again, tap by tap without gaps. They lie
// in HBM by output channel, tile of input channels, tap and input channel, so that a tap is a run of a row.
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
  void turn(unsigned out) override;
  runtime::TileView tap(unsigned in, unsigned tap) const override;

 private:
  struct Turned {
    runtime::TileView tile;
    std::uint64_t block;  // of the scratch tensor
    unsigned tap;
  };
  void stage_block();  // the taps of the next loaded block
  void turn_tap(std::uint64_t block, unsigned tap);
  void store_oldest();

  const ConvolutionParts& parts_;
  runtime::Kernel& kernel_;
  runtime::HbmView w_, identity_from_, scratch_;
  runtime::Pool identities_, rows_, staging_, turning_, reloaded_;
  runtime::TileView identity_;
  std::deque<runtime::TileView> loaded_, staged_;
  std::deque<Turned> turned_;
  std::vector<runtime::TileView> weights_;  // per tile of input channels
};

}  // namespace tahoma::workloads
