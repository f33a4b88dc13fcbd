// SPDX-License-Identifier: Apache-2.0
// From the two sides of a transfer to descriptors. A descriptor has four counts, and each on-chip side walks
// partitions along one of them. What needs more becomes several transfers, one for each step of the outermost
// dimensions; this is the only reason to split one.
#pragma once

#include <array>
#include <vector>

#include "frontend/nki/record/trace.h"
#include "isa/core/instruction.h"

namespace tahoma::runtime::nki {

// A descriptor, with offsets still relative to the sides' tensors.
struct Piece {
  std::array<std::uint32_t, isa::kFreeDims> count{1, 1, 1, 1};
  isa::DmaSide dst;
  std::vector<isa::DmaSide> sources;
};

// Sides of one element order. Throws UserError E-NKI-011 if their elements do not correspond.
std::vector<Piece> pieces_of(const TransferWork& work, const Trace& trace);
// Dimension 0 of one side takes its rows from numbers: counts[0] are the rows, one for each partition.
std::vector<Piece> indirect_pieces(const TransferWork& work, const Trace& trace, bool gather);

// Whether the transposing path of the DMA engines can move this piece.
bool can_transpose(const Piece& piece);

}  // namespace tahoma::runtime::nki
