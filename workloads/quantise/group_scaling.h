// SPDX-License-Identifier: Apache-2.0
// dst = src times the number of its group, as two engines share it.
#pragma once

#include "runtime/builder/kernel.h"
#include "workloads/quantise/quantise_kernel.h"

namespace tahoma::workloads {

// `scales` is [P, groups] of fp32. Rows: the scalar engine, and of `vector_share` 16ths of the columns the
// vector engine; blocks: the vector engine, and of the rest GpSimd.
void scale_groups(runtime::Kernel& kernel, Group group, const runtime::TileView& dst,
                  const runtime::TileView& src, const runtime::TileView& scales, unsigned vector_share);

}  // namespace tahoma::workloads
