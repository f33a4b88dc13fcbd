// SPDX-License-Identifier: Apache-2.0
// State of the kernel builder: allocated on-chip memory, the operations in program order, and the
// contents of the tensor engine.
#pragma once

#include <array>
#include <map>
#include <string>
#include <vector>

#include "isa/semantics/arithmetic/array_tiles.h"
#include "isa/table/table_fields.h"
#include "runtime/builder/kernel.h"
#include "runtime/builder/operations.h"

namespace tahoma::runtime {

// The dimensions of a transfer between this tile and HBM.
inline std::array<std::uint32_t, isa::kFreeDims> transfer_counts(const isa::Shape& shape) {
  return {shape.partitions, shape.count[1], shape.count[2], shape.count[3]};
}

struct Kernel::Impl {
  struct PoolState {
    std::string name;
    isa::Space space;
    isa::DType dtype;
    unsigned columns, copies;
    std::uint32_t first_offset, step;  // bytes in a partition
    std::uint32_t first_buffer;
    unsigned next = 0;
  };

  model::MachineParams machine;
  isa::Program program;
  Operations ops;
  std::vector<PoolState> pools;
  std::map<std::uint32_t, std::uint64_t> pitch;  // bytes of a row, per buffer in HBM
  std::vector<std::uint64_t> writes;             // per buffer: number of writes, to detect stale weights
  std::uint32_t sbuf_used = 0, psum_used = 0;
  unsigned next_signal = isa::kSemaphores;
  std::uint8_t own_core = isa::kNone;  // argument number
  struct Loaded {
    Stationary operand;
    std::uint8_t column = 0;
    std::uint64_t version = 0, tags_version = 0;  // of the buffers at the time of the load
    isa::ArrayBlock tile;
  };
  std::vector<Loaded> loaded;  // current contents of the array

  // Buffer numbers in [0, kArguments) are those of the arguments; on-chip buffers follow.
  std::uint32_t new_buffers(unsigned count);
  std::uint8_t new_argument(const std::string& name, std::uint64_t row_bytes);
  Pool new_pool(PoolState state);

  [[noreturn]] void refuse(const std::string& code, const std::string& text) const;
  void require(bool condition, const char* text) const;  // E-RUN-021
  void require_same(const TileView& a, const TileView& b, const char* what) const;

  std::uint32_t buffer_at(isa::Space space, std::uint32_t offset) const;
  Region region_of(const TileView& view) const;
  Region region_of(const HbmView& view) const;
  Op& append(isa::Opcode opcode, isa::Queue queue);
  void reads(Op& op, const TileView& view) { op.touch(region_of(view), false); }
  void writes_to(Op& op, const TileView& view);
  void reads(Op& op, const isa::Scalar& scalar, const TileView* column);

  isa::ArraySize array() const;
  // For a matmul or transpose of `moving` into `dst`: loads `stationary` into the array
  // block that it will use.
  void load_weights(const TileView& dst, const Stationary& stationary, const TileView& moving);
  // Called for a matmul that accumulates into `dst`: keeps the accumulation group of the previous matmul
  // open, unless its results have been accessed since.
  void continue_group(const TileView& dst);
  // Signals order accesses to another core's memory; only the programs know that order.
  void touches(Op& op, const HbmView& view, bool write) {
    if (view.distance == 0) op.touch(region_of(view), write);
  }
  // Dimension 0 of the window is indexed by these row numbers.
  void number_rows(Op& op, isa::Indirection direction, const HbmView& window, const TileView& rows);
  Op& append_dma(isa::Queue on, const isa::Descriptor& descriptor);
  Op& append_move(const HbmView& dst, const Folded& what, isa::Queue on);  // without dst's region
  void deliver(Op& op, const Delivery& to, std::int16_t& peer, isa::Update& update) const;
  isa::DmaSide side_of(const TileView& view) const;
  isa::DmaSide side_of(const HbmView& view, const isa::Shape* free_shape) const;
};

}  // namespace tahoma::runtime
