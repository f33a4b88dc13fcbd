// SPDX-License-Identifier: Apache-2.0
#include "report/cost/priced_run.h"

#include <fmt/format.h>

#include <array>
#include <string_view>

#include "report/tables/declared_json.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kNameWidth = 20;
constexpr double kSecondsOfHour = 3600, kJoulesOfKwh = 3.6e6, kMillion = 1e6, kNanosecond = 1e-9;
// Figures of workloads that the cost is divided by; of several times of a step, that of the whole model.
constexpr std::string_view kTokens = "tokens_per_second";
constexpr std::array<std::string_view, 2> kSteps{"model_step_time_ns", "step_time_ns"};

std::optional<double> figure_of(const std::vector<WorkloadFigure>& figures, std::string_view key) {
  for (const WorkloadFigure& figure : figures)
    if (figure.key == key && figure.value > 0) return figure.value;
  return std::nullopt;
}

Json figures_or_null(const std::optional<CostFigures>& figures) {
  return figures ? declared_json(*figures) : Json(nullptr);
}

}  // namespace

CostFigures cost_of(const PriceList& prices, double chips, double wall_watts, double seconds) {
  CostFigures cost;
  cost.dollars = prices.dollars_per_chip_hour() * chips * seconds / kSecondsOfHour;
  cost.wall_joules = wall_watts * seconds;
  cost.facility_joules = cost.wall_joules * prices.facility.pue;
  cost.electricity_dollars = cost.facility_joules / kJoulesOfKwh * prices.electricity.dollars_per_kwh;
  cost.litres = cost.wall_joules / kJoulesOfKwh * prices.facility.litres_per_kwh;
  cost.industry_litres = cost.wall_joules / kJoulesOfKwh * prices.facility.industry_litres_per_kwh;
  return cost;
}

PricedRun priced_run(const PriceList& prices, double chips, double wall_watts, base::Duration elapsed,
                     const std::vector<WorkloadFigure>& figures) {
  const auto during = [&](double seconds) { return cost_of(prices, chips, wall_watts, seconds); };
  PricedRun cost{prices, during(elapsed.seconds()), std::nullopt, std::nullopt};
  if (const auto rate = figure_of(figures, kTokens)) cost.per_million_tokens = during(kMillion / *rate);
  for (const std::string_view key : kSteps)
    if (const auto time = figure_of(figures, key); time && !cost.per_step)
      cost.per_step = during(*time * kNanosecond);
  return cost;
}

Json cost_json(const PricedRun& cost) {
  const PriceList& prices = cost.prices;
  Json json = declared_json(cost.run);
  json["per_million_tokens"] = figures_or_null(cost.per_million_tokens);
  json["per_step"] = figures_or_null(cost.per_step);
  json["prices"] = {{"instance", prices.instance},
                    {"chips", prices.chips},
                    {"dollars_per_hour", prices.dollars_per_hour},
                    {"date", prices.date},
                    {"source", prices.source},
                    {"dollars_per_kwh", prices.electricity.dollars_per_kwh},
                    {"electricity_source", prices.electricity.source},
                    {"pue", prices.facility.pue},
                    {"litres_per_kwh", prices.facility.litres_per_kwh},
                    {"industry_litres_per_kwh", prices.facility.industry_litres_per_kwh},
                    {"facility_source", prices.facility.source}};
  return json;
}

// The row has as many parts as fit.
std::string cost_text(const PricedRun& cost) {
  const PriceList& prices = cost.prices;
  std::vector<std::string> parts{fmt::format("{:.4g} $", cost.run.dollars)};
  if (cost.per_million_tokens)
    parts.push_back(fmt::format("{:.3g} $ for a million tokens", cost.per_million_tokens->dollars));
  if (cost.per_step) parts.push_back(fmt::format("{:.3g} $ for a step", cost.per_step->dollars));
  parts.push_back(fmt::format("{} {:.6g} $/h ({})", fitted(prices.instance, kNameWidth),
                              prices.dollars_per_hour, prices.date));
  parts.push_back(fmt::format("{} of water", fine_text(cost.run.litres, "l")));
  return fitted_row("cost", parts);
}

}  // namespace tahoma::runtime
