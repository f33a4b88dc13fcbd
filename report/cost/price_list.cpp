// SPDX-License-Identifier: Apache-2.0
#include "report/cost/price_list.h"

#include "model/base/loader/config_loader.h"
#include "runtime/config/preset_file.h"

namespace tahoma::runtime {

namespace {

constexpr double kMostDollars = 1e6;

const PresetRules& rules() {
  static const PresetRules rules{PresetKind::kPrices,
                                 "prices",
                                 "price list",
                                 "--prices",
                                 {"instance", "chips", "dollars_per_hour", "date", "source"},
                                 "E-CST-001",
                                 "E-CST-002"};
  return rules;
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

void ManufacturingPrices::declare(base::ParamTree& t) {
  t.add("hbm_dollars_per_gib", hbm_dollars_per_gib, 0.0, {0.0, kMostDollars}, "price of a GiB of HBM",
        base::chosen());
  t.add("package_dollars", package_dollars, 0.0, {0.0, kMostDollars},
        "interposer, substrate and assembly of a chip", base::chosen());
  t.add("source", source, "", {}, "where these were read; without it the cost of a chip is not computed",
        base::chosen());
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
  t.group("manufacturing", manufacturing);
}

PriceList read_price_list(const std::string& name) {
  const base::FlatConfig config = read_preset(rules(), name);
  require_date(config, "prices.date", "E-CST-003");
  PriceList prices;
  base::ParamTree tree(rules().root);
  prices.declare(tree);
  base::apply(config, tree);
  return prices;
}

bool has_price_list(const std::string& name) { return !find_config(name, {}, PresetKind::kPrices).empty(); }

std::optional<PriceList> prices_of(const std::string& name) {
  if (name.empty() && !has_price_list(kDefaultPrices)) return std::nullopt;
  return read_price_list(name.empty() ? kDefaultPrices : name);
}

}  // namespace tahoma::runtime
