// SPDX-License-Identifier: Apache-2.0
// Programs in assembler text that the validator must accept or refuse, for tests of its rules.
#pragma once

#include <catch2/catch.hpp>
#include <string>

#include "isa/core/program_error.h"
#include "isa/text/assembler.h"
#include "isa/validate/validate.h"

namespace tahoma::tests {

inline void check_refused(const isa::Program& p, const std::string& code, const std::string& place,
                          const std::string& hint, const isa::Limits& limits = {}) {
  INFO(isa::disassemble(p));
  try {
    isa::validate(p, limits);
    FAIL("accepted; expected " << code);
  } catch (const isa::ProgramError& e) {
    CHECK(e.code == code);
    CHECK(e.place == place);
    CHECK_THAT(e.message, Catch::Contains(hint));
  }
}

inline void check_refused(const std::string& text, const std::string& code, const std::string& place,
                          const std::string& hint, const isa::Limits& limits = {}) {
  check_refused(isa::assemble(text, "t"), code, place, hint, limits);
}

// Operands of the text may overlap: that rule is checked after all others, so it is reached only when these
// hold.
inline void check_accepted(const std::string& text, const isa::Limits& limits = {}) {
  INFO(text);
  try {
    isa::validate(isa::assemble(text, "t"), limits);
  } catch (const isa::ProgramError& e) {
    INFO(e.what());
    CHECK(e.code == "E-ISA-044");
  }
}

// A program whose last instruction is valid until `change` modifies it.
template <class Change>
isa::Program changed(const std::string& text, isa::Queue queue, Change&& change) {
  isa::Program p = isa::assemble(text, "t");
  change(p, p.stream(queue).back());
  return p;
}

}  // namespace tahoma::tests
