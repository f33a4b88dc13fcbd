// SPDX-License-Identifier: Apache-2.0
// Computes the cost of a run in dollars and in water. Every chip of the machine is paid for the whole time,
// at the price of an instance over its chips. The rent includes electricity; the price of electricity is what
// the owner of the machine pays. Nothing is added for host time before and after the run, storage or
// networks.
//
// A workload that reports tokens per second also has the cost of a million tokens; one that reports the time
// of a training step, that of a step: at the average power of the run, where the workload has scaled a part
// of the model to the whole.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "model/base/declared.h"
#include "report/cost/price_list.h"
#include "runtime/workload/workload.h"

namespace tahoma::runtime {

struct CostFigures {
  TAHOMA_STATISTICS(CostFigures);
  TAHOMA_COUNTER(double, dollars, kDollars, "rent of the machine");
  TAHOMA_COUNTER(double, electricity_dollars, kDollars, "price of the electricity of the building's share");
  TAHOMA_COUNTER(double, wall_joules, kJoules, "energy at the wall");
  TAHOMA_COUNTER(double, facility_joules, kJoules, "energy of the building's share: at the wall, times PUE");
  TAHOMA_COUNTER(double, litres, kLitres, "water, by the list's litres for a kilowatt-hour at the wall");
  TAHOMA_COUNTER(double, industry_litres, kLitres, "water, by the industry's");
};

struct PricedRun {
  PriceList prices;
  CostFigures run;
  std::optional<CostFigures> per_million_tokens, per_step;
};

// This is the cost of `seconds` of a machine of `chips` chips at `wall_watts`.
CostFigures cost_of(const PriceList& prices, double chips, double wall_watts, double seconds);
PricedRun priced_run(const PriceList& prices, double chips, double wall_watts, base::Duration elapsed,
                     const std::vector<WorkloadFigure>& figures);

// These are the block `cost` of summary.json, and the row of summary.txt.
nlohmann::ordered_json cost_json(const PricedRun& cost);
std::string cost_text(const PricedRun& cost);

}  // namespace tahoma::runtime
