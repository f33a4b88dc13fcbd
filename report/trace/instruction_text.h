// SPDX-License-Identifier: Apache-2.0
// The description of an instruction in a timeline: its mnemonic, the functions of nki.isa that it implements,
// its line of assembler text (tiles, shape, wait and update), and its region. Recent texts are cached, up to
// a fixed number, because loops and cores that run the same program need the same texts again.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/program.h"

namespace tahoma::runtime {

struct InstructionPosition {
  std::uint32_t core = 0;
  std::uint8_t queue = 0;
  std::uint32_t index = 0;
};

class InstructionTexts {
 public:
  explicit InstructionTexts(std::uint64_t cores);
  void program(std::uint32_t core, std::shared_ptr<const isa::Program> program) {
    programs_[core] = std::move(program);
  }

  const isa::Instruction& instruction(const InstructionPosition& at) const {
    return programs_[at.core]->streams[at.queue][at.index];
  }
  std::string_view mnemonic(const InstructionPosition& at) const;
  // The mnemonic, and the source line where the program has lines: "matmul kernel.py:12".
  std::string name(const InstructionPosition& at) const;
  // "kernel.py:12"; "" without a line.
  std::string source(const InstructionPosition& at) const;
  // "nki.isa.nc_matmul"; "" if nki.isa has no such function.
  std::string_view nki_names(const InstructionPosition& at) const;
  // Valid until the next call.
  std::string_view text(const InstructionPosition& at);
  // The program's own name outside of all regions.
  std::string_view region(const InstructionPosition& at) const;

 private:
  static constexpr std::size_t kKept = 1 << 14;
  struct Kept {
    const isa::Program* program = nullptr;
    std::uint8_t queue = 0;
    std::uint32_t index = 0;
    std::string text;
  };
  std::vector<std::shared_ptr<const isa::Program>> programs_;  // by core
  std::vector<Kept> kept_;                                     // by a hash of the instruction's position
  std::array<std::string, isa::kOpcodeCount> nki_names_;
};

}  // namespace tahoma::runtime
