// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/cost/price_list.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <chrono>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "runtime/config/config_files.h"

namespace tahoma::runtime {

namespace {

using base::UserError;

constexpr const char* kRoot = "prices";
constexpr std::array kRequired{"instance", "chips", "dollars_per_hour", "date", "source"};
constexpr double kMostDollars = 1e6;

base::NamedText read_list(const std::string& name, const std::string& extended_by) {
  const std::filesystem::path path =
      find_config(name, std::filesystem::path(extended_by).parent_path(), PresetKind::kPrices);
  if (!path.empty()) return read_config_text(path);
  const std::vector<std::string> names = preset_names(PresetKind::kPrices);
  throw UserError("E-CST-001", extended_by.empty() ? "--prices " + name : "",
                  fmt::format("no price list '{}': expected a path or one of {}{}", name,
                              fmt::join(names, ", "), base::did_you_mean(name, names)));
}

void check_root(const base::FlatConfig& config) {
  for (const base::Leaf& leaf : config.leaves) {
    const std::string key = leaf.path.substr(0, leaf.path.find_first_of(".["));
    if (key != kRoot)
      throw UserError(
          "E-CFG-002", leaf.key_place,
          fmt::format("unknown key '{}': expected {}{}", key, kRoot, base::did_you_mean(key, {kRoot})));
  }
}

void check_required(const base::FlatConfig& config, const std::string& file) {
  for (const char* key : kRequired)
    if (config.find(fmt::format("{}.{}", kRoot, key)) == nullptr)
      throw UserError(
          "E-CST-002", file,
          fmt::format("key '{}.{}' is missing: expected {}", kRoot, key, fmt::join(kRequired, ", ")));
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

void check_date(const base::FlatConfig& config) {
  const base::Leaf* date = config.find(std::string(kRoot) + ".date");
  if (!is_date(date->text))
    throw UserError("E-CST-003", date->place,
                    fmt::format("'prices.date' must be a date such as 2026-01-31, got '{}'", date->text));
}

}  // namespace

void ElectricityPrice::declare(base::ParamTree& t) {
  t.add("dollars_per_kwh", dollars_per_kwh, 0.0, {0.0, kMostDollars}, "price of a kilowatt-hour",
        base::chosen());
  t.add("source", source, "", {}, "where that was read", base::chosen());
}

void FacilityFactors::declare(base::ParamTree& t) {
  t.add("pue", pue, 1.0, {1.0, 10.0}, "energy of the building over that of its computers", base::chosen());
  t.add("litres_per_kwh", litres_per_kwh, 0.0, {0.0, 1000.0},
        "water for a kilowatt-hour of the computers, in litres", base::chosen());
  t.add("industry_litres_per_kwh", industry_litres_per_kwh, 0.0, {0.0, 1000.0},
        "the same as the industry's average", base::chosen());
  t.add("source", source, "", {}, "where these were read", base::chosen());
}

void PriceList::declare(base::ParamTree& t) {
  t.add("instance", instance, "", {}, "kind of instance", base::chosen());
  t.add("chips", chips, std::uint64_t{1}, {1, 4096}, "chips of one instance", base::chosen());
  t.add("dollars_per_hour", dollars_per_hour, 0.0, {0.0, kMostDollars}, "price of one instance for an hour",
        base::chosen());
  t.add("date", date, "", {}, "of that price, YYYY-MM-DD", base::chosen());
  t.add("source", source, "", {}, "where it was read", base::chosen());
  t.group("electricity", electricity);
  t.group("facility", facility);
}

PriceList read_price_list(const std::string& name) {
  const base::NamedText text = read_list(name, "");
  const base::FlatConfig config = base::flatten(text, read_list);
  check_root(config);
  check_required(config, text.label);
  check_date(config);
  PriceList prices;
  base::ParamTree tree(kRoot);
  prices.declare(tree);
  base::apply(config, tree);
  return prices;
}

bool has_price_list(const std::string& name) { return !find_config(name, {}, PresetKind::kPrices).empty(); }

}  // namespace tahoma::runtime
