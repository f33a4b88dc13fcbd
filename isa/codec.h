// SPDX-License-Identifier: Apache-2.0
// 64-byte instruction words and 64-byte descriptor records. Fields are laid out in the order of the opcode's row behind
// a common header; bits that no field owns must be zero, so decode(encode(x)) == x and encode(decode(w)) == w.
#pragma once

#include <array>
#include <cstddef>

#include "isa/program.h"

namespace tahoma::isa {

using Word = std::array<std::byte, 64>;

Word encode(const Instruction& instruction);
Instruction decode(const Word& word);  // throws ProgramError: unknown opcode, bad enumerator, unused bits set

Word encode(const Descriptor& descriptor);
Descriptor decode_descriptor(const Word& word);

}  // namespace tahoma::isa
