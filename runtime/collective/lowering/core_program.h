// SPDX-License-Identifier: Apache-2.0
// One core's program in the making, and what collectives have to know of it: its tensors are addressed from
// one of its own, so that there may be any number of them.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "runtime/collective/lowering/channel_semaphores.h"
#include "runtime/collective/lowering/stopwatch.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime::collective {

struct CoreProgram {
  CoreProgram(Machine& machine, std::uint32_t number, const std::string& name,
              std::shared_ptr<OperationKinds> kinds = nullptr);
  CoreProgram(const CoreProgram&) = delete;
  CoreProgram& operator=(const CoreProgram&) = delete;

  // The tensor as a matrix of shape.back() columns. Each call is a tensor of its own to the scheduler: ask
  // once for each.
  HbmView view(const Tensor& tensor);
  // The same as an argument of its own, which keeps its values in timing mode (Kernel::control).
  HbmView control(const Tensor& tensor);
  // A mark of the stopwatch on a collective queue; its number there.
  std::uint32_t mark(isa::Queue queue);
  // The same once the semaphore is at its level, with which what the queue has waited for and what others
  // have sent to the window is there for whoever uses it later.
  std::uint32_t mark_landed(isa::Queue queue, const HbmView& window,
                            const std::optional<Semaphores::Level>& level);
  // What stands behind the program's arguments.
  std::vector<std::uint64_t> arguments() const;
  // Finishes the kernel.
  void load(Machine& machine, Stopwatch& stopwatch);

  Kernel kernel;
  Tensor memory;
  CoreKernel at;

 private:
  std::vector<Tensor> controls_;  // arguments behind memory and the core's number
  std::uint32_t& marks(isa::Queue queue) { return marks_.at(queue == isa::Queue::kCc0 ? 0 : 1); }
  std::array<std::uint32_t, 2> marks_{};
};

}  // namespace tahoma::runtime::collective
