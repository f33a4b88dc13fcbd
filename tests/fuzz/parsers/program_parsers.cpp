// SPDX-License-Identifier: Apache-2.0
// Programs as text and as bytes. Laws: text and bytes of a program that was read give the same program again.
#include <cstring>
#include <vector>

#include "isa/binary/container.h"
#include "isa/binary/program_bytes.h"
#include "isa/core/program_error.h"
#include "isa/text/assembler.h"
#include "isa/validate/validate.h"
#include "tests/fuzz/parsers/parsers.h"

namespace tahoma::fuzz {

namespace {

// Requires that a program that encodes comes back from its bytes.
void require_same_bytes(const isa::Program& program) {
  std::vector<std::byte> bytes;
  try {
    bytes = isa::to_bytes(program);
  } catch (const isa::ProgramError&) {
    return;  // a value that does not fit its bits
  }
  if (isa::to_bytes(isa::from_bytes(bytes)) != bytes)
    throw Contradiction("program -> bytes -> program -> bytes");
}

// A program that validates comes back from its text.
void require_same_text(const isa::Program& program) {
  try {
    isa::validate(program, {});
  } catch (const isa::ProgramError&) {
    static_cast<void>(isa::disassemble(program));
    return;
  }
  const std::string text = isa::disassemble(program);
  const isa::Program again = isa::assemble(text, "again.tasm");
  if (isa::disassemble(again) != text) throw Contradiction("program -> text -> program -> text");
  // NaNs differ from themselves, so the programs are compared as bytes. Source lines have no text.
  if (program.lines.empty() && program.filled.empty() && isa::to_bytes(again) != isa::to_bytes(program))
    throw Contradiction("program -> text -> program");
}

void read_bytes(std::span<const std::byte> bytes) {
  const isa::Program program = isa::from_bytes(bytes);
  if (const auto again = isa::to_bytes(program); !std::ranges::equal(again, bytes))
    throw Contradiction("bytes -> program -> bytes");
  require_same_text(program);
}

}  // namespace

void read_assembler(std::string_view bytes) {
  const isa::Program program = isa::assemble_with_lines(bytes, "input.tasm");
  require_same_bytes(program);
  require_same_text(isa::assemble(bytes, "input.tasm"));
}

// The checksum of the last eight bytes is repaired, else no mutation would pass it.
void read_program(std::string_view bytes) {
  const auto raw = std::as_bytes(std::span(bytes));
  constexpr std::size_t kSum = sizeof(std::uint64_t);
  if (raw.size() < kSum) return static_cast<void>(isa::from_bytes(raw));
  std::vector<std::byte> repaired(raw.begin(), raw.end());
  std::uint64_t sum = isa::checksum(raw.first(raw.size() - kSum));
  for (std::size_t i = 0; i < kSum; ++i, sum >>= 8)
    repaired[raw.size() - kSum + i] = static_cast<std::byte>(sum & 0xff);
  read_bytes(repaired);
}

}  // namespace tahoma::fuzz
