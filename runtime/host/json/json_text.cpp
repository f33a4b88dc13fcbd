// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/json/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/host/text/text_file.h"

namespace tahoma::runtime {

namespace {

struct JsonFault {
  std::string text;
};

// A number that JSON lacks, by its position among the values of a text that are neither text, list nor
// object.
struct NonFinite {
  std::size_t position;
  double value;
};

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::pair<std::string_view, double> kNonFinite[] = {
    {"NaN", std::numeric_limits<double>::quiet_NaN()}, {"Infinity", kInfinity}, {"-Infinity", -kInfinity}};

// Puts a 0 and blanks in place of each, so that the places of errors behind it are those of the text.
std::vector<NonFinite> take_non_finite(std::string& text) {
  std::vector<NonFinite> found;
  const auto in_word = [&](std::size_t at) {
    const auto c = static_cast<unsigned char>(text[at]);
    return std::isalnum(c) != 0 || c == '-' || c == '+' || c == '.' || c == '_';
  };
  std::size_t values = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) at += text[at] == '\\' ? 1 : 0;
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < text.size() && in_word(end)) ++end;
    if (end == at) {
      ++at;
      continue;
    }
    for (const auto& [word, value] : kNonFinite)
      if (std::string_view(text).substr(at, end - at) == word) {
        text.replace(at, end - at, end - at, ' ');
        text[at] = '0';
        found.push_back({values, value});
        break;
      }
    ++values;
    at = end;
  }
  return found;
}

// Watches the parser, which itself does not recur: the fault ends it before a deep value exists.
template <class Json>
class JsonWatch {
 public:
  explicit JsonWatch(std::vector<NonFinite> numbers) : numbers_(std::move(numbers)) {}

  bool operator()(int, typename Json::parse_event_t event, Json& value) {
    using Event = typename Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (keys_.size() == kMostJsonDepth)
        throw JsonFault{fmt::format("expected at most {} levels of nesting", kMostJsonDepth)};
      keys_.emplace_back();
    } else if (event == Event::object_end || event == Event::array_end) {
      keys_.pop_back();
    } else if (event == Event::key) {
      const std::string& key = value.template get_ref<const std::string&>();
      if (!keys_.back().insert(key).second)
        throw JsonFault{fmt::format("the key {} is repeated", brief_json(value))};
    } else if (event == Event::value && !value.is_string()) {
      if (next_ < numbers_.size() && numbers_[next_].position == values_) value = numbers_[next_++].value;
      ++values_;
    }
    return true;
  }

 private:
  std::vector<NonFinite> numbers_;
  std::size_t next_ = 0, values_ = 0;                  // of `numbers_`; of the text, seen so far
  std::vector<std::unordered_set<std::string>> keys_;  // by level; a list has none
};

template <class Json>
std::optional<std::string> fault_in(const std::string& text, std::vector<NonFinite> numbers, Json& json) {
  if (const std::string format = known_format(text); !format.empty())
    return "expected JSON, but the text is " + format;
  // The parser would end at a NUL byte, and ignore what is behind it.
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos)
    return fmt::format("not valid JSON: expected text, got a NUL byte at byte {}", nul + 1);
  JsonWatch<Json> watch(std::move(numbers));
  try {
    json = Json::parse(text, [&](int depth, auto event, Json& value) { return watch(depth, event, value); });
  } catch (const JsonFault& fault) {
    return fault.text;
  } catch (const typename Json::exception& error) {
    return "not valid JSON: " + brief_json(Json(error.what()), 200);
  }
  return std::nullopt;
}

}  // namespace

template <class Json>
std::optional<std::string> fault_of_json(const std::string& text, Json& json) {
  return fault_in(text, {}, json);
}

template <class Json>
std::optional<std::string> fault_of_python_json(const std::string& text, Json& json) {
  std::string finite = text;
  std::vector<NonFinite> numbers = take_non_finite(finite);
  return fault_in(finite, std::move(numbers), json);
}

template std::optional<std::string> fault_of_json(const std::string&, nlohmann::json&);
template std::optional<std::string> fault_of_json(const std::string&, nlohmann::ordered_json&);
template std::optional<std::string> fault_of_python_json(const std::string&, nlohmann::ordered_json&);

}  // namespace tahoma::runtime
