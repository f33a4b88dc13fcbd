// SPDX-License-Identifier: Apache-2.0
#include "runtime/config/preset_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cctype>
#include <chrono>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

using base::UserError;

base::NamedText preset_text(const PresetRules& rules, const std::string& name,
                            const std::string& extended_by) {
  const std::filesystem::path path =
      find_config(name, std::filesystem::path(extended_by).parent_path(), rules.kind);
  if (!path.empty()) return read_config_text(path);
  const std::vector<std::string> names = preset_names(rules.kind);
  throw UserError(rules.unknown_code, extended_by.empty() ? fmt::format("{} {}", rules.option, name) : "",
                  fmt::format("no {} '{}': expected a path or one of {}{}", rules.noun, name,
                              fmt::join(names, ", "), base::did_you_mean(name, names)));
}

void check_root(const PresetRules& rules, const base::FlatConfig& config) {
  for (const base::Leaf& leaf : config.leaves) {
    const std::string key = leaf.path.substr(0, leaf.path.find_first_of(".["));
    if (key != rules.root)
      throw UserError("E-CFG-002", leaf.key_place,
                      fmt::format("unknown key '{}': expected {}{}", key, rules.root,
                                  base::did_you_mean(key, {rules.root})));
  }
}

void check_required(const PresetRules& rules, const base::FlatConfig& config, const std::string& file) {
  for (const char* key : rules.required)
    if (config.find(fmt::format("{}.{}", rules.root, key)) == nullptr)
      throw UserError(rules.missing_code, file,
                      fmt::format("key '{}.{}' is missing: expected {}", rules.root, key,
                                  fmt::join(rules.required, ", ")));
}

bool is_date(const std::string& text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  for (std::size_t n = 0; n < text.size(); ++n)
    if (n != 4 && n != 7 && std::isdigit(static_cast<unsigned char>(text[n])) == 0) return false;
  const auto part = [&](std::size_t at, std::size_t size) { return std::stoi(text.substr(at, size)); };
  using namespace std::chrono;
  return year_month_day{year{part(0, 4)}, month{static_cast<unsigned>(part(5, 2))},
                        day{static_cast<unsigned>(part(8, 2))}}
      .ok();
}

}  // namespace

base::FlatConfig read_preset(const PresetRules& rules, const std::string& name) {
  const base::NamedText text = preset_text(rules, name, "");
  base::FlatConfig config = base::flatten(text, [&](const std::string& extended, const std::string& by) {
    return preset_text(rules, extended, by);
  });
  check_root(rules, config);
  check_required(rules, config, text.label);
  return config;
}

void require_date(const base::FlatConfig& config, const std::string& path, const char* code) {
  const base::Leaf* date = config.find(path);
  if (!is_date(date->text))
    throw UserError(code, date->place,
                    fmt::format("'{}' must be a date such as 2026-01-31, got '{}'", path, date->text));
}

}  // namespace tahoma::runtime
