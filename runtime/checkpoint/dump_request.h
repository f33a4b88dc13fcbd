// SPDX-License-Identifier: Apache-2.0
// What is to be dumped, as text: WHAT[@POINT].
//
//   core0.out, core*.x, core0.psum.matmul     a tensor or tile (runtime/checkpoint/catalogue.h); * and ?
//   stand
//                                             for any characters
//   core0.vector[12], core*.sync[*]           what these instructions wrote, every time that they were
//   executed; core0.vector[12]#3                        the third time only; core0.vector[12].result: that
//   operand only results                                   every instruction's: core*.*[*]
//
// POINT, of tensors and tiles: when they are taken.
//   end                 the end of the run, the default
//   attention           when the core has left the region: its queues have executed the region's last
//   attention#2         instruction (the second time), and what they rang there has moved its first packet
//   vector[12]          behind that instruction of the core's own program, the first time
//   vector[12]#3        or another; behind a transfer's first packet, which brings all its values
// A queue leaves a region each time that it executes the last instruction of one of its stretches there.
// Values are in memory from the start of an instruction on, and other queues of the core may have gone on.
//
// UserError: E-CKP-002, not of this form.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/core/instruction.h"

namespace tahoma::runtime {

struct DumpPoint {
  enum class Kind : std::uint8_t { kEnd, kRegion, kInstruction };
  Kind kind = Kind::kEnd;
  std::string region;  // by its clean name
  isa::Queue queue = isa::Queue::kSync;
  std::uint32_t index = 0;
  std::uint32_t occurrence = 1;
  std::string text() const;  // as it is written behind a name: "", "@attention", "@vector[12]#3"
};

struct DumpRequest {
  std::string text;
  bool results = false;  // of instructions
  std::string name;      // of a tensor or tile; of a result the part before '[': "core*.vector"
  std::optional<std::uint32_t> index, occurrence;  // of a result; none: all
  std::string field;                               // of a result; empty: all
  DumpPoint point;
};

DumpRequest parse_dump(const std::string& text);

// A name as it stands in requests, checkpoints and files: characters that no name of a program has become
// '_'.
std::string clean_name(const std::string& name);

// * stands for any characters, ? for any one.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace tahoma::runtime
