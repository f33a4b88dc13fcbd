// SPDX-License-Identifier: Apache-2.0
// The program of one core under construction, and what collectives need to know about it. All its tensors are
// addressed relative to one of them, so their number is not limited.
#pragma once

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "runtime/collective/lowering/stopwatch.h"
#include "runtime/collective/schedule/channel_semaphores.h"
#include "runtime/run/machine.h"

namespace tahoma::runtime::collective {

struct CoreProgram {
  CoreProgram(Machine& machine, std::uint32_t number, const std::string& name,
              std::shared_ptr<OperationKinds> kinds = nullptr);
  CoreProgram(const CoreProgram&) = delete;
  CoreProgram& operator=(const CoreProgram&) = delete;

  // Returns the tensor as a matrix of shape.back() columns. The scheduler treats each call as a separate
  // tensor: call it once for each.
  HbmView view(const Tensor& tensor);
  // As view(), but as an argument of its own that keeps its values in timing mode (Kernel::control).
  HbmView control(const Tensor& tensor);
  // Places a mark of the stopwatch on a collective queue; returns its number on that queue.
  std::uint32_t mark(isa::Queue queue);
  // As mark(), once the semaphore has reached its level: then everything that the queue has waited for, and
  // what others have sent to the window, is available to later operations.
  std::uint32_t mark_landed(isa::Queue queue, const HbmView& window,
                            const std::optional<Semaphores::Level>& level);
  // Returns the values of the program's arguments.
  std::vector<std::uint64_t> arguments() const;

  Kernel kernel;
  Tensor memory;
  CoreKernel at;

 private:
  std::vector<Tensor> controls_;  // arguments after the memory and the core number
  std::uint32_t& marks(isa::Queue queue) { return marks_.at(queue == isa::Queue::kCc0 ? 0 : 1); }
  std::array<std::uint32_t, 2> marks_{};
};

// Finishes the kernels, on several threads, and declares the programs valid to the machine. Programs share
// equal streams.
std::vector<std::shared_ptr<const isa::Program>> finish_programs(Machine& machine,
                                                                 const std::vector<CoreProgram*>& programs);

}  // namespace tahoma::runtime::collective
