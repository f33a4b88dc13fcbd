// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/record/dump.h"

#include <fmt/format.h>

#include "isa/table/table_fields.h"

namespace tahoma::runtime::nki {

namespace {

std::string line_text(const Trace& trace, std::uint32_t line) {
  if (line >= trace.lines.size()) return "";
  return fmt::format("  # {}:{} {}", trace.lines[line].file, trace.lines[line].line,
                     trace.lines[line].function);
}

std::string side_text(const Trace& trace, const Side& side) {
  std::string axes;
  for (const Axis& a : side.axes)
    axes += fmt::format("{}{}{}x{}", axes.empty() ? "" : " ", a.partition ? "p" : "", a.stride, a.count);
  const char* const dynamic = side.dynamic.kind == Dynamic::Kind::kNone     ? ""
                              : side.dynamic.kind == Dynamic::Kind::kVector ? " rows"
                                                                            : " + register";
  return fmt::format("{}{}+{} {} [{}]{}", trace.storages[side.storage]->name,
                     side.partition > 0 ? fmt::format("@{}", side.partition) : "", side.offset,
                     isa::name_of(side.dtype), axes, dynamic);
}

std::string entry_text(const Trace& trace, const Recorded& entry) {
  if (entry.transfer) {
    std::string text = side_text(trace, entry.transfer->dst) + (entry.transfer->accumulate ? " += " : " = ");
    for (std::size_t s = 0; s < entry.transfer->sources.size(); ++s)
      text += (s > 0 ? " + " : "") + side_text(trace, entry.transfer->sources[s]);
    return text;
  }
  std::string text;
  for (const Operand& operand : entry.operands) {
    const isa::Field* field = isa::find_field(isa::row_of(entry.instruction.op), operand.field);
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", field != nullptr ? field->name : "weights",
                        trace.storages[operand.storage]->name);
  }
  return fmt::format("{} [{}x{}]", text, entry.instruction.shape.partitions,
                     isa::free_elements(entry.instruction.shape));
}

}  // namespace

std::string dump(const Trace& trace) {
  std::string text = fmt::format("kernel {}\n", trace.name);
  for (const auto& s : trace.storages)
    text += fmt::format("tensor {} {}{}\n", s->id, s->text(), line_text(trace, s->line));
  for (std::size_t e = 0; e < trace.entries.size(); ++e) {
    const Recorded& entry = trace.entries[e];
    const std::string name =
        entry.registers ? "register" : std::string(isa::row_of(entry.instruction.op).mnemonic);
    text += fmt::format("{} {}{} {}{}\n", e, name,
                        entry.engine ? fmt::format(" ({})", isa::name_of(*entry.engine)) : "",
                        entry.registers ? "" : entry_text(trace, entry), line_text(trace, entry.line));
  }
  return text;
}

}  // namespace tahoma::runtime::nki
