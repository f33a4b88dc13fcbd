// SPDX-License-Identifier: Apache-2.0
// What each instruction does to tiles: pure functions on views of a core's memories. Knows nothing of time.
//
// Declared order of the tensor engine: a pass sums rows in ascending K from +0 with one rounding per fused multiply-add
// in fp32; the sum of the pass is then added to PSUM with one rounding. Results are the same bits on every host.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "isa/instruction.h"

namespace tahoma::isa {

// The stationary operand that load_weights leaves in the array: rows x columns.
struct Weights {
  unsigned rows = 0, columns = 0;
  DType dtype = DType::kBf16;
  std::vector<float> value;         // [row][column], as fp32
  std::vector<std::uint32_t> bits;  // [row][column], the raw bits: what transpose moves
};

// One core's on-chip memories as host bytes: partition p of SBUF starts at sbuf + p * sbuf_stride.
struct CoreView {
  std::byte* sbuf = nullptr;
  std::size_t sbuf_stride = 0;
  std::byte* psum = nullptr;
  std::size_t psum_stride = 0;
  Weights* weights = nullptr;

  std::byte* at(Space space, unsigned partition, std::size_t offset) const {
    return space == Space::kPsum ? psum + partition * psum_stride + offset : sbuf + partition * sbuf_stride + offset;
  }
};

// Apply one compute instruction (everything but DMA, semaphores, registers and control flow, which change no tile).
void execute(const Instruction& instruction, const CoreView& core);

// Apply one transfer. `hbm_dst`, `hbm_src`: host bytes at the base address of an HBM side (offset and register included);
// ignored for a side on chip.
void execute_dma(const Descriptor& descriptor, const CoreView& core, std::byte* hbm_dst, const std::byte* hbm_src);

}  // namespace tahoma::isa
