// SPDX-License-Identifier: Apache-2.0
// A core's memories and instructions on whole tiles, for benchmarks.
#pragma once

#include <cstdint>
#include <random>

#include "isa/semantics/semantics.h"

namespace tahoma::bench {

inline constexpr std::size_t kSbufStride = 229376, kPsumStride = 16384,
                             kPartitions = 128;  // as on trn2_* machines
inline constexpr unsigned kColumns = 128;

class Core {
 public:
  Core() : sbuf_(kPartitions * kSbufStride, std::byte{0}), psum_(kPartitions * kPsumStride, std::byte{0}) {}
  isa::CoreView view() { return {sbuf_.data(), kSbufStride, psum_.data(), kPsumStride, &weights_}; }

  // Random numbers around zero in `columns` elements of every partition.
  void fill(const isa::Tile& tile, unsigned columns) {
    std::mt19937 engine(1);
    std::normal_distribution<float> normal;
    for (unsigned p = 0; p < kPartitions; ++p) {
      std::byte* row = view().at(tile.space, p, tile.offset);
      for (unsigned c = 0; c < columns; ++c) {
        isa::store_from_fp32(row + c * isa::size_of(tile.dtype), tile.dtype, normal(engine));
      }
    }
  }

 private:
  isa::PanelBuffer<std::byte> sbuf_, psum_;  // aligned to whole cache lines, as on a machine
  isa::Weights weights_;
};

inline isa::Tile tile(isa::Space space, isa::DType dtype, std::uint32_t offset) {
  return {space, dtype, 0, offset, {0, 0, 0, 1}};
}

inline isa::Instruction instruction(isa::Opcode op, const isa::Tile& dst, const isa::Tile& src,
                                    unsigned columns) {
  isa::Instruction i;
  i.op = op;
  i.shape = {kPartitions, {1, 1, 1, static_cast<std::uint16_t>(columns)}};
  i.dst = dst;
  i.src0 = src;
  i.columns = kColumns;
  i.scalar0.imm = 1.0F;
  return i;
}

}  // namespace tahoma::bench
