// SPDX-License-Identifier: Apache-2.0
// Cross-entropy of logits with labels on one core, forward and backward in one pass:
//
//   loss[r] = log sum_j exp(x[r, j]) - x[r, label[r]]
//   gradient[r, j] = scale (softmax(x[r])[j] - (j == label[r]))
//   part = scale sum over this core's rows of loss
//
// The columns are processed in blocks with a running maximum. A block's exponentials replace its logits in
// SBUF, up to a factor that each row's final maximum determines; if SBUF does not hold all blocks, the first
// ones are read again. Labels are resolved by row number in memory: logits and gradient are viewed as rows of
// one element, number p columns + label for the p-th of 128 rows, a sum that transfers compute.
#pragma once

#include <string>

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"
#include "runtime/run/inputs.h"

namespace tahoma::workloads {

struct CrossEntropyShape {
  std::uint64_t rows = 0, columns = 0;
  float scale = 1;  // of gradient and part: 1 / rows of all cores for the mean
  isa::DType dtype = isa::DType::kBf16;
};

struct CrossEntropyViews {
  // [rows, columns] in the dtype, possibly columns of wider matrices with the same row stride; the gradient
  // may overwrite the logits.
  runtime::HbmView logits, gradient;
  runtime::HbmView labels;  // [rows, 1] int32
  // [partitions, 1] int32: 0, 1, 2, ... times the row stride of logits and gradient (fill_row_starts).
  runtime::HbmView starts;
  runtime::HbmView places;      // [rows, 1] int32, scratch: the initial contents are irrelevant
  runtime::HbmView loss, part;  // fp32 [rows, 1] and [1, 1]
};

// Appends it to a kernel that may contain other work. Takes most of SBUF and a bank of PSUM. Timing mode
// needs the values of labels and starts: their arguments must be declared control (Kernel::control).
void emit_cross_entropy(runtime::Kernel& kernel, const model::MachineParams& machine,
                        const CrossEntropyShape& shape, const CrossEntropyViews& views);

// A program of its own. Arguments: logits [rows, columns]; labels [rows, 1] int32, control; starts
// [partitions, 1] int32, control: fill_row_starts; places [rows, 1] int32, scratch; gradient [rows, columns]
// in the dtype; loss [rows, 1] and part [1, 1] in fp32.
isa::Program cross_entropy_program(const model::MachineParams& machine, const CrossEntropyShape& shape);

// Fills `starts` with 0, stride, 2 stride, ..., for rows `stride` elements apart.
void fill_row_starts(runtime::HostTensor& starts, std::uint64_t stride);

}  // namespace tahoma::workloads
