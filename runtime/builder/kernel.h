// SPDX-License-Identifier: Apache-2.0
// A kernel is written in program order on tiles. finish() finds the dependencies between the engines, places
// the semaphores and returns the per-engine streams. Double buffering is a pool with two copies: the third
// take() waits until all readers of the first tile are done.
//
// Operations and memory are declared by subject: kernel_memory.h, kernel_transfers.h, kernel_signals.h,
// kernel_matmul.h and kernel_elementwise.h.
#pragma once

#include <memory>
#include <string>

#include "model/system/machine/machine_params.h"
#include "runtime/builder/kernel_elementwise.h"
#include "runtime/builder/kernel_matmul.h"
#include "runtime/builder/kernel_memory.h"
#include "runtime/builder/kernel_signals.h"
#include "runtime/builder/kernel_transfers.h"

namespace tahoma::runtime {

class KernelRecord;
class OperationKinds;

class Kernel : public KernelMemory,
               public KernelTransfers,
               public KernelSignals,
               public KernelMatmul,
               public KernelElementwise {
 public:
  // Kernels with the same operations, such as those of the ranks of a group, use less host memory when they
  // share `kinds` (runtime/builder/operations.h).
  Kernel(std::string name, const model::MachineParams& machine,
         std::shared_ptr<OperationKinds> kinds = nullptr);
  ~Kernel();

  // Operations that follow belong to this part of the work, until the next call. Reports state the time and
  // the bound of each part.
  void region(const std::string& name);

  // dst = (src0 op0 scalar) op1 src1
  void scalar_tensor_tensor(const TileView& dst, const TileView& src0, isa::AluOp op0, Operand scalar,
                            isa::AluOp op1, const TileView& src1);

  // Any other instruction, with tiles of this kernel's pools in its fields (`i.dst = y.tile;
  // i.shape = y.shape`). The instruction table says what it reads and writes, which
  // determines its dependencies.
  void emit(isa::Queue on, const isa::Instruction& instruction);

  isa::Program finish();

 private:
  explicit Kernel(std::unique_ptr<KernelRecord> record);

  std::unique_ptr<KernelRecord> record_;
};

}  // namespace tahoma::runtime
