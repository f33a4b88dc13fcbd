// SPDX-License-Identifier: Apache-2.0
#include "isa/binary/container.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "isa/binary/codec.h"
#include "isa/binary/program_bytes.h"
#include "isa/core/program_error.h"
#include "isa/table/table.h"

namespace tahoma::isa {
namespace {

constexpr std::array<char, 4> kMagic = {'T', 'A', 'H', 'O'};
constexpr std::uint32_t kVersion = 8;
constexpr std::size_t kChecksumBytes = 8;

void check_names(const Program& program, const std::string& place) {
  if (!is_name(program.name))
    throw ProgramError("E-BIN-005", place,
                       "program name '" + program.name + "': expected " + std::string(kNameRule));
  if (program.args.size() > kArguments)
    throw ProgramError(
        "E-BIN-006", place,
        std::to_string(program.args.size()) + " arguments; expected at most " + std::to_string(kArguments));
  for (const std::string& arg : program.args)
    if (!is_name(arg))
      throw ProgramError("E-BIN-005", place,
                         "argument name '" + arg + "': expected " + std::string(kNameRule));
  if ((program.control >> program.args.size()).any())
    throw ProgramError("E-BIN-012", place,
                       "a control argument that does not exist; the program has " +
                           std::to_string(program.args.size()) + " arguments");
}

// The marks of every stream rise, and refer to one of `count` regions, lines or lists.
template <class Marks, class Target>
void check_marks(const Program& program, const Marks& all, Target target, const char* what, std::size_t count,
                 const std::string& place) {
  for (std::size_t q = 0; q < kQueueCount; ++q) {
    const auto& marks = all[q];
    for (std::size_t n = 0; n < marks.size(); ++n) {
      const bool rises = n == 0 || marks[n].first > marks[n - 1].first;
      if (!rises || target(marks[n]) >= count || marks[n].first >= program.streams[q].size())
        throw ProgramError("E-BIN-013", place,
                           "mark " + std::to_string(n) + " of " +
                               std::string(name_of(static_cast<Queue>(q))) + ", " + what + " " +
                               std::to_string(target(marks[n])) + " from instruction " +
                               std::to_string(marks[n].first) + " on: expected rising instructions below " +
                               std::to_string(program.streams[q].size()) + " and a " + what + " below " +
                               std::to_string(count));
    }
  }
}

void check_marks(const Program& program, const std::string& place) {
  for (const std::string& region : program.regions)
    if (!is_name(region))
      throw ProgramError("E-BIN-005", place,
                         "region name '" + region + "': expected " + std::string(kNameRule));
  for (std::size_t n = 0; n < program.lines.size(); ++n)
    if (const std::uint32_t caller = program.lines[n].caller; caller != kNoLine && caller >= n)
      throw ProgramError("E-BIN-014", place,
                         "source line " + std::to_string(n) + " is called from line " +
                             std::to_string(caller) + "; expected an earlier one");
  check_marks(
      program, program.marks, [](const RegionMark& m) { return m.region; }, "region", program.regions.size(),
      place);
  check_marks(
      program, program.line_marks, [](const LineMark& m) { return m.line; }, "line", program.lines.size(),
      place);
  check_marks(
      program, program.filled_marks, [](const FilledMark& m) { return m.filled; }, "list of filled tensors",
      program.filled.size(), place);
}

void read_magic(ByteReader& in) {
  const auto magic = in.raw(kMagic.size());
  if (std::memcmp(magic.data(), kMagic.data(), kMagic.size()) != 0)
    throw ProgramError("E-BIN-001", "byte 0", "not a program: expected the magic 'TAHO'");
  const auto version = in.integer<std::uint32_t>();
  if (version != kVersion)
    throw ProgramError(
        "E-BIN-002", "byte 4",
        "container version " + std::to_string(version) + "; expected " + std::to_string(kVersion));
}

// The file must have the size that the counts imply. This is checked before any allocation.
void check_size(const ByteReader& in, std::uint64_t words) {
  const std::uint64_t expected = words * sizeof(Word) + kChecksumBytes;
  if (in.left() < expected)
    throw ProgramError("E-BIN-003", in.place(),
                       "the program is truncated: expected " + std::to_string(expected) +
                           " more bytes, found " + std::to_string(in.left()));
  if (in.left() > expected)
    throw ProgramError(
        "E-BIN-004", in.place(),
        std::to_string(in.left() - expected) + " bytes too many: expected " + std::to_string(expected));
}

constexpr std::uint32_t kFirstCore = 2;  // the number of CoreVersion::kV2

std::optional<CoreVersion> read_core(ByteReader& in) {
  const std::string place = in.place();
  const auto number = in.integer<std::uint32_t>();
  if (number == 0) return std::nullopt;
  if (number < kFirstCore || number >= kFirstCore + kCoreVersions.size())
    throw ProgramError(
        "E-BIN-008", place,
        "core version " + std::to_string(number) + ": expected 2, 3, 4, or 0 if none is stated");
  return static_cast<CoreVersion>(number - kFirstCore);
}

void read_names(ByteReader& in, Program& program) {
  const std::string place = in.place();
  program.name = in.text();
  const auto args = in.integer<std::uint32_t>();
  if (args > kArguments)
    throw ProgramError("E-BIN-006", place,
                       std::to_string(args) + " arguments; expected at most " + std::to_string(kArguments));
  for (std::uint32_t i = 0; i < args; ++i) program.args.push_back(in.text());
  for (std::size_t word = 0; word < kArguments / 32; ++word) {
    const std::bitset<kArguments> bits(in.integer<std::uint32_t>());
    program.control |= bits << (32 * word);
  }
  check_names(program, place);
}

void read_regions(ByteReader& in, Program& program) {
  const std::string place = in.place();
  for (auto left = in.integer<std::uint32_t>(); left > 0; --left) program.regions.push_back(in.text());
  for (auto& marks : program.marks)
    for (auto left = in.integer<std::uint32_t>(); left > 0; --left) {
      const auto first = in.integer<std::uint32_t>(), region = in.integer<std::uint32_t>();
      if (region > UINT16_MAX)
        throw ProgramError(
            "E-BIN-013", place,
            "region " + std::to_string(region) + ": expected at most " + std::to_string(UINT16_MAX));
      marks.push_back({first, static_cast<std::uint16_t>(region)});
    }
}

void write_regions(ByteWriter& out, const Program& program) {
  out.integer(static_cast<std::uint32_t>(program.regions.size()));
  for (const std::string& region : program.regions) out.text(region);
  for (const auto& marks : program.marks) {
    out.integer(static_cast<std::uint32_t>(marks.size()));
    for (const RegionMark& mark : marks) {
      out.integer(mark.first);
      out.integer(std::uint32_t{mark.region});
    }
  }
}

// Marks of every stream: the first instruction and a number.
template <class Mark>
void read_marks(ByteReader& in, std::array<std::vector<Mark>, kQueueCount>& streams) {
  for (auto& marks : streams)
    for (auto left = in.integer<std::uint32_t>(); left > 0; --left) {
      const auto first = in.integer<std::uint32_t>(), number = in.integer<std::uint32_t>();
      marks.push_back({first, number});
    }
}

template <class Mark>
void write_marks(ByteWriter& out, const std::array<std::vector<Mark>, kQueueCount>& streams,
                 std::uint32_t Mark::*number) {
  for (const auto& marks : streams) {
    out.integer(static_cast<std::uint32_t>(marks.size()));
    for (const Mark& mark : marks) {
      out.integer(mark.first);
      out.integer(mark.*number);
    }
  }
}

void read_lines(ByteReader& in, Program& program) {
  for (auto left = in.integer<std::uint32_t>(); left > 0; --left) {
    SourceLine line;
    line.file = in.text();
    line.function = in.text();
    line.line = in.integer<std::uint32_t>();
    line.caller = in.integer<std::uint32_t>();
    program.lines.push_back(std::move(line));
  }
  read_marks(in, program.line_marks);
}

void write_lines(ByteWriter& out, const Program& program) {
  out.integer(static_cast<std::uint32_t>(program.lines.size()));
  for (const SourceLine& line : program.lines) {
    out.text(line.file);
    out.text(line.function);
    out.integer(line.line);
    out.integer(line.caller);
  }
  write_marks(out, program.line_marks, &LineMark::line);
}

void read_filled(ByteReader& in, Program& program) {
  for (auto left = in.integer<std::uint32_t>(); left > 0; --left) {
    FilledTensors& names = program.filled.emplace_back();
    for (auto more = in.integer<std::uint32_t>(); more > 0; --more) names.push_back(in.text());
  }
  read_marks(in, program.filled_marks);
}

void write_filled(ByteWriter& out, const Program& program) {
  out.integer(static_cast<std::uint32_t>(program.filled.size()));
  for (const FilledTensors& names : program.filled) {
    out.integer(static_cast<std::uint32_t>(names.size()));
    for (const std::string& name : names) out.text(name);
  }
  write_marks(out, program.filled_marks, &FilledMark::filled);
}

}  // namespace

std::vector<std::byte> to_bytes(const Program& program) {
  check_names(program, "");
  check_marks(program, "");
  ByteWriter out;
  out.raw(std::as_bytes(std::span(kMagic)));
  out.integer(kVersion);
  out.integer(program.core ? kFirstCore + static_cast<std::uint32_t>(*program.core) : 0U);
  out.text(program.name);
  out.integer(static_cast<std::uint32_t>(program.args.size()));
  for (const std::string& arg : program.args) out.text(arg);
  for (std::size_t word = 0; word < kArguments / 32; ++word) {
    const std::bitset<kArguments> low((std::uint64_t{1} << 32) - 1);
    out.integer(static_cast<std::uint32_t>(((program.control >> (32 * word)) & low).to_ulong()));
  }
  write_regions(out, program);
  write_lines(out, program);
  write_filled(out, program);
  out.integer(program.useful_flops);
  out.integer(program.useful_bytes);
  for (const auto& stream : program.streams) out.integer(static_cast<std::uint32_t>(stream.size()));
  out.integer(static_cast<std::uint32_t>(program.descriptors.size()));
  for (const auto& stream : program.streams)
    for (const Instruction& instruction : stream) out.raw(encode(instruction));
  for (const Descriptor& descriptor : program.descriptors) out.raw(encode(descriptor));
  return out.finish();
}

Program from_bytes(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  Program program;
  read_magic(in);
  program.core = read_core(in);
  read_names(in, program);
  const std::string regions_at = in.place();
  read_regions(in, program);
  read_lines(in, program);
  read_filled(in, program);
  program.useful_flops = in.integer<std::uint64_t>();
  program.useful_bytes = in.integer<std::uint64_t>();
  std::array<std::uint32_t, kQueueCount> counts{};
  for (auto& count : counts) count = in.integer<std::uint32_t>();
  const auto descriptors = in.integer<std::uint32_t>();
  std::uint64_t words = descriptors;
  for (const auto count : counts) words += count;
  check_size(in, words);
  const std::uint64_t expected = checksum(bytes.first(bytes.size() - kChecksumBytes));
  for (std::size_t q = 0; q < kQueueCount; ++q)
    for (std::uint32_t n = 0; n < counts[q]; ++n)
      program.streams[q].push_back(
          in.word(decode, std::string(name_of(static_cast<Queue>(q))) + "[" + std::to_string(n) + "]"));
  for (std::uint32_t n = 0; n < descriptors; ++n)
    program.descriptors.push_back(in.word(decode_descriptor, "descriptor " + std::to_string(n)));
  const std::string place = in.place();
  if (in.integer<std::uint64_t>() != expected)
    throw ProgramError("E-BIN-011", place, "the checksum does not match: the program has been damaged");
  check_marks(program, regions_at);
  return program;
}

}  // namespace tahoma::isa
