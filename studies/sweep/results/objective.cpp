// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/objective.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "report/reference/declarations.h"

namespace tahoma::runtime {

using base::Better;

namespace {

std::vector<std::string> split_outside_brackets(const std::string& text) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0)
      parts.emplace_back();
    else
      parts.back() += c;
  }
  for (std::string& part : parts) part = std::string(base::trimmed(part));
  return parts;
}

struct Direction {
  const char* word;
  Better better;
};
constexpr std::array kDirections{Direction{"min", Better::kLess}, Direction{"max", Better::kMore}};

Better declared_direction(const std::string& metric) {
  const auto declared = declaration_of(metric);
  return declared ? declared->better : Better::kLess;
}

// A colon also belongs to "a ? b : c", whose condition is more than a word.
Objective objective_of(const std::string& text, const std::string& place) {
  const std::size_t colon = text.find(':');
  const std::string word =
      colon == std::string::npos ? "" : std::string(base::trimmed(text.substr(0, colon)));
  const bool is_word = !word.empty() && std::all_of(word.begin(), word.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '.';
  });
  if (!is_word) return {Expression(text, place), declared_direction(text)};
  for (const Direction& direction : kDirections)
    if (word == direction.word)
      return {Expression(std::string(base::trimmed(text.substr(colon + 1))), place), direction.better};
  throw base::UserError("E-SWP-026", place,
                        fmt::format("'{}': expected 'min:' or 'max:' before a metric or an expression{}",
                                    text, base::did_you_mean(word, {"min", "max"})));
}

}  // namespace

std::vector<Objective> objectives_of(const std::string& text, const std::string& place) {
  std::vector<Objective> objectives;
  if (text.empty()) return objectives;
  for (const std::string& part : split_outside_brackets(text)) {
    objectives.push_back(objective_of(part, place));
    const Expression& expression = objectives.back().expression;
    if (expression.names().empty()) expression.value({});  // a constant is known before the first point
  }
  return objectives;
}

std::string directions_text(const std::vector<Objective>& objectives) {
  std::vector<std::string> parts;
  for (const Objective& o : objectives)
    parts.push_back(
        fmt::format("{} {}", o.better == Better::kMore ? "higher" : "lower", o.expression.text()));
  return fmt::format("{} {} better", fmt::join(parts, " and "), parts.size() == 1 ? "is" : "are");
}

}  // namespace tahoma::runtime
