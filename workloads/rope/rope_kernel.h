// SPDX-License-Identifier: Apache-2.0
// Rotary position embedding on one core: pairs of elements of every head rotate by the angles of their token,
//
//   y1 = x1 cos - x2 sin,   y2 = x2 cos + x1 sin
//
// with pair i made of elements i and i + d/2 (halves) or of 2 i and 2 i + 1 (interleaved). Products are
// rounded to the dtype: the vector engine then takes two elements a cycle. Tokens are on partitions, all
// heads beside each other; a row's heads are cut where they would not fit.
#pragma once

#include "isa/core/program.h"
#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct RopeShape {
  std::uint64_t tokens = 0, heads = 0, d = 0;
  bool interleaved = false;
  std::uint64_t positions = 0;  // rows of the table, looked up by number; 0: a row for each token
  isa::DType dtype = isa::DType::kBf16;
};

// x and y [tokens, heads d], perhaps columns of a wider matrix, also the same ones; table [positions or
// tokens, d] with cos of the d/2 angles and then sin; positions [tokens, 1] int32 if they are numbers.
struct RopeViews {
  runtime::HbmView x, table, y, positions;
};

// Appends it to a kernel, which may hold more than this. Row numbers have to come from an argument that the
// caller has declared `control`. Takes up to 66 KiB of each SBUF partition, of fp32 132.
void emit_rope(runtime::Kernel& kernel, const model::MachineParams& machine, const RopeShape& shape,
               const RopeViews& views);

// Alone. Arguments: x [tokens, heads d], table [positions or tokens, d] with cos of the d/2 angles and then
// sin; positions [tokens, 1] int32 if they are numbers; y like x.
isa::Program rope_program(const model::MachineParams& machine, const RopeShape& shape);

}  // namespace tahoma::workloads
