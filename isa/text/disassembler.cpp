// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <charconv>
#include <cmath>
#include <set>

#include "isa/table/table_fields.h"
#include "isa/text/assembler.h"

namespace tahoma::isa {
namespace {

std::string hex(std::uint64_t value) {
  std::array<char, 20> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16).ptr;
  return "0x" + std::string(text.data(), end);
}

// Formats an HBM offset, which may be negative.
std::string distance(std::uint64_t offset) { return offset < kReach ? hex(offset) : "-" + hex(0 - offset); }

// Formats the shortest decimal that reads back to the same bits.
std::string real(float value) {
  if (std::isnan(value)) return "nan(" + hex(std::bit_cast<std::uint32_t>(value)) + ")";
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

template <class Numbers>
std::string list(const Numbers& numbers) {
  std::string text;
  for (const auto n : numbers) text += (text.empty() ? "(" : ",") + std::to_string(n);
  return text + ")";
}

// Omits leading free counts of 1 but keeps the innermost.
template <class Counts>
std::string dimensions(std::uint64_t first, const Counts& free) {
  std::string text = std::to_string(first);
  bool leading = true;
  for (std::size_t d = 0; d < free.size(); ++d) {
    leading = leading && free[d] == 1 && d + 1 < free.size();
    if (!leading) text += "x" + std::to_string(free[d]);
  }
  return text;
}

template <class Operand>
std::string on_chip(const Operand& place) {
  return std::string(name_of(place.space)) + "[" + std::to_string(place.partition) + ", " +
         hex(place.offset) + "]";
}

template <class Operand, class Stride>
std::string typed(const Operand& operand, const DefaultStrides<Stride>& defaults) {
  std::string text = ":" + std::string(shown(operand.dtype));
  if (!defaults.fits || operand.stride != defaults.stride) text += ":" + list(operand.stride);
  return text;
}

class Disassembler {
 public:
  explicit Disassembler(const Program& program) : program_(program) {}

  std::string text() {
    std::string out = ".program " + program_.name + "\n";
    if (program_.core) out += ".core " + std::string(name_of(*program_.core)) + "\n";
    if (!program_.args.empty()) {
      out += ".args";
      for (const std::string& arg : program_.args) out += " " + arg;
      out += "\n";
    }
    if (program_.control.any()) {
      out += ".control";
      for (std::uint8_t arg = 0; arg < kArguments; ++arg)
        if (program_.is_control(arg)) out += " " + argument(arg);
      out += "\n";
    }
    if (program_.useful_flops > 0) out += ".flops " + std::to_string(program_.useful_flops) + "\n";
    if (program_.useful_bytes > 0) out += ".bytes " + std::to_string(program_.useful_bytes) + "\n";
    if (!program_.regions.empty()) {
      out += ".regions";
      for (const std::string& region : program_.regions) out += " " + region;
      out += "\n";
    }
    for (std::size_t q = 0; q < kQueueCount; ++q) stream(static_cast<Queue>(q), out);
    declare_descriptors_below(program_.descriptors.size(), out);
    return out;
  }

  std::string line(const Instruction& i, bool in_place) const {
    const OpRow& row = row_of(i.op);
    std::string out(row.mnemonic);
    for (const Field& field : row.fields) out += operand(field, i, in_place);
    out += wait(i.wait);
    return i.update.kind == Update::Kind::kNone ? out : out + " update=" + change(i.update);
  }

 private:
  void stream(Queue queue, std::string& out) {
    const Stream& instructions = program_.stream(queue);
    if (instructions.empty()) return;
    const std::set<std::uint32_t> targets = jump_targets(instructions);
    out += "\n" + std::string(name_of(queue)) + ":\n";
    auto mark = marks_of(queue).begin();
    for (std::size_t n = 0; n < instructions.size(); ++n) {
      if (mark != marks_of(queue).end() && mark->first == n) out += region(*mark++);
      if (targets.contains(static_cast<std::uint32_t>(n))) out += "L" + std::to_string(n) + ":\n";
      out += "  " + line(instructions[n], introduces(instructions[n], out)) + "\n";
    }
    const auto end = static_cast<std::uint32_t>(instructions.size());
    if (targets.contains(end)) out += "L" + std::to_string(end) + ":\n";
  }

  const std::vector<RegionMark>& marks_of(Queue queue) const {
    return program_.marks[static_cast<std::size_t>(queue)];
  }
  std::string region(const RegionMark& mark) const {
    return "  .region " + program_.regions[mark.region] + "\n";
  }

  static std::set<std::uint32_t> jump_targets(const Stream& instructions) {
    std::set<std::uint32_t> targets;
    for (const Instruction& i : instructions)
      if (find_field(row_of(i.op), FieldKind::kTarget) != nullptr) targets.insert(i.target);
    return targets;
  }

  // The assembler numbers descriptors in order of appearance. Each is therefore written in place where it is
  // first used, and unused ones with a lower number are declared before it.
  bool introduces(const Instruction& i, std::string& out) {
    if (find_field(row_of(i.op), FieldKind::kDescriptor) == nullptr) return false;
    if (i.descriptor < next_descriptor_ || i.descriptor >= program_.descriptors.size()) return false;
    declare_descriptors_below(i.descriptor, out);
    ++next_descriptor_;
    return true;
  }

  void declare_descriptors_below(std::size_t end, std::string& out) {
    for (; next_descriptor_ < end; ++next_descriptor_)
      out += ".descriptor" + parts(program_.descriptors[next_descriptor_]) + "\n";
  }

  std::string parts(const Descriptor& d) const {
    const std::array<std::uint32_t, 3> free{d.count[1], d.count[2], d.count[3]};
    return " shape=" + dimensions(d.count[0], free) + " dst=" + side(d.dst, d) + " src=" + side(d.src, d) +
           (d.accumulate ? " accumulate" : "");
  }

  std::string side(const DmaSide& s, const Descriptor& d) const {
    std::string text = place(s);
    if (s.space != Space::kHbm && s.across != 0) text += "/" + std::to_string(s.across);
    return text + typed(s, default_strides(s, d));
  }

  std::string place(const DmaSide& s) const {
    if (s.space != Space::kHbm) return on_chip(s);
    return argument(s.arg) + (s.offset == 0 ? "" : "+" + distance(s.offset));
  }

  std::string argument(std::uint8_t arg) const {
    return arg < program_.args.size() ? program_.args[arg] : "?arg" + std::to_string(arg);
  }

  static std::string wait(const Wait& w) {
    if (w.kind == Wait::Kind::kNone) return "";
    const char* relation = w.kind == Wait::Kind::kEq ? "==" : w.kind == Wait::Kind::kGe ? ">=" : ">=r";
    return " wait=s" + std::to_string(w.semaphore) + relation + std::to_string(w.value);
  }

  static std::string change(const Update& u) {
    const char* how = u.kind == Update::Kind::kAdd ? "+=" : u.kind == Update::Kind::kSubtract ? "-=" : "=";
    return "s" + std::to_string(u.semaphore) + how + std::to_string(u.value) + (u.on_read ? "@read" : "");
  }

  std::string operand(const Field& field, const Instruction& i, bool in_place) const {
    const FieldTraits& traits = traits_of(field.kind);
    const bool needed = presence_of(row_of(i.op), field, i) == Presence::kNeeded;
    if (field.optional && !needed && is_default(traits, i)) return "";
    if (traits.type == ValueType::kFlag) return " " + std::string(field.name);
    if (traits.type == ValueType::kDescriptor && in_place) return parts(program_.descriptors[i.descriptor]);
    return " " + std::string(field.name) + "=" +
           std::visit([&](auto slot) { return value(field, i, i.*slot); }, traits.slot);
  }

  std::string value(const Field&, const Instruction&, const Shape& s) const {
    return dimensions(s.partitions, s.count);
  }
  std::string value(const Field& field, const Instruction& i, const Tile& t) const {
    return on_chip(t) + typed(t, default_strides(field, i));
  }
  std::string value(const Field&, const Instruction&, const Scalar& s) const {
    return s.is_tile ? on_chip(s) : real(s.imm);
  }
  std::string value(const Field&, const Instruction&, const Column& c) const {
    return on_chip(c) + ":" + std::string(shown(c.dtype));
  }
  std::string value(const Field&, const Instruction&, const DmaSide& s) const {
    return place(s) + ":" + std::string(shown(s.dtype));
  }
  std::string value(const Field&, const Instruction&, const std::array<std::uint8_t, kQuadrant>& mask) const {
    std::string text;
    for (const auto n : mask) text += (text.empty() ? "(" : ",") + (n == kKeep ? "*" : std::to_string(n));
    return text + ")";
  }
  std::string value(const Field&, const Instruction&, float v) const { return real(v); }
  std::string value(const Field&, const Instruction&, const std::array<std::int16_t, kFreeDims>& p) const {
    return list(p);
  }
  std::string value(const Field&, const Instruction&, const Update& u) const { return change(u); }
  std::string value(const Field&, const Instruction&, std::int32_t v) const { return std::to_string(v); }
  std::string value(const Field&, const Instruction&, std::int16_t v) const { return std::to_string(v); }
  std::string value(const Field&, const Instruction&, std::uint16_t v) const { return std::to_string(v); }
  std::string value(const Field&, const Instruction&, bool v) const { return v ? "true" : "false"; }
  std::string value(const Field& field, const Instruction&, std::uint32_t v) const {
    return (traits_of(field.kind).type == ValueType::kTarget ? "L" : "") + std::to_string(v);
  }
  std::string value(const Field& field, const Instruction&, std::uint8_t v) const {
    if (traits_of(field.kind).type == ValueType::kRegister) return "r" + std::to_string(v);
    return traits_of(field.kind).type == ValueType::kArgument ? argument(v) : std::to_string(v);
  }
  template <class Enum>
  requires std::is_enum_v<Enum> std::string value(const Field&, const Instruction&, Enum v)
  const { return std::string(name_of(v)); }

  const Program& program_;
  std::size_t next_descriptor_ = 0;
};

}  // namespace

std::string disassemble(const Program& program) { return Disassembler(program).text(); }

std::string disassemble(const Instruction& instruction, const Program& program) {
  return Disassembler(program).line(instruction, false);
}

std::string disassemble_in_full(const Instruction& instruction, const Program& program) {
  return Disassembler(program).line(instruction, true);
}

}  // namespace tahoma::isa
