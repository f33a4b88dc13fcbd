// SPDX-License-Identifier: Apache-2.0
// The memory of a kernel: its arguments in HBM, and the pools of SBUF and PSUM with their tiles.
#pragma once

#include <string>
#include <vector>

#include "runtime/builder/kernel_views.h"

namespace tahoma::runtime {

class KernelRecord;

class KernelMemory {
 public:
  explicit KernelMemory(KernelRecord& record) : record_(record) {}

  HbmView argument(const std::string& name, isa::DType dtype, std::uint64_t rows, std::uint64_t columns);
  // The argument keeps its values in timing mode: page tables, routing, counts.
  void control(const HbmView& argument);
  // Another tensor of this core, `bytes` from the argument's address, with dependencies of its own.
  HbmView beside(const HbmView& argument, std::int64_t bytes, isa::DType dtype, std::uint64_t rows,
                 std::uint64_t columns);
  // Windows of the tensor have rows of several lengths: its dependencies are tracked by bytes, with gaps that
  // are regular.
  void track_bytes(const HbmView& tensor);

  // On-chip memory: `copies` rotating buffers of 128 partitions x `columns` elements. Throws UserError
  // E-RUN-020 when SBUF or PSUM is exhausted; the message names the pool and what is left.
  Pool sbuf(const std::string& name, isa::DType dtype, unsigned columns, unsigned copies = 1);
  Pool psum(const std::string& name, isa::DType dtype, unsigned columns,
            unsigned copies = 1);                                   // bank-aligned
  TileView take(Pool pool, unsigned partitions, unsigned columns);  // the next copy
  // Pools created in a scope are released at its end, so that later work can reuse their space. Writes to
  // reused space wait, tile by tile, for operations that still use the old contents. Tiles of released pools
  // must not be used any more.
  class Scope {
   public:
    explicit Scope(KernelMemory& memory);
    ~Scope();
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    KernelMemory& memory_;
    std::uint32_t sbuf_, psum_;  // in use when the scope began
  };

 protected:
  // The buffer that contains this byte of a partition: that of the latest pool that covers it.
  std::uint32_t buffer_at(isa::Space space, std::uint32_t offset) const;

 private:
  struct PoolState {
    std::string name;
    isa::Space space;
    isa::DType dtype;
    unsigned columns, copies;
    std::uint32_t first_offset, step;  // bytes in a partition
    std::uint32_t first_buffer;
    unsigned next = 0;
  };
  Pool new_pool(PoolState state);

  KernelRecord& record_;
  std::vector<PoolState> pools_;
  std::uint32_t sbuf_used_ = 0, psum_used_ = 0;
};

}  // namespace tahoma::runtime
