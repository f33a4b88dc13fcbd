// SPDX-License-Identifier: Apache-2.0
// The definition of cross-entropy and its gradient, in double and by whole rows.
//
// Tolerance. A row's sum of exponentials is off by a relative error r: the deviations of its `columns` fp32
// additions, 2^-24 of twice the largest logit for the arguments, 32 * 2^-24 for the exponential and the
// updates of the maximum, and 4 * 2^-24 more for every 2048 columns. The loss is off by r and by 2^-22 of its
// terms. The gradient is off by 2 r and half a unit in the dtype of scale p, whose exponential was rounded
// once (in fp16 2^-25 scale at least), and at the label by 2^-22 scale. The part of a mean is off by the
// errors of its losses and as many additions as rows.
#pragma once

#include <vector>

#include "runtime/golden/golden.h"

namespace tahoma::workloads {

struct CrossEntropyTensors {
  const runtime::HostTensor &logits, &labels, &gradient, &loss, &part;
  std::vector<std::uint64_t> rows_of_part;  // rows that each element of `part` adds up
};

using MakerOfOutput = std::function<runtime::MadeBy(const std::string& output)>;
runtime::GoldenResult check_cross_entropy(const CrossEntropyTensors& tensors, const MakerOfOutput& maker);

}  // namespace tahoma::workloads
