// SPDX-License-Identifier: Apache-2.0
#include "isa/text/assembler.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "isa/text/assembler_line.h"
#include "isa/text/directives.h"
#include "isa/text/instruction_names.h"
#include "isa/text/macros.h"
#include "isa/validate/validate.h"

namespace tahoma::isa {
namespace {

class Assembler {
 public:
  Assembler(std::string_view text, const std::string& file) : macros_(text, file) {}

  Program assembled() {
    macros_.each([&](const Cursor& line) { read(line); });
    try {
      return finish();
    } catch (const ProgramError& error) {
      throw macros_.shown(error);
    }
  }

  // Gives the program of assembled() the source line of each instruction.
  void attach_lines(Program& program, const std::string& file) const {
    std::map<std::uint32_t, std::uint32_t> known;  // index into Program::lines by line
    for (std::size_t q = 0; q < kQueueCount; ++q) {
      auto& marks = program.line_marks[q];
      for (std::uint32_t n = 0; n < source_lines_[q].size(); ++n) {
        const std::uint32_t line = source_lines_[q][n];
        const auto [at, is_new] = known.try_emplace(line, static_cast<std::uint32_t>(program.lines.size()));
        if (is_new) program.lines.push_back({file, line, program.name, kNoLine});
        if (marks.empty() || marks.back().line != at->second) marks.push_back({n, at->second});
      }
    }
  }

 private:
  void read(Cursor c) {
    if (c.at_end()) return;
    if (c.accept(".")) return directive(c);
    while (!c.at_end()) {
      const std::string_view word = c.name("an instruction, a label or a queue");
      const std::string place = c.place();
      if (!c.accept(":")) return instruction(c, word, place);
      if (const auto queue = from_name<Queue>(word))
        queue_ = queue;
      else
        define(word, place);
    }
  }

  Program finish() {
    for (const Jump& jump : jumps_) resolve(jump);
    refuse_empty_regions();
    return std::move(program_);
  }

  struct Jump {
    Queue queue;
    std::size_t index;
    std::string label, place;
  };
  using Labels = std::map<std::string, std::uint32_t, std::less<>>;

  Labels& labels(Queue queue) { return labels_[static_cast<std::size_t>(queue)]; }

  void directive(Cursor& c) {
    const std::string_view name = c.word();
    const std::string place = c.place();
    if (name == "program") return program_name(c, place);
    if (name == "core") return core_version(c, place);
    if (name == "args") return arguments(c, place);
    if (name == "control") return control_arguments(c, place);
    if (name == "descriptor") {
      Line line{c, program_.args, place, ".descriptor"};
      read_descriptor(line);
      program_.descriptors.push_back(line.descriptor);
      return;
    }
    if (name == "regions") return declare_regions(c);
    if (name == "region") return region(c, place);
    if (name == "flops") return stated(c, place, ".flops", program_.useful_flops);
    if (name == "bytes") return stated(c, place, ".bytes", program_.useful_bytes);
    static constexpr auto kNames = directive_names();
    c.fail_unknown("E-ASM-001", "directive", name, kNames);
  }

  std::string legal_name(Cursor& c, std::string_view what) {
    std::string name(c.name(what));
    if (!is_name(name))
      c.fail("E-ASM-013", std::string(what) + " is too long; expected " + std::string(kNameRule));
    return name;
  }

  // Reads the work that the program states, a positive number.
  void stated(Cursor& c, const std::string& place, const std::string& name, std::uint64_t& work) const {
    if (work != 0) throw ProgramError("E-ASM-013", place, name + " occurs twice; expected once");
    const std::int64_t value = macros_.number(c);
    if (value <= 0)
      throw ProgramError("E-ASM-005", place, name + " " + std::to_string(value) + "; expected 1 or more");
    work = static_cast<std::uint64_t>(value);
  }

  void end_of_line(Cursor& c) {
    if (!c.at_end()) c.expect("\n", "the end of the line");
  }

  void program_name(Cursor& c, const std::string& place) {
    if (std::exchange(has_name_, true))
      throw ProgramError("E-ASM-013", place, ".program occurs twice; expected once");
    program_.name = legal_name(c, "a program name");
    end_of_line(c);
  }

  void core_version(Cursor& c, const std::string& place) {
    if (program_.core) throw ProgramError("E-ASM-013", place, ".core occurs twice; expected once");
    if (queue_) throw ProgramError("E-ASM-013", place, ".core behind instructions; expected it before them");
    const std::string_view name = c.word();
    const auto* const found = std::find(kCoreVersions.begin(), kCoreVersions.end(), name);
    if (found == kCoreVersions.end()) c.fail_unknown("E-ASM-006", "core", name, kCoreVersions);
    program_.core = static_cast<CoreVersion>(found - kCoreVersions.begin());
    end_of_line(c);
  }

  void arguments(Cursor& c, const std::string& place) {
    if (std::exchange(has_args_, true))
      throw ProgramError("E-ASM-013", place, ".args occurs twice; expected once");
    while (!c.at_end()) {
      const std::string name = legal_name(c, "an argument name");
      if (std::find(program_.args.begin(), program_.args.end(), name) != program_.args.end())
        c.fail("E-ASM-013", "argument '" + name + "' occurs twice; expected distinct names");
      if (!macros_.reserve(name))
        c.fail("E-ASM-013", "'" + name + "' is a tile; expected another name for the argument");
      if (program_.args.size() == kArguments)
        c.fail("E-ASM-013", "too many arguments; expected at most " + std::to_string(kArguments));
      program_.args.push_back(name);
    }
  }

  void control_arguments(Cursor& c, const std::string& place) {
    if (std::exchange(has_control_, true))
      throw ProgramError("E-ASM-013", place, ".control occurs twice; expected once");
    while (!c.at_end()) {
      const std::uint8_t argument = parse_argument(c, program_.args);
      if (program_.is_control(argument))
        c.fail("E-ASM-013", "control argument occurs twice; expected distinct names");
      program_.control.set(argument);
    }
  }

  // Numbers regions in this order; other regions are numbered as they appear.
  void declare_regions(Cursor& c) {
    while (!c.at_end()) region_number(legal_name(c, "a region name"));
  }

  std::uint16_t region_number(const std::string& name) {
    auto& regions = program_.regions;
    auto known = std::find(regions.begin(), regions.end(), name);
    if (known == regions.end()) known = regions.insert(regions.end(), name);
    return static_cast<std::uint16_t>(known - regions.begin());
  }

  // The following instructions of this queue belong to the region.
  void region(Cursor& c, const std::string& place) {
    if (!queue_) throw ProgramError("E-ASM-012", place, outside(".region"));
    const std::string name = legal_name(c, "a region name");
    end_of_line(c);
    auto& marks = program_.marks[static_cast<std::size_t>(*queue_)];
    const auto here = static_cast<std::uint32_t>(program_.stream(*queue_).size());
    if (!marks.empty() && marks.back().first == here)
      throw ProgramError("E-ASM-013", place, "two regions begin at one instruction; expected one");
    marks.push_back({here, region_number(name)});
    region_places_[static_cast<std::size_t>(*queue_)] = place;
  }

  void refuse_empty_regions() const {
    for (std::size_t q = 0; q < kQueueCount; ++q)
      if (!program_.marks[q].empty() && program_.marks[q].back().first == program_.streams[q].size())
        throw ProgramError("E-ASM-013", region_places_[q], "no instruction follows in this region");
  }

  void define(std::string_view name, const std::string& place) {
    if (!queue_) throw ProgramError("E-ASM-012", place, outside("label '" + std::string(name) + "'"));
    if (!is_name(name))
      throw ProgramError("E-ASM-013", place, "label is too long; expected " + std::string(kNameRule));
    const auto here = static_cast<std::uint32_t>(program_.stream(*queue_).size());
    if (!labels(*queue_).emplace(name, here).second)
      throw ProgramError(
          "E-ASM-011", place,
          "label '" + std::string(name) + "' is defined twice in queue " + std::string(name_of(*queue_)));
  }

  static std::string outside(const std::string& what) {
    std::string queues;
    for (const auto queue : names_of<Queue>())
      queues += (queues.empty() ? "" : ", ") + std::string(queue) + ":";
    return what + " is outside a queue; expected a line such as sync: before it (" + queues + ")";
  }

  void instruction(Cursor& c, std::string_view name, const std::string& place) {
    const std::vector<const OpRow*> rows = rows_by_name(name);
    if (rows.empty()) throw ProgramError("E-ASM-002", place, unknown_instruction(name));
    if (!queue_) throw ProgramError("E-ASM-012", place, outside(std::string(name)));
    const OpRow& row = rows.size() == 1 ? *rows.front() : row_of_queue(rows, name, place);
    require_available(row, place, program_.core.value_or(CoreVersion::kV3));
    Line line{c, program_.args, place, std::string(row.mnemonic)};
    read_instruction(line, row);
    if (line.in_place) {
      line.instruction.descriptor = static_cast<std::uint32_t>(program_.descriptors.size());
      program_.descriptors.push_back(line.descriptor);
    }
    std::vector<Instruction>& stream = program_.stream(*queue_).edit();
    if (line.label) jumps_.push_back({*queue_, stream.size(), *line.label, line.label_place});
    stream.push_back(line.instruction);
    source_lines_[static_cast<std::size_t>(*queue_)].push_back(static_cast<std::uint32_t>(c.line_number()));
  }

  // An alias of several instructions names the one that this queue runs.
  const OpRow& row_of_queue(const std::vector<const OpRow*>& rows, std::string_view alias,
                            const std::string& place) const {
    const OpRow* here = nullptr;
    std::size_t runnable = 0;
    std::string mnemonics;
    for (const OpRow* row : rows) {
      mnemonics += (mnemonics.empty() ? "" : " or ") + std::string(row->mnemonic);
      if (((row->queues >> static_cast<unsigned>(*queue_)) & 1) == 0) continue;
      here = row;
      ++runnable;
    }
    if (runnable == 1) return *here;
    throw ProgramError("E-ASM-015", place,
                       "'" + std::string(alias) + "' does not name one instruction of queue " +
                           std::string(name_of(*queue_)) + "; expected " + mnemonics);
  }

  void resolve(const Jump& jump) {
    const Labels& known = labels(jump.queue);
    const auto label = known.find(jump.label);
    if (label == known.end()) {
      std::vector<std::string_view> legal;
      for (const auto& [name, index] : known) legal.push_back(name);
      throw ProgramError("E-ASM-010", jump.place,
                         "unknown label '" + jump.label + "' in queue " + std::string(name_of(jump.queue)) +
                             did_you_mean(jump.label, legal));
    }
    program_.stream(jump.queue)[jump.index].target = label->second;
  }

  MacroExpander macros_;
  Program program_;
  bool has_name_ = false, has_args_ = false, has_control_ = false;
  std::optional<Queue> queue_;
  std::array<Labels, kQueueCount> labels_;
  std::array<std::string, kQueueCount> region_places_;
  std::vector<Jump> jumps_;
  std::array<std::vector<std::uint32_t>, kQueueCount> source_lines_;  // of each instruction, from 1
};

}  // namespace

Program assemble(std::string_view text, const std::string& file) { return Assembler(text, file).assembled(); }

Program assemble_with_lines(std::string_view text, const std::string& file) {
  Assembler assembler(text, file);
  Program program = assembler.assembled();
  assembler.attach_lines(program, file);
  return program;
}

}  // namespace tahoma::isa
