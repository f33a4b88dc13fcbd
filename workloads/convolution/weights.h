// SPDX-License-Identifier: Apache-2.0
// The sources of a convolution's stationary operands. The tensor engine needs one row per input channel; the
// weights have one per output channel. There are three ways to transpose them:
//  - resident: blocks of rows are loaded, each tap gathered into a tile without gaps, transposed on the
//    tensor engine through PSUM, and scattered back between the other taps, where it stays;
//  - reload: taps are staged and transposed one by one, stored to HBM, and whole blocks loaded again;
//  - dma_transpose: the DMA engines transpose every tap from HBM to HBM element by element, and it is loaded.
#pragma once

#include <memory>

#include "runtime/builder/kernel.h"
#include "workloads/convolution/convolution_kernel.h"

namespace tahoma::workloads {

// Data that the parts of a convolution kernel share. A tile has `side` channels; `banks` are whole PSUM
// banks.
struct ConvolutionParts {
  runtime::Kernel& kernel;
  const ConvolutionShape& shape;
  unsigned side;
  runtime::Pool banks;

  unsigned in_tiles() const { return static_cast<unsigned>(shape.in / side); }
  unsigned out_tiles() const { return static_cast<unsigned>(shape.out / side); }
  unsigned taps() const { return static_cast<unsigned>(shape.taps()); }
};

class Weights {
 public:
  virtual ~Weights() = default;
  // Called for each tile of output channels, in this order: `load` starts loads from HBM, `stage` does the
  // work that can overlap the tensor engine's previous tile, and `transpose` does the rest.
  virtual void load(unsigned out) = 0;
  virtual void stage(unsigned out) = 0;
  virtual void transpose(unsigned out) = 0;
  // [side input channels, side output channels] of the tile that was transposed last.
  virtual runtime::TileView tap(unsigned in, unsigned tap) const = 0;
};

std::unique_ptr<Weights> make_weights(WeightPath path, const ConvolutionParts& parts);

}  // namespace tahoma::workloads
