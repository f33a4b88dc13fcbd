// SPDX-License-Identifier: Apache-2.0
// The region of on-chip memory that an operand covers, for the dependencies of the scheduler.
#pragma once

#include "isa/table/access.h"
#include "runtime/builder/scheduler.h"

namespace tahoma::runtime {

// All of SBUF is one buffer, and so is all of PSUM: tensors share addresses one after another.
inline constexpr std::uint32_t kOnChip = 0xfffffff0;

// The bytes from the first to the last element in each partition. Gaps are tracked only if a single dimension
// causes them; other strided operands are treated as contiguous.
inline Region region_of(const isa::Pattern& pattern) {
  std::int64_t low = 0, high = 0, step = 0;
  unsigned dimensions = 0;
  for (std::size_t d = 0; d < isa::kFreeDims; ++d) {
    const std::int64_t reach = pattern.stride[d] * (static_cast<std::int64_t>(pattern.count[d]) - 1);
    (reach < 0 ? low : high) += reach;
    if (reach == 0) continue;
    ++dimensions;
    step = pattern.stride[d] < 0 ? -pattern.stride[d] : pattern.stride[d];
  }
  Region region{kOnChip + static_cast<std::uint32_t>(pattern.space), pattern.partition, pattern.partitions,
                pattern.offset + static_cast<std::uint64_t>(low),
                static_cast<std::uint64_t>(high - low) + pattern.element};
  if (dimensions == 1 && step > static_cast<std::int64_t>(pattern.element)) {
    region.step = static_cast<std::uint64_t>(step);
    region.width = pattern.element;
  }
  return region;
}

}  // namespace tahoma::runtime
