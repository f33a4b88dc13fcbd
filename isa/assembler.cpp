// SPDX-License-Identifier: Apache-2.0
#include "isa/assembler.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "isa/assembler_operands.h"
#include "isa/table_fields.h"

namespace tahoma::isa {
namespace {

// The parts of a transfer that a dma_copy or a .descriptor line may name.
constexpr std::string_view kParts[] = {"shape", "dst", "src", "accumulate"};

bool is_part(std::string_view name) {
  return std::find(std::begin(kParts), std::end(kParts), name) != std::end(kParts);
}

// One line while its operands are read.
struct Line {
  Cursor& c;
  std::string place;  // of the mnemonic or directive
  std::string mnemonic;
  Instruction instruction;
  Descriptor descriptor;
  std::set<std::string, std::less<>> seen;
  std::set<std::string, std::less<>> strided;  // tiles whose strides the text gives
  std::optional<std::string> label;            // of a jump, with its place
  std::string label_place;
};

class Assembler {
 public:
  explicit Assembler(const std::string& file) : file_(file) {}

  void read(std::string_view text, std::size_t number) {
    Cursor c(text, file_, number);
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
    return std::move(program_);
  }

 private:
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
    if (name == "args") return arguments(c, place);
    if (name == "control") return control_arguments(c, place);
    if (name == "descriptor") {
      Line line{c, place, ".descriptor", {}, {}, {}, {}, {}, {}};
      while (!c.at_end()) part(line, c.name("an operand"));
      return add_descriptor(line);
    }
    static constexpr std::string_view kDirectives[] = {"program", "args", "control", "descriptor"};
    c.fail_unknown("E-ASM-001", "directive", name, kDirectives);
  }

  std::string legal_name(Cursor& c, std::string_view what) {
    std::string name(c.name(what));
    if (!is_name(name))
      c.fail("E-ASM-013", std::string(what) + " is too long; expected " + std::string(kNameRule));
    return name;
  }

  void end_of_line(Cursor& c) {
    if (!c.at_end()) c.expect("\n", "the end of the line");
  }

  void program_name(Cursor& c, const std::string& place) {
    if (std::exchange(has_name_, true))
      throw ProgramError("E-ASM-013", place, ".program stands twice; expected once");
    program_.name = legal_name(c, "a program name");
    end_of_line(c);
  }

  void arguments(Cursor& c, const std::string& place) {
    if (std::exchange(has_args_, true))
      throw ProgramError("E-ASM-013", place, ".args stands twice; expected once");
    while (!c.at_end()) {
      const std::string name = legal_name(c, "an argument name");
      if (std::find(program_.args.begin(), program_.args.end(), name) != program_.args.end())
        c.fail("E-ASM-013", "argument '" + name + "' stands twice; expected distinct names");
      if (program_.args.size() == kArguments)
        c.fail("E-ASM-013", "too many arguments; expected at most " + std::to_string(kArguments));
      program_.args.push_back(name);
    }
  }

  void control_arguments(Cursor& c, const std::string& place) {
    if (std::exchange(has_control_, true))
      throw ProgramError("E-ASM-013", place, ".control stands twice; expected once");
    while (!c.at_end()) {
      const std::uint32_t bit = 1U << parse_argument(c, program_.args);
      if ((program_.control & bit) != 0)
        c.fail("E-ASM-013", "control argument stands twice; expected distinct names");
      program_.control |= bit;
    }
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
    return what + " stands outside a queue; expected a line such as sync: before it (" + queues + ")";
  }

  void instruction(Cursor& c, std::string_view mnemonic, const std::string& place) {
    const OpRow* row = row_by_mnemonic(mnemonic);
    if (row == nullptr) unknown_mnemonic(mnemonic, place);
    if (!queue_) throw ProgramError("E-ASM-012", place, outside(std::string(mnemonic)));
    Line line{c, place, std::string(mnemonic), {}, {}, {}, {}, {}, {}};
    line.instruction.op = row->op;
    while (!c.at_end()) operand(line, *row, c.name("an operand"));
    complete(line, *row);
    std::vector<Instruction>& stream = program_.stream(*queue_);
    if (line.label) jumps_.push_back({*queue_, stream.size(), *line.label, line.label_place});
    stream.push_back(line.instruction);
  }

  [[noreturn]] static void unknown_mnemonic(std::string_view mnemonic, const std::string& place) {
    std::vector<std::string_view> legal;
    for (const OpRow& row : all_rows()) legal.push_back(row.mnemonic);
    throw ProgramError("E-ASM-002", place,
                       "unknown instruction '" + std::string(mnemonic) + "'" + did_you_mean(mnemonic, legal) +
                           "; `tahoma isa` lists them");
  }

  static void once(Line& line, std::string_view name) {
    if (!line.seen.emplace(name).second)
      line.c.fail("E-ASM-007", "operand '" + std::string(name) + "' of " + line.mnemonic + " is given twice");
  }

  static void equals(Line& line, std::string_view name) {
    line.c.expect("=", "'=' after " + std::string(name));
  }

  void operand(Line& line, const OpRow& row, std::string_view name) {
    const auto field =
        std::find_if(row.fields.begin(), row.fields.end(), [&](const Field& f) { return f.name == name; });
    if (field == row.fields.end() && find_field(row, FieldKind::kDescriptor) != nullptr && is_part(name))
      return part(line, name);
    if (field == row.fields.end() && name != "wait" && name != "update") unknown_operand(line, row, name);
    once(line, name);
    if (field == row.fields.end()) {
      equals(line, name);
      if (name == "wait")
        line.instruction.wait = parse_wait(line.c);
      else
        line.instruction.update = parse_update(line.c);
      return;
    }
    const FieldTraits& traits = traits_of(field->kind);
    if (traits.type != ValueType::kFlag) equals(line, name);
    std::visit([&](auto slot) { value(line, traits.type, name, line.instruction.*slot); }, traits.slot);
  }

  [[noreturn]] static void unknown_operand(Line& line, const OpRow& row, std::string_view name) {
    std::vector<std::string_view> legal;
    for (const Field& field : row.fields) legal.push_back(field.name);
    if (find_field(row, FieldKind::kDescriptor) != nullptr)
      legal.insert(legal.end(), std::begin(kParts), std::end(kParts));
    legal.push_back("wait");
    legal.push_back("update");
    line.c.fail_unknown("E-ASM-003", "operand of " + line.mnemonic, name, legal);
  }

  // One reader per C++ type of a slot; the value type tells apart what shares one.
  void value(Line& line, ValueType, std::string_view, Shape& shape) { shape = parse_shape(line.c); }
  void value(Line& line, ValueType, std::string_view name, Tile& tile) {
    const ParsedTile parsed = parse_tile(line.c);
    tile = parsed.tile;
    if (parsed.has_strides) line.strided.emplace(name);
  }
  void value(Line& line, ValueType, std::string_view, Scalar& scalar) { scalar = parse_scalar(line.c); }
  void value(Line& line, ValueType, std::string_view, Column& column) { column = parse_column(line.c); }
  void value(Line& line, ValueType, std::string_view, DmaSide& word) {
    word = parse_side(line.c, program_.args).side;
  }
  void value(Line& line, ValueType, std::string_view, std::array<std::uint8_t, kQuadrant>& mask) {
    mask = parse_mask(line.c);
  }
  void value(Line&, ValueType, std::string_view, bool& flag) { flag = true; }
  void value(Line& line, ValueType, std::string_view name, float& number) { number = line.c.floating(name); }
  void value(Line& line, ValueType, std::string_view, std::array<std::int16_t, kFreeDims>& pattern) {
    pattern = parse_pattern(line.c);
  }
  void value(Line& line, ValueType, std::string_view name, std::int32_t& number) {
    number = line.c.integer<std::int32_t>(name);
  }
  void value(Line& line, ValueType type, std::string_view name, std::uint8_t& number) {
    if (type == ValueType::kRegister)
      number = parse_register(line.c);
    else if (type == ValueType::kArgument)
      number = parse_argument(line.c, program_.args);
    else
      number = line.c.integer<std::uint8_t>(name);
  }
  void value(Line& line, ValueType type, std::string_view name, std::uint32_t& number) {
    if (type == ValueType::kTarget) {
      line.label = line.c.name("a label");
      line.label_place = line.c.place();
    } else {
      number = line.c.integer<std::uint32_t>(name);
    }
  }
  template <class Enum>
  requires std::is_enum_v<Enum>
  void value(Line& line, ValueType, std::string_view name, Enum& chosen) {
    chosen = parse_enumerator<Enum>(line.c, name);
  }

  void part(Line& line, std::string_view name) {
    if (!is_part(name)) line.c.fail_unknown("E-ASM-003", "operand of " + line.mnemonic, name, kParts);
    once(line, name);
    Descriptor& d = line.descriptor;
    if (name == "accumulate") {
      d.accumulate = true;
      return;
    }
    equals(line, name);
    if (name == "shape") {
      d.count = parse_counts(line.c);
      return;
    }
    const ParsedSide parsed = parse_side(line.c, program_.args);
    (name == "dst" ? d.dst : d.src) = parsed.side;
    if (parsed.has_strides) line.strided.emplace(name);
  }

  static void need(const Line& line, std::string_view name) {
    if (!line.seen.contains(name))
      throw ProgramError("E-ASM-008", line.place,
                         line.mnemonic + " lacks its operand '" + std::string(name) + "'");
  }

  template <class Defaults, class Operand>
  static void fill_strides(const Line& line, std::string_view name, const Defaults& defaults,
                           Operand& operand) {
    if (line.strided.contains(name)) return;
    if (!defaults.fits)
      throw ProgramError("E-ASM-014", line.place,
                         "the contiguous strides of '" + std::string(name) +
                             "' do not fit; expected them after its dtype: (s0,s1,s2,s3)");
    operand.stride = defaults.stride;
  }

  void complete(Line& line, const OpRow& row) {
    for (const Field& field : row.fields) {
      const FieldTraits& traits = traits_of(field.kind);
      if (field.kind == FieldKind::kDescriptor) {
        complete_descriptor(line);
        continue;
      }
      if (!field.optional) need(line, field.name);
      if (traits.type != ValueType::kTile) continue;
      fill_strides(line, field.name, default_strides(field, line.instruction),
                   line.instruction.*std::get<Member<Tile>>(traits.slot));
    }
  }

  void complete_descriptor(Line& line) {
    const auto given = std::find_if(std::begin(kParts), std::end(kParts),
                                    [&](std::string_view name) { return line.seen.contains(name); });
    if (!line.seen.contains("descriptor")) {
      line.instruction.descriptor = static_cast<std::uint32_t>(program_.descriptors.size());
      add_descriptor(line);
    } else if (given != std::end(kParts)) {
      throw ProgramError("E-ASM-007", line.place,
                         "the transfer is given twice: by its number and by '" + std::string(*given) + "'");
    }
  }

  void add_descriptor(Line& line) {
    Descriptor& d = line.descriptor;
    for (const std::string_view name : {"shape", "dst", "src"}) need(line, name);
    fill_strides(line, "dst", default_strides(d.dst, d), d.dst);
    fill_strides(line, "src", default_strides(d.src, d), d.src);
    program_.descriptors.push_back(d);
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

  const std::string& file_;
  Program program_;
  bool has_name_ = false, has_args_ = false, has_control_ = false;
  std::optional<Queue> queue_;
  std::array<Labels, kQueueCount> labels_;
  std::vector<Jump> jumps_;
};

}  // namespace

Program assemble(std::string_view text, const std::string& file) {
  Assembler assembler(file);
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    assembler.read(text.substr(0, end), number);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return assembler.finish();
}

}  // namespace tahoma::isa
