// SPDX-License-Identifier: Apache-2.0
// From a trace to the program of one core. Every decision that the kernel leaves open is made by a policy
// with a file of its own: addresses (memory/allocate.h), engines and queues (choose.h), accumulation in PSUM
// (accumulate.h), descriptors (transfers.h). The scheduler (runtime/builder/scheduler.h) places the
// semaphores from the bytes that each instruction accesses. Each queue keeps program order, unless another
// order is asked for or the tensors do not fit on chip otherwise (order/order_attempts.h).
//
// Errors have the kernel's line as their place: E-NKI-020 to 029 (nki_errors.md), and those of isa::validate.
#pragma once

#include <string>
#include <vector>

#include "frontend/nki/lower/memory/allocate.h"
#include "frontend/nki/lower/order/choose.h"
#include "frontend/nki/lower/order/order_attempts.h"
#include "frontend/nki/record/trace.h"
#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime::nki {

struct LoweringOptions {
  Allocation allocation = Allocation::kRotating;
  Choices choices;
};

// An argument of the program holds the address of a tensor, of this core or of another rank's core, or the
// number of this core.
struct Argument {
  enum class Kind : std::uint8_t { kTensor, kPeerTensor, kCore };
  Kind kind = Kind::kTensor;
  std::uint32_t storage = 0;
  std::uint32_t rank = 0;  // kPeerTensor
};

struct Lowered {
  isa::Program program;
  std::vector<Argument> arguments;                // of the program, in its order
  std::deque<std::shared_ptr<Storage>> storages;  // by id: the trace's, and those that lowering adds
  std::vector<Place> places;                      // of the tensors on chip, by storage id
  std::vector<std::string> warnings;              // with places
};

Lowered lower(const Trace& trace, const model::MachineParams& machine, const LoweringOptions& options);

}  // namespace tahoma::runtime::nki
