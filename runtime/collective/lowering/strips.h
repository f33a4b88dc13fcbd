// SPDX-License-Identifier: Apache-2.0
// Windows of chunks in HBM.
#pragma once

#include "runtime/collective/lowering/collective_channel.h"

namespace tahoma::runtime::collective {

// Chunks from the first to the last of a set, those in between included: the room it takes in a slot.
std::uint32_t span_of(const ChunkSet& chunks);

// Elements [first, first + count) of the chunk at `place`.
HbmView cut(const Strip& strip, std::uint64_t place, std::uint64_t first, std::uint64_t count);

// `view`, a window of the set's first chunk, for all of its chunks: places are `pitch` elements apart, chunk
// numbers `stride` places.
HbmView spread(HbmView view, const ChunkSet& chunks, std::int64_t pitch, std::uint32_t stride);

// Elements rounded up to whole accesses of HBM.
std::uint64_t aligned(std::uint64_t elements, isa::DType dtype);

}  // namespace tahoma::runtime::collective
