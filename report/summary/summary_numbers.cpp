// SPDX-License-Identifier: Apache-2.0
#include "report/summary/summary_numbers.h"

#include <nlohmann/json.hpp>

namespace tahoma::runtime {

namespace {

using SummaryNumbersJson = nlohmann::json;

// List items that have a name are addressed by it: "engines.tensor.busy" rather than "engines.0.busy".
std::string name_of_item(const SummaryNumbersJson& item, std::size_t at) {
  for (const char* key : {"name", "kind"})
    if (item.is_object() && item.contains(key) && item[key].is_string()) return item[key].get<std::string>();
  return std::to_string(at);
}

void add_numbers(const SummaryNumbersJson& json, const std::string& path,
                 std::map<std::string, double>& numbers) {
  const std::string prefix = path.empty() ? "" : path + ".";
  if (json.is_number()) numbers[path] = json.get<double>();
  if (json.is_boolean()) numbers[path] = json.get<bool>() ? 1 : 0;
  if (json.is_object())
    for (const auto& [key, value] : json.items()) add_numbers(value, prefix + key, numbers);
  if (json.is_array())
    for (std::size_t i = 0; i < json.size(); ++i)
      add_numbers(json[i], prefix + name_of_item(json[i], i), numbers);
}

}  // namespace

std::map<std::string, double> numbers_of_summary(const std::string& summary_json) {
  std::map<std::string, double> numbers;
  const SummaryNumbersJson json = SummaryNumbersJson::parse(summary_json, nullptr, false);
  if (!json.is_discarded()) add_numbers(json, "", numbers);
  return numbers;
}

}  // namespace tahoma::runtime
