// SPDX-License-Identifier: Apache-2.0
// Regions of PSUM as rectangles of partitions and bytes.
#pragma once

#include <cstdint>
#include <vector>

#include "runtime/builder/scheduler.h"

namespace tahoma::runtime::nki {

std::uint64_t area_of(const Region& rectangle);
// Returns the part of a rectangle inside another one; it has no bytes if there is none.
Region common(const Region& a, const Region& b);
// A region with a step is a rectangle for each of its columns.
std::vector<Region> rectangles_of(const Region& region);
// Adds what remains of a rectangle without the part `hole` of it: above, below, and on both sides.
void add_around(const Region& r, const Region& hole, std::vector<Region>& remaining);

}  // namespace tahoma::runtime::nki
