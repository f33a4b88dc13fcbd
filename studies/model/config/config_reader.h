// SPDX-License-Identifier: Apache-2.0
// Reads values of a configuration, with errors at their keys: E-HFC-003 for one that is missing, of the wrong
// type or out of range.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "model/base/error.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {

// The file as a person wrote it, with errors at its keys.
struct ConfigReader {
  const std::string& file;
  const nlohmann::ordered_json& json;
  std::string part{};  // of the file that has the keys: "text_config:"

  std::string place(const std::string& key) const { return file + ":" + part + key; }
  bool has(const std::string& key) const { return json.contains(key) && !json[key].is_null(); }
  [[noreturn]] void refuse(const std::string& key, const std::string& expected) const {
    throw base::UserError(
        "E-HFC-003", place(key),
        fmt::format("expected {}, got {}", expected, has(key) ? brief_json(json[key]) : "nothing"));
  }
  std::uint64_t count(const std::string& key, std::uint64_t least, std::uint64_t most) const {
    if (!has(key) || !json[key].is_number_unsigned() || json[key].get<std::uint64_t>() < least ||
        json[key].get<std::uint64_t>() > most)
      refuse(key, fmt::format("a whole number from {} to {}", least, most));
    return json[key].get<std::uint64_t>();
  }
  double real(const std::string& key, double least, double most) const {
    if (!has(key) || !json[key].is_number() || !std::isfinite(json[key].get<double>()) ||
        json[key].get<double>() < least || json[key].get<double>() > most)
      refuse(key, fmt::format("a number from {:g} to {:g}", least, most));
    return json[key].get<double>();
  }
  bool flag(const std::string& key, bool absent) const {
    if (!has(key)) return absent;
    if (!json[key].is_boolean()) refuse(key, "true or false");
    return json[key].get<bool>();
  }
  std::string text(const std::string& key) const {
    if (!has(key) || !json[key].is_string()) refuse(key, "a text");
    return json[key].get<std::string>();
  }
};

}  // namespace tahoma::runtime
