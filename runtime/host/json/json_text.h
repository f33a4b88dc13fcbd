// SPDX-License-Identifier: Apache-2.0
// Reads JSON that people and other programs write, and writes JSON that holds such text.
#pragma once

#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace tahoma::runtime {

// JSON may nest this many levels. Comparing, copying and printing a value recur, so deeper ones would exhaust
// the stack.
inline constexpr std::size_t kMostJsonDepth = 100;

// nullopt: legal. Otherwise what is wrong with the text, for a UserError at its file: it is no JSON or not in
// UTF-8, an object repeats a key, values are nested too deep, or a NUL byte ends the text early. Json:
// nlohmann::json or nlohmann::ordered_json.
template <class Json>
std::optional<std::string> fault_of_json(const std::string& text, Json& json);

// The same of what Python's `json` writes: NaN, Infinity and -Infinity are numbers, too.
template <class Json>
std::optional<std::string> fault_of_python_json(const std::string& text, Json& json);

// Never throws: bytes that are not UTF-8, as in a file's name, become U+FFFD. indent -1: one line.
template <class Json>
std::string dump_json(const Json& json, int indent = -1) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

// Returns one line of ASCII for messages: the beginning of a long value.
template <class Json>
std::string brief_json(const Json& json, std::size_t most = 80) {
  if (json.is_number_float() && !std::isfinite(json.template get<double>()))
    return std::isnan(json.template get<double>()) ? "NaN" : json < 0 ? "-Infinity" : "Infinity";
  std::string text = json.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

}  // namespace tahoma::runtime
