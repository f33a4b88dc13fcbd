// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding on one core: pairs of elements of every head rotate by the angles of their token,
//
//   y1 = x1 cos - x2 sin,   y2 = x2 cos + x1 sin
//
// where pair i consists of elements i and i + d/2 (halves) or of 2 i and 2 i + 1 (interleaved). Products are
// rounded to the dtype, which lets the vector engine process two elements a cycle. Tokens are on partitions,
// with all heads side by side; a row's heads are split if they do not fit.
#pragma once

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct RopeShape {
  std::uint64_t tokens = 0, heads = 0, d = 0;
  bool interleaved = false;
  std::uint64_t positions = 0;  // rows of the table, looked up by number; 0: a row for each token
  isa::DType dtype = isa::DType::kBf16;
  std::uint64_t pitch =
      0;  // features of a head, of which the first d rotate; 0: d. The others stay as they are.
};

// x and y [tokens, heads d] may be columns of a wider matrix, and also the same ones. table [positions or
// tokens, d] has cos of the d/2 angles and then sin. positions is [tokens, 1] int32 if they are numbers.
struct RopeViews {
  runtime::HbmView x, table, y, positions;
};

// Appends it to a kernel, which may contain more than this. Row numbers must come from an argument that the
// caller has declared `control`. Uses up to 66 KiB of each SBUF partition, or 132 KiB for fp32.
void emit_rope(runtime::Kernel& kernel, const model::MachineParams& machine, const RopeShape& shape,
               const RopeViews& views);

// A separate program. Arguments: x [tokens, heads d], table [positions or tokens, d] with cos of the d/2
// angles and then sin; positions [tokens, 1] int32 if they are numbers; y like x.
isa::Program rope_program(const model::MachineParams& machine, const RopeShape& shape);

}  // namespace tahoma::workloads
