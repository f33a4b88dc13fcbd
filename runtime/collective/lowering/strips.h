// SPDX-License-Identifier: Apache-2.0
// Windows of chunks in HBM.
#pragma once

#include "runtime/collective/schedule/collective_channel.h"

namespace tahoma::runtime::collective {

// Number of chunks from the first to the last of a set, gaps included: the space that it takes in a slot.
std::uint32_t span_of(const ChunkSet& chunks);

// Elements [first, first + count) of the chunk at `place`.
HbmView cut(const Strip& strip, std::uint64_t place, std::uint64_t first, std::uint64_t count);

// Extends `view`, a window of the set's first chunk, to all of its chunks. Chunk numbers that differ by
// `stride` are `pitch` elements apart.
HbmView spread(HbmView view, const ChunkSet& chunks, std::int64_t pitch, std::uint32_t stride);

// Counts the elements rounded up to whole accesses of HBM.
std::uint64_t aligned(std::uint64_t elements, isa::DType dtype);

}  // namespace tahoma::runtime::collective
