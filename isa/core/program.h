// SPDX-License-Identifier: Apache-2.0
// A program in the form that the hardware executes: one in-order instruction stream per queue and a table of
// DMA descriptors. HBM is addressed through arguments, so every core can run the same program.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/core/core_version.h"
#include "isa/core/stream.h"

namespace tahoma::isa {

// Longest name of a program, argument or label. Names exclude every character that has a meaning in
// assembler text.
inline constexpr std::size_t kNameLength = 255;
inline constexpr std::string_view kNameRule = "1 to 255 of the characters A-Z a-z 0-9 _ . -";
constexpr bool is_name_character(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
         c == '-';
}
bool is_name(std::string_view name);

// Assigns all instructions of a stream from this one up to the next mark to a region.
struct RegionMark {
  std::uint32_t first = 0;
  std::uint16_t region = 0;  // index into Program::regions
  friend bool operator==(const RegionMark&, const RegionMark&) = default;
};

// A line of the source from which instructions were made, with the call that led to it. The lines of a
// program form a forest: `caller` is the line of the call, or kNoLine for a line of the kernel itself.
inline constexpr std::uint32_t kNoLine = 0xffffffff;
struct SourceLine {
  std::string file;        // as the source's language reports it
  std::uint32_t line = 0;  // from 1
  std::string function;
  std::uint32_t caller = kNoLine;  // index into Program::lines, below the line's own
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// Assigns all instructions of a stream from this one up to the next mark to a source line.
struct LineMark {
  std::uint32_t first = 0;
  std::uint32_t line = 0;  // index into Program::lines
  friend bool operator==(const LineMark&, const LineMark&) = default;
};

// The source's names of the tensors that an instruction fills on chip: one for each operand that it writes,
// in the order of isa::accesses_of. The last name also stands for the operands after it; "" is a tensor
// without a name.
using FilledTensors = std::vector<std::string>;
inline constexpr std::uint32_t kNothingNamed = 0xffffffff;

// Assigns all instructions of a stream that write on chip, from this one up to the next mark, to the tensors
// they fill.
struct FilledMark {
  std::uint32_t first = 0;
  std::uint32_t filled = 0;  // index into Program::filled
  friend bool operator==(const FilledMark&, const FilledMark&) = default;
};

struct Program {
  std::string name = "program";
  // The core that the program is for: it runs on this one and on later ones. Not stated, it runs on every
  // core that has its instructions and operands.
  std::optional<CoreVersion> core;
  std::array<Stream, kQueueCount> streams;
  std::vector<Descriptor> descriptors;
  std::vector<std::string> args;  // names of the arguments, at most kArguments
  // One bit per argument. Control tensors keep their values in timing-only runs, so registers and indirect
  // transfers may read them (routing, page tables, counts, seeds).
  std::bitset<kArguments> control;
  // The author states the useful FLOPs of one execution and the bytes that it has to move to and from HBM; 0:
  // not stated. Only reports use them.
  std::uint64_t useful_flops = 0, useful_bytes = 0;
  // Named parts of the work, used for reports only. Instructions before a stream's first mark belong to the
  // program as a whole.
  std::vector<std::string> regions;
  std::array<std::vector<RegionMark>, kQueueCount> marks;  // by stream, ascending
  // Only reports use the source lines of the instructions. They are empty for programs without a source in
  // another language.
  std::vector<SourceLine> lines;
  std::array<std::vector<LineMark>, kQueueCount> line_marks;  // by stream, ascending
  // The tensors that instructions fill on chip; only reports use them. Empty for the same programs as
  // `lines`.
  std::vector<FilledTensors> filled;
  std::array<std::vector<FilledMark>, kQueueCount> filled_marks;  // by stream, ascending

  Stream& stream(Queue q) { return streams[static_cast<std::size_t>(q)]; }
  const Stream& stream(Queue q) const { return streams[static_cast<std::size_t>(q)]; }
  bool is_control(std::uint8_t arg) const { return arg < kArguments && control[arg]; }
  // Returns the source line of an instruction, or kNoLine.
  std::uint32_t line_at(Queue q, std::uint32_t index) const;
  // The tensors that an instruction fills, as an index into `filled`, or kNothingNamed.
  std::uint32_t filled_at(Queue q, std::uint32_t index) const;
  friend bool operator==(const Program&, const Program&) = default;
};

// Global HBM address: chip << 40 | stack << 36 | offset. The argument table passes a core's
// identity the same way.
struct GlobalAddress {
  std::uint32_t chip = 0;
  std::uint32_t stack = 0;
  std::uint64_t offset = 0;
  static GlobalAddress from(std::uint64_t bits) {
    return {static_cast<std::uint32_t>(bits >> 40), static_cast<std::uint32_t>((bits >> 36) & 0xF),
            bits & ((std::uint64_t{1} << 36) - 1)};
  }
  std::uint64_t bits() const { return (std::uint64_t{chip} << 40) | (std::uint64_t{stack} << 36) | offset; }
};

}  // namespace tahoma::isa
