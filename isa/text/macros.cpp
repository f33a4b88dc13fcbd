// SPDX-License-Identifier: Apache-2.0
#include "isa/text/macros.h"

#include <algorithm>
#include <charconv>

#include "isa/core/program.h"

namespace tahoma::isa {
namespace {

constexpr std::size_t kMostNested = 32;

std::string_view uncommented(std::string_view line) { return line.substr(0, line.find_first_of("#;")); }

// The name of the line's directive, "" if it is none, and where the rest begins.
struct Directive {
  std::string_view name;
  std::size_t begin = 0, rest = 0;
};
Directive directive_of(std::string_view text) {
  const std::size_t dot = text.find_first_not_of(" \t\r");
  if (dot == std::string_view::npos || text[dot] != '.') return {};
  std::size_t end = dot + 1;
  while (end < text.size() && is_name_character(text[end])) ++end;
  return {text.substr(dot + 1, end - dot - 1), dot, end};
}

// The line and column at the end of a place "file:line:column"; 0 without them.
std::pair<std::size_t, std::size_t> position_of(std::string_view place) {
  std::size_t numbers[2] = {0, 0};
  for (std::size_t& number : numbers) {
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) return {0, 0};
    const std::string_view digits = place.substr(colon + 1);
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc())
      return {0, 0};
    place = place.substr(0, colon);
  }
  return {numbers[1], numbers[0]};
}

}  // namespace

MacroExpander::MacroExpander(std::string_view text, const std::string& file) : file_(file) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines_.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
}

void MacroExpander::fail(std::size_t line, const MacroError& error) const {
  const std::string place = file_ + ":" + std::to_string(line + 1) + ":" + std::to_string(error.at + 1);
  throw ProgramError(error.code, place, error.text);
}

ProgramError MacroExpander::shown(const ProgramError& error) const {
  const auto [line, column] = position_of(error.place);
  if (line == 0 || line > lines_.size() || !error.context.empty()) return error;
  const std::string number = std::to_string(line), margin = "  " + std::string(number.size(), ' ') + " | ";
  std::string_view text = lines_[line - 1];
  if (text.ends_with('\r')) text.remove_suffix(1);
  std::string context = "  " + number + " | " + std::string(text) + "\n" + margin;
  // Tabs stay, so that the caret is below its column whatever their width.
  for (std::size_t at = 0; at + 1 < column; ++at)
    context += at < text.size() && text[at] == '\t' ? '\t' : ' ';
  return {error.code, error.place, error.message, context + "^" + iterations_text()};
}

std::string MacroExpander::iterations_text() const {
  std::string text;
  for (auto it = iterations_.rbegin(); it != iterations_.rend(); ++it)
    text += "\n  in iteration " + (it->name.empty() ? "" : it->name + " = ") + std::to_string(it->number) +
            " of " + std::to_string(it->count) + " of the .repeat in line " + std::to_string(it->line + 1);
  return text;
}

void MacroExpander::each(const std::function<void(Cursor)>& line) {
  receiver_ = &line;
  try {
    run(0, lines_.size());
  } catch (const ProgramError& error) {
    throw shown(error);
  }
}

std::int64_t MacroExpander::number(Cursor& c) const {
  MacroReader reader(c.text(), c.at(), scopes_);
  try {
    const std::int64_t value = reader.number();
    if (!reader.at_end()) reader.fail("E-ASM-004", "expected the end of the line");
    c.skip_to_end();
    return value;
  } catch (const MacroError& error) {
    throw ProgramError(error.code, c.place_at(error.at), error.text);
  }
}

void MacroExpander::count_step(std::size_t line) {
  if (++steps_ > kMostExpandedLines)
    fail(line,
         {"E-ASM-017",
          "the macros expand to more than " + std::to_string(kMostExpandedLines) + " lines and iterations",
          0});
}

void MacroExpander::run(std::size_t begin, std::size_t end) {
  for (std::size_t at = begin; at < end;) {
    const std::string_view text = uncommented(lines_[at]);
    const Directive directive = directive_of(text);
    count_step(at);
    try {
      if (directive.name == "repeat") {
        MacroReader reader(text, directive.rest, scopes_);
        at = repeat(at, end, reader);
        continue;
      }
      if (directive.name == "endr")
        throw MacroError{"E-ASM-017", ".endr without a .repeat before it", directive.begin};
      if (!define(text)) pass_on(text, at);
    } catch (const MacroError& error) {
      fail(at, error);
    }
    ++at;
  }
}

bool MacroExpander::define(std::string_view text) {
  const Directive directive = directive_of(text);
  const bool tile = directive.name == "tile";
  if (!tile && directive.name != "let") return false;
  MacroReader reader(text, directive.rest, scopes_);
  const std::string name = reader.name("a name");
  const std::size_t at = reader.at() - name.size();
  reader.expect('=', "'='");
  const MacroValue value = tile ? MacroValue(reader.tile()) : MacroValue(reader.number());
  if (!reader.at_end()) reader.fail("E-ASM-004", "expected the end of the line");
  scopes_.define(name, value, at);
  return true;
}

std::size_t MacroExpander::end_of_repeat(std::size_t at, std::size_t end) const {
  std::size_t open = 0;
  for (std::size_t line = at; line < end; ++line) {
    const std::string_view name = directive_of(uncommented(lines_[line])).name;
    if (name == "repeat") ++open;
    if (name == "endr" && --open == 0) return line;
  }
  throw MacroError{"E-ASM-017", ".repeat without its .endr", directive_of(lines_[at]).begin};
}

std::size_t MacroExpander::repeat(std::size_t at, std::size_t end, MacroReader& reader) {
  reader.at_end();
  const std::size_t begin = reader.at();
  const std::int64_t count = reader.number();
  const std::string name = reader.accept(',') ? reader.name("a name of the counter") : "";
  if (!reader.at_end())
    reader.fail("E-ASM-004", "expected ',' and the counter's name, or the end of the line");
  if (count < 0)
    throw MacroError{"E-ASM-017", ".repeat " + std::to_string(count) + "; expected 0 or more", begin};
  if (iterations_.size() == kMostNested)
    throw MacroError{"E-ASM-017", "more than " + std::to_string(kMostNested) + " nested .repeat", begin};
  const std::size_t last = end_of_repeat(at, end);
  for (std::int64_t n = 0; n < count; ++n) {
    count_step(at);
    scopes_.open();
    if (!name.empty()) scopes_.define(name, n, 0);
    iterations_.push_back({at, name, n, count});
    run(at + 1, last);
    iterations_.pop_back();  // after an error they stay, for its text
    scopes_.close();
  }
  return last + 1;
}

void MacroExpander::pass_on(std::string_view text, std::size_t line) {
  if (!scopes_.has_tiles() && text.find_first_of("{}") == std::string_view::npos)
    return (*receiver_)(Cursor(text, file_, line + 1));
  ColumnMap columns;
  const std::string expanded = replaced(text, columns);
  (*receiver_)(Cursor(expanded, file_, line + 1, &columns));
}

// Replaces {EXPRESSION}, and the name of a tile after the '=' of an operand.
std::string MacroExpander::replaced(std::string_view text, ColumnMap& columns) const {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    columns.add(out.size(), at, text[at] != '{');
    if (text[at] == '{') {
      MacroReader reader(text, at + 1, scopes_);
      out += text_of(reader.value());
      reader.expect('}', "'}'");
      at = reader.at();
      continue;
    }
    if (text[at] == '}') throw MacroError{"E-ASM-004", "'}' without '{' before it", at};
    out += text[at];
    const bool operand = text[at] == '=' && at > 0 && is_name_character(text[at - 1]) && text[at - 1] != '-';
    if (++at == text.size() || !operand) continue;
    std::size_t end = at;
    while (end < text.size() && is_name_character(text[end])) ++end;
    const MacroValue* value = scopes_.find(text.substr(at, end - at));
    if (value == nullptr || !std::holds_alternative<NamedTile>(*value)) continue;
    columns.add(out.size(), at, false);
    out += text_of(*value);
    at = end;
  }
  columns.add(out.size(), text.size(), true);
  return out;
}

}  // namespace tahoma::isa
