// SPDX-License-Identifier: Apache-2.0
// Locates and names an instruction of a program for the reports.
#pragma once

#include <cstdint>
#include <string>

#include "isa/core/program.h"

namespace tahoma::runtime {

// An instruction of a program, as a core executes it.
struct InstructionPlace {
  std::uint32_t core = 0;
  std::uint8_t queue = 0;   // isa::Queue
  std::uint32_t index = 0;  // in the queue's stream
  friend auto operator<=>(const InstructionPlace&, const InstructionPlace&) = default;
};

struct InstructionNames {
  const isa::Program& program;
  const InstructionPlace& at;

  isa::Queue queue() const { return static_cast<isa::Queue>(at.queue); }
  isa::Opcode op() const { return program.stream(queue())[at.index].op; }
  std::string engine() const;
  std::string opcode() const;
  std::string source() const;     // "kernel.py:30", or the region; "" if the program names neither
  std::string operation() const;  // the region; otherwise the source, or the program's name
};

}  // namespace tahoma::runtime
