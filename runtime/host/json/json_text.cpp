// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/json/json_text.h"

#include <fmt/format.h>

#include <unordered_set>
#include <vector>

#include "runtime/host/text/text_file.h"

namespace tahoma::runtime {

namespace {

struct JsonFault {
  std::string text;
};

// Watches the parser, which itself does not recur: the fault ends it before a deep value exists.
template <class Json>
class JsonWatch {
 public:
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
    }
    return true;
  }

 private:
  std::vector<std::unordered_set<std::string>> keys_;  // by level; a list has none
};

}  // namespace

template <class Json>
std::optional<std::string> fault_of_json(const std::string& text, Json& json) {
  if (const std::string format = known_format(text); !format.empty())
    return "expected JSON, but the text is " + format;
  // The parser would end at a NUL byte, and ignore what is behind it.
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos)
    return fmt::format("not valid JSON: expected text, got a NUL byte at byte {}", nul + 1);
  JsonWatch<Json> watch;
  try {
    json = Json::parse(text, [&](int depth, auto event, Json& value) { return watch(depth, event, value); });
  } catch (const JsonFault& fault) {
    return fault.text;
  } catch (const typename Json::exception& error) {
    return "not valid JSON: " + brief_json(Json(error.what()), 200);
  }
  return std::nullopt;
}

template std::optional<std::string> fault_of_json(const std::string&, nlohmann::json&);
template std::optional<std::string> fault_of_json(const std::string&, nlohmann::ordered_json&);

}  // namespace tahoma::runtime
