// SPDX-License-Identifier: Apache-2.0
// Regions of PSUM as rectangles of partitions and bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/builder/scheduler.h"

namespace tahoma::runtime::nki {

std::uint64_t area_of(const Region& rectangle);
// A region with a step is a rectangle for each of its columns.
std::vector<Region> rectangles_of(const Region& region);
std::uint64_t common_bytes(const std::vector<Region>& a, const std::vector<Region>& b);
// Returns what remains of some rectangles without others.
std::vector<Region> without(const std::vector<Region>& rectangles, const std::vector<Region>& holes);

}  // namespace tahoma::runtime::nki
