// SPDX-License-Identifier: Apache-2.0
// Requests for dumps, as text: WHAT[@POINT].
//
//   core0.out, core*.x, core0.psum.matmul   a tensor or tile (report/checkpoint/catalogue.h);
//                                           * and ? are wildcards
//   core0.vector[12], core*.sync[*]         what these instructions wrote, each time that they were executed
//   core0.vector[12]#3                      the third time only
//   core0.vector[12].result                 that operand only
//   results                                 the results of every instruction: core*.*[*]
//
// POINT is when a tensor or tile is taken:
//   end            the end of the run, the default
//   attention      when the core has left the region: its queues have executed the region's last instruction,
//   attention#2    and the transfers started there have moved their first packets (#2: the second time)
//   vector[12]     after the first execution of that instruction of the core's own program,
//   vector[12]#3   or after another one; after a transfer's first packet, which carries all its values
//
// A queue leaves a region each time that it executes the last instruction of one of its ranges there. Values
// are in memory from the start of an instruction; other queues of the core may already have continued.
//
// UserError: E-CKP-002, a request that does not have this form.
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
  std::string region;  // cleaned name
  isa::Queue queue = isa::Queue::kSync;
  std::uint32_t index = 0;
  std::uint32_t occurrence = 1;
  std::string text() const;  // the suffix of a name: "", "@attention", "@vector[12]#3"
};

struct DumpRequest {
  std::string text;
  bool results = false;  // of instructions
  std::string name;      // of a tensor or tile; for a result, the part before '[': "core*.vector"
  std::optional<std::uint32_t> index, occurrence;  // of a result; unset: all
  std::string field;                               // of a result; empty: all
  DumpPoint point;
};

DumpRequest parse_dump(const std::string& text);

// A name as used in requests, checkpoints and files: characters that cannot occur in names
// of a program become '_'.
std::string clean_name(const std::string& name);

// * matches any characters, ? matches any one.
bool matches(std::string_view pattern, std::string_view name);

}  // namespace tahoma::runtime
