// SPDX-License-Identifier: Apache-2.0
// How a convolution is tiled: output channels whose weights stay in SBUF together, images or output rows
// whose input does, and the runs of pixels that fill a PSUM bank.
#pragma once

#include <vector>

#include "workloads/common/ranges.h"
#include "workloads/convolution/conv2d_kernel.h"

namespace tahoma::workloads {

// Output rows of some images; if there is more than one image, the rows are all rows of each image.
struct Pixels {
  Range images, rows;
};

struct Conv2dPlan {
  unsigned height = 0;            // partitions, rows and columns of the array
  unsigned channels = 0;          // output channels of a panel of weights
  unsigned images = 0, rows = 0;  // of a block whose input is loaded at once
  unsigned bank_images = 0, bank_rows = 0;
  unsigned input_columns = 0;  // elements of a partition per block and tile of channels

  // Input rows that contribute to output rows, clipped to the image.
  static Range input_rows(const Conv2dShape& shape, const Range& rows);
  std::vector<Pixels> blocks(const Conv2dShape& shape) const;
  std::vector<Pixels> banks(const Pixels& block) const;
};

inline constexpr unsigned kBlockCopies = 2, kConvolutionGroup = 4, kConvolutionResults = 8;

Conv2dPlan plan_conv2d(const model::MachineParams& machine, const Conv2dShape& shape);

}  // namespace tahoma::workloads
