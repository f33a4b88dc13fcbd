// SPDX-License-Identifier: Apache-2.0
// How a convolution is tiled: output channels whose weights stay in SBUF together, images or output rows
// whose input does, and the runs of pixels that fill a PSUM bank.
#pragma once

#include <vector>

#include "workloads/common/ranges.h"
#include "workloads/convolution/conv2d_kernel.h"

namespace tahoma::workloads {

// Output pixels of some images; if there is more than one image, they are all of each image. A bank that has
// not all columns has one row.
struct Pixels {
  Range images, rows, columns;
  unsigned count() const { return images.count * rows.count * columns.count; }
};

struct Conv2dPlan {
  unsigned height = 0;            // partitions, rows and columns of the array
  unsigned channels = 0;          // output channels of a panel of weights
  unsigned images = 0, rows = 0;  // of a block whose input is loaded at once
  unsigned bank_images = 0, bank_rows = 0, bank_columns = 0;
  // Copies of the input side by side in the partitions, each shifted by one more row of the filter: `stack`
  // taps of a column of the filter are one product, and `passes` of these are the whole column.
  unsigned stack = 1, passes = 0;
  unsigned input_columns = 0;  // elements of a partition per block and tile of channels

  // Input rows that contribute to output rows, clipped to the image.
  static Range input_rows(const Conv2dShape& shape, const Range& rows);
  // Rows of each copy, if there are several; some are outside the image.
  unsigned stacked_rows(const Conv2dShape& shape, std::uint64_t rows) const;
  std::vector<Pixels> blocks(const Conv2dShape& shape) const;
  std::vector<Pixels> banks(const Pixels& block) const;
};

inline constexpr unsigned kBlockCopies = 2, kConvolutionGroup = 4, kConvolutionResults = 8;

Conv2dPlan plan_conv2d(const model::MachineParams& machine, const Conv2dShape& shape);

}  // namespace tahoma::workloads
