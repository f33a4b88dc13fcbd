// SPDX-License-Identifier: Apache-2.0
// A price list: what an instance costs per hour, what electricity costs, and what the building adds. A YAML
// file with the keys
//
//   prices:
//     instance: trn2.48xlarge          kind of instance
//     chips: 16                        chips of one instance
//     dollars_per_hour: 35.7608        of one instance
//     date: 2026-01-31                 of that price, YYYY-MM-DD
//     source: EC2 Capacity Blocks      where it was read
//     electricity: {dollars_per_kwh: 0.08, source: ...}
//     facility: {pue: 1.15, litres_per_kwh: 0.15, industry_litres_per_kwh: 0.375, source: ...}
//     manufacturing: {hbm_dollars_per_gib: 15, package_dollars: 750, source: ...}
//
// It may have the key `extends:` with another price list. The first five keys are required, here or there.
// PUE is the energy of the building over that of its computers; litres are for a kilowatt-hour of the
// computers (WUE).
//
// UserError: E-CST-001 no such price list; E-CST-002 a required key is missing; E-CST-003 the date is
// invalid. Errors of keys, numbers and ranges have the codes of model/base/error_codes.md and name the line.
#pragma once

#include <optional>
#include <string>

#include "model/base/params.h"

namespace tahoma::runtime {

struct ElectricityPrice {
  double dollars_per_kwh = 0;
  std::string source;
  void declare(base::ParamTree& t);
};

struct FacilityFactors {
  double pue = 1, litres_per_kwh = 0, industry_litres_per_kwh = 0;
  std::string source;
  void declare(base::ParamTree& t);
};

struct ManufacturingPrices {  // of a chip, beside its dies (model/system/area); without a source not known
  double hbm_dollars_per_gib = 0, package_dollars = 0;
  std::string source;
  void declare(base::ParamTree& t);
};

struct PriceList {
  std::string instance, date, source;
  std::uint64_t chips = 0;
  double dollars_per_hour = 0;
  ElectricityPrice electricity;
  FacilityFactors facility;
  ManufacturingPrices manufacturing;
  void declare(base::ParamTree& t);

  double dollars_per_chip_hour() const { return dollars_per_hour / static_cast<double>(chips); }
};

inline constexpr const char* kDefaultPrices = "trn2";

// `name`: a shipped list or a path.
PriceList read_price_list(const std::string& name);
// True if the shipped list is installed; a program outside an installation may lack it.
bool has_price_list(const std::string& name);
// The list `name`; without a name the default one, if it is installed.
std::optional<PriceList> prices_of(const std::string& name = "");

}  // namespace tahoma::runtime
