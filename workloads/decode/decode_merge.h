// SPDX-License-Identifier: Apache-2.0
// Merges attention over parts of the keys. With output o_i and log-sum-exp l_i of part i
//
//   o = sum_i exp(l_i - max_j l_j) o_i / sum_i exp(l_i - max_j l_j)
//
// in fp32, rounded once. In HBM, parts [parts sequences, heads d] and o [sequences, heads d] are token-major;
// l is [parts, at least heads sequences] of fp32 with the heads of a part in sequence. One pass handles at
// most as many sequences as SBUF has partitions.
#pragma once

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct DecodeMergeShape {
  std::uint64_t parts = 1, sequences = 1, heads = 1, d = 0;
  isa::DType dtype = isa::DType::kBf16;
};

struct DecodeMergeViews {
  runtime::HbmView parts, lse, o;
};

void emit_decode_merge(runtime::Kernel& kernel, const model::MachineParams& machine,
                       const DecodeMergeShape& shape, const DecodeMergeViews& views);

}  // namespace tahoma::workloads
