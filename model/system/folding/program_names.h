// SPDX-License-Identifier: Apache-2.0
// Lists what a core's program names outside its core: addresses of HBM and cores whose semaphores it changes.
// Two programs that are equal but for these names, and whose names correspond, do the same at the same time.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "isa/core/program.h"
#include "model/base/units.h"

namespace tahoma::model {

// A program as a core received it.
struct LoadedProgram {
  std::shared_ptr<const isa::Program> program;
  std::array<std::uint64_t, isa::kArguments> arguments{};
  std::uint32_t start = 0;  // 0: with the run; else the number of its start, from 1
};

// Names are in the order of queues and instructions. Registers are not added: they hold less than 2 GiB,
// which leads to no other stack that exists.
struct ProgramNames {
  std::vector<std::uint64_t> addresses;                     // where transfers and words in HBM begin
  std::vector<std::uint32_t> cores;                         // whose semaphores a transfer changes
  std::set<std::pair<std::uint32_t, std::uint32_t>> flows;  // chips that send to others: from, to
  bool leaves_stack = false;  // a transfer reaches beyond the stack in which it begins
};

// A stack has `capacity` bytes.
ProgramNames names_of(const LoadedProgram& loaded, std::uint32_t core, std::uint32_t cores_per_chip,
                      base::Bytes capacity);

// Returns whether a value decides what the program does next: it loads a register from memory or moves rows
// that it selects. In functional mode such values may differ between equal chips.
bool steered_by_values(const isa::Program& program);

// Returns whether the programs are equal but for their names.
bool same_but_for_names(const isa::Program& a, const isa::Program& b);

}  // namespace tahoma::model
