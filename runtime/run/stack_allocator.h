// SPDX-License-Identifier: Apache-2.0
// Allocates tensors in the HBM stacks of a machine. A core's tensors are distributed over its part of the
// stacks of its chip (stacks_of): each tensor is placed where the bytes of the core, in proportion to its
// part of the stack, are fewest. With four stacks and eight cores a core has half of one stack. A tensor is
// never cut.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/program.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

// The stacks among which a core's tensors are distributed, so that every core of the chip has the same
// bandwidth whether or not the numbers divide: core c has the part from c * stacks / cores to (c + 1) *
// stacks / cores.
struct StackShare {
  std::uint32_t stack = 0;
  std::uint64_t part = 0;  // of the stack, in 1 / cores
};
std::vector<StackShare> stacks_of(const model::ChipParams& chip, std::uint64_t core);

class StackAllocator {
 public:
  explicit StackAllocator(const model::MachineParams& machine);

  // Returns where `bytes` of a core begin, if fits() is true; otherwise the fullest place, for the error.
  isa::GlobalAddress next(std::uint32_t core, std::uint64_t bytes) const;
  std::uint64_t capacity(const isa::GlobalAddress& at) const;
  bool fits(const isa::GlobalAddress& at, std::uint64_t bytes) const;
  void take(std::uint32_t core, const isa::GlobalAddress& at, std::uint64_t bytes);

 private:
  struct Part {
    StackShare share;
    std::uint64_t bytes = 0;  // of the core's tensors
  };
  std::uint64_t used(std::uint64_t chip, std::uint64_t stack) const {
    return used_[chip * machine_.chip.hbm.stacks + stack];
  }

  const model::MachineParams& machine_;
  std::vector<std::uint64_t> used_;       // by stack of the machine
  std::vector<std::vector<Part>> parts_;  // by core
};

}  // namespace tahoma::runtime
