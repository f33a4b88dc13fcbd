// SPDX-License-Identifier: Apache-2.0
#include "report/checkpoint/dump_request.h"

#include <fmt/format.h>

#include <charconv>
#include <vector>

#include "isa/core/program.h"
#include "isa/table/table_names.h"
#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

constexpr const char* kForm =
    "expected a tensor or tile with an optional point (core0.out, core*.psum.matmul@attention#2, "
    "core0.x@vector[12]), instructions (core0.vector[12], core*.*[*]) or results";

[[noreturn]] void refuse(const std::string& text, const std::string& why) {
  throw base::UserError("E-CKP-002", "dump '" + text + "'", why + "; " + kForm);
}

std::uint32_t number(const std::string& text, std::string_view digits, std::uint32_t least) {
  std::uint32_t n = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), n);
  if (error != std::errc() || end != digits.data() + digits.size() || n < least)
    refuse(text, fmt::format("'{}' is not a number of at least {}", digits, least));
  return n;
}

// Parses and removes "#3" from the end.
std::optional<std::uint32_t> take_occurrence(const std::string& text, std::string_view& rest) {
  const std::size_t at = rest.rfind('#');
  if (at == std::string_view::npos) return std::nullopt;
  const std::uint32_t n = number(text, rest.substr(at + 1), 1);
  rest = rest.substr(0, at);
  return n;
}

struct Indexed {
  std::string_view name;
  std::optional<std::uint32_t> index;  // unset: *
};

// Parses "vector[12]"; empty if there is no bracket.
std::optional<Indexed> indexed(const std::string& text, std::string_view word) {
  const std::size_t open = word.find('[');
  if (open == std::string_view::npos) return std::nullopt;
  if (word.back() != ']') refuse(text, "the number of an instruction has no closing ']'");
  const std::string_view digits = word.substr(open + 1, word.size() - open - 2);
  Indexed found{word.substr(0, open), std::nullopt};
  if (digits != "*") found.index = number(text, digits, 0);
  return found;
}

DumpPoint parse_point(const std::string& text, std::string_view word) {
  DumpPoint point;
  if (word.empty()) refuse(text, "the point after '@' is missing");
  if (word == "end") return point;
  point.occurrence = take_occurrence(text, word).value_or(1);
  const std::optional<Indexed> place = indexed(text, word);
  if (!place) {
    point.kind = DumpPoint::Kind::kRegion;
    point.region = clean_name(std::string(word));
    return point;
  }
  const auto queue = isa::from_name<isa::Queue>(place->name);
  if (!queue) {
    std::vector<std::string> queues;
    for (const std::string_view name : isa::names_of<isa::Queue>()) queues.emplace_back(name);
    refuse(text,
           fmt::format("there is no queue '{}'{}", place->name, base::did_you_mean(place->name, queues)));
  }
  if (!place->index) refuse(text, "a point must be a single instruction");
  point.kind = DumpPoint::Kind::kInstruction;
  point.queue = *queue;
  point.index = *place->index;
  return point;
}

// Parses "core0.vector[12]#3.result".
void parse_results(std::string_view word, DumpRequest& request) {
  request.results = true;
  const std::size_t close = word.find(']');
  if (close == std::string_view::npos)
    refuse(request.text, "the number of an instruction has no closing ']'");
  std::string_view behind = word.substr(close + 1);
  if (const std::size_t dot = behind.find('.'); dot != std::string_view::npos) {
    request.field = behind.substr(dot + 1);
    behind = behind.substr(0, dot);
  }
  request.occurrence = take_occurrence(request.text, behind);
  if (!behind.empty()) refuse(request.text, fmt::format("unexpected '{}' after an instruction", behind));
  const std::optional<Indexed> place = indexed(request.text, word.substr(0, close + 1));
  request.name = place->name;
  request.index = place->index;
}

}  // namespace

std::string DumpPoint::text() const {
  if (kind == Kind::kEnd) return "";
  const std::string where =
      kind == Kind::kRegion ? region : fmt::format("{}[{}]", isa::name_of(queue), index);
  return occurrence == 1 ? "@" + where : fmt::format("@{}#{}", where, occurrence);
}

DumpRequest parse_dump(const std::string& text) {
  DumpRequest request;
  request.text = text;
  const std::string whole = text == "results" ? "core*.*[*]" : text;
  const std::size_t at = whole.find('@');
  const std::string_view what = std::string_view(whole).substr(0, at);
  if (what.empty()) refuse(text, "the name is missing");
  if (what.find('[') != std::string_view::npos) {
    if (at != std::string_view::npos) refuse(text, "the result of an instruction cannot have a point");
    parse_results(what, request);
    return request;
  }
  request.name = what;
  if (at != std::string_view::npos) request.point = parse_point(text, std::string_view(whole).substr(at + 1));
  return request;
}

std::string clean_name(const std::string& name) {
  std::string clean = name;
  for (char& c : clean)
    if (!isa::is_name_character(c)) c = '_';
  return clean;
}

bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace tahoma::runtime
