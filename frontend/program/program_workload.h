// SPDX-License-Identifier: Apache-2.0
// The workload `program`: assembler text (isa/text/assembler.h) on the first `cores` cores of a machine, each
// with its own tensors in its HBM. `tensors` defines each argument of the program, with entries separated by
// ';':
//   NAME DTYPE SHAPE seed | zero | FILE.npy [expect=FILE.npy [within=1e-5]]
//                        a tensor, e.g. "x fp32 128x512 seed"
//   NAME core | next_core
//                        this core's number, or the next one's
//   NAME next TENSOR     the next core's tensor of that name
//   NAME peer TENSOR     that of the other core of the logical core
// The core after the last is the first. A peer needs machine.chip.lnc = 2. A program has no definition from
// which a golden result could be computed, so only tensors with `expect` are checked: bit by bit, or each
// element to within a relative error.
#pragma once

#include <memory>

#include "runtime/workload/workload.h"

namespace tahoma::workloads {

std::unique_ptr<runtime::Workload> make_program();

}  // namespace tahoma::workloads
