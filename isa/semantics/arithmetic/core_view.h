// SPDX-License-Identifier: Apache-2.0
// The state of a core that instructions read and write: on-chip memories, the operands in the array,
// accumulators and generators of random numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "isa/core/instruction.h"
#include "isa/core/rounding.h"
#include "isa/semantics/arithmetic/array_tiles.h"
#include "isa/semantics/arithmetic/random.h"
#include "isa/simd/matmul_loop.h"

namespace tahoma::isa {

// The scales of an operand of MXFP8, [partition / kScaleGroup][column]
// (isa/semantics/arithmetic/micro_scales.h).
struct MicroScales {
  std::size_t columns = 0;
  std::vector<float> scale;
};

// A stationary operand that load_weights left in the array.
struct LoadedWeights {
  Standing standing;
  std::size_t k = 0;                    // weights per column: rows, or twice as many in double_row
  std::vector<std::byte> raw;           // [k][column], the loaded bits: transpose moves these
  std::vector<std::uint16_t> selected;  // sparse: [k][column], the element of the moving operand
  MicroScales scales;                   // of MXFP8
  // Weights as fp32, in the panels of isa/simd/matmul_loop.h; built for the first matmul that needs them.
  Halves packed;
  std::vector<std::uint32_t> offsets;  // sparse: of the selected elements within a panel, in the same layout
  bool is_packed = false;
};

// All stationary operands in the array; their tiles do not overlap.
struct Weights {
  ArraySize array;
  std::vector<LoadedWeights> loaded;
};

// State that an element-wise engine keeps between instructions, per lane.
struct LaneState {
  static constexpr std::size_t kLanes = kGenerators;
  std::array<float, kLanes> accumulator{};
  Generators generator = initial_generators();  // of random numbers
};

// One core's on-chip memories as host bytes: partition p of SBUF starts at sbuf + p * sbuf_stride.
struct CoreView {
  std::byte* sbuf = nullptr;
  std::size_t sbuf_stride = 0;
  std::byte* psum = nullptr;
  std::size_t psum_stride = 0;
  Weights* weights = nullptr;  // of the tensor engine
  LaneState* lanes =
      nullptr;  // of the executing engine; null: accumulators 0, generators in their initial state
  Rounding* rounding = nullptr;  // of the executing element-wise engine; null: to nearest, ties to even
  bool exact_integers = false;   // the engine computes 32-bit integers exactly (GpSimd)

  std::byte* at(Space space, unsigned partition, std::size_t offset) const {
    return space == Space::kPsum ? psum + partition * psum_stride + offset
                                 : sbuf + partition * sbuf_stride + offset;
  }
};

}  // namespace tahoma::isa
