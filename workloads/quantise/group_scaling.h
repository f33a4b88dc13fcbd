// SPDX-License-Identifier: Apache-2.0
// dst = src times the number of its group; two engines share the work.
#pragma once

#include "runtime/builder/kernel.h"
#include "workloads/quantise/quantise_kernel.h"

namespace tahoma::workloads {

// `scales` is [P, groups] of fp32. For rows, the vector engine takes `vector_share` 16ths of the columns and
// the scalar engine the rest; for blocks, the vector engine takes that share and GpSimd the rest.
void scale_groups(runtime::Kernel& kernel, Group group, const runtime::TileView& dst,
                  const runtime::TileView& src, const runtime::TileView& scales, unsigned vector_share);

}  // namespace tahoma::workloads
