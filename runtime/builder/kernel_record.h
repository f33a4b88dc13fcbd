// SPDX-License-Identifier: Apache-2.0
// The parts of a kernel share this record: the operations in program order, the arguments, and the bytes that
// an operation accesses.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "isa/table/table_fields.h"
#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel_views.h"
#include "runtime/builder/operations.h"

namespace tahoma::runtime {

isa::Scalar scalar_of(const ScalarOperand& operand);

class KernelRecord {
 public:
  KernelRecord(std::string name, const model::MachineParams& machine, std::shared_ptr<OperationKinds> kinds);

  const model::MachineParams machine;
  isa::Program program;
  Operations ops;

  // Buffer numbers in [0, kArguments) are those of the arguments; on-chip buffers follow.
  std::uint32_t new_buffers(unsigned count);
  std::uint8_t new_argument(const std::string& name, std::uint64_t row_bytes);
  static constexpr std::uint64_t kNoRows = 0;  // regions of the tensor are not rectangles of rows
  void set_row_bytes(std::uint32_t buffer, std::uint64_t bytes) { pitch_[buffer] = bytes; }
  std::uint64_t version(std::uint32_t buffer) const { return writes_.at(buffer); }

  [[noreturn]] void refuse(const std::string& code, const std::string& text) const;
  void require(bool condition, const char* text) const;  // E-RUN-021
  void require_same(const TileView& a, const TileView& b, const char* what) const;

  Region region_of(const TileView& view) const;
  Region region_of(const HbmView& view) const;
  static Region bytes_of(const HbmView& view);
  Op& append(isa::Opcode opcode, isa::Queue queue);
  void reads(Op& op, const TileView& view) { op.touch(region_of(view), false); }
  void reads(Op& op, const isa::Scalar& scalar, const TileView* column);
  void writes_to(Op& op, const TileView& view);
  // Signals order accesses to another core's memory; only the programs know that order.
  void touches(Op& op, const HbmView& view, bool write) {
    if (view.distance == 0) op.touch(region_of(view), write);
  }

 private:
  std::map<std::uint32_t, std::uint64_t> pitch_;  // bytes of a row, per buffer in HBM
  std::vector<std::uint64_t> writes_;             // per buffer: number of writes, to detect stale weights
};

}  // namespace tahoma::runtime
