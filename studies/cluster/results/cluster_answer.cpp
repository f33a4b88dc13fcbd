// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/results/cluster_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "studies/cards/model_work.h"

namespace tahoma::runtime::cluster {

namespace {

constexpr double kCheckpointBytes = 14;  // of a weight: bf16, fp32 master weight, two moments

TrainingPlan plan_of(const ClusterAnswer& a, double interval, double chips, double spares) {
  TrainingPlan plan;
  plan.work = a.of.steps() * a.step.seconds;
  plan.chips = chips;
  plan.spares = spares;
  plan.interval = interval;
  plan.checkpoint = a.checkpoint_seconds;
  plan.asynchronous = a.of.checkpoint.asynchronous;
  plan.slowdown = a.slowdown;
  plan.unit = number(a.of.fleet.domain);
  return plan;
}

// The interval that is asked for, or Daly's for a number of chips; at least a step.
double interval_for(const ClusterAnswer& a, double chips) {
  const double wanted = a.of.checkpoint.interval_minutes * kMinute;
  if (wanted > 0) return wanted;
  const double between = mean_time_between_faults(a.of.faults, chips),
               optimum = std::isinf(between) ? a.of.steps() * a.step.seconds
                                             : daly_interval(a.checkpoint_seconds, between);
  return std::max(a.step.seconds, optimum);
}

CurvePoint point(const ClusterAnswer& a, double interval, double chips, double spares) {
  return {interval / kMinute, chips, spares,
          simulate_goodput(a.of.faults, plan_of(a, interval, chips, spares))};
}

Curves curves_of(const ClusterAnswer& a) {
  const double chips = number(a.of.fleet.chips), spares = number(a.of.fleet.spares);
  Curves curves;
  for (const double factor : {0.125, 0.25, 0.5, 0.7, 1.0, 1.4, 2.0, 4.0, 8.0})
    curves.intervals.push_back(point(a, std::max(a.step.seconds, factor * a.interval), chips, spares));
  for (const double factor : {0.125, 0.25, 0.5, 1.0, 2.0, 4.0})
    curves.chips.push_back(point(a, interval_for(a, factor * chips), factor * chips, factor * spares));
  const double needed = a.of.faults.rates.of_hardware() * chips / 1e6 *
                        a.of.faults.repair_hours;  // chips in repair, on average
  for (const double factor : {0.0, 0.5, 1.0, 1.5, 2.0, 3.0})
    curves.spares.push_back(point(a, a.interval, chips, std::ceil(factor * needed)));
  return curves;
}

// A step that needs less than its products take at the peak was composed of times that belong to other
// degrees.
void require_possible(const ClusterAnswer& a) {
  constexpr double kRounding = 1e-9;
  if (a.mfu() <= 1 + kRounding) return;
  const std::string expected = a.of.times.source == TimeSource::kGiven
                                   ? fmt::format("times for tensor {}, context {} and micro-batch {}",
                                                 a.of.job.tensor, a.of.job.context, a.of.job.micro_batch)
                                   : "a larger cluster.times.backward";
  throw base::UserError(
      "E-CLU-003", "cluster.times",
      fmt::format(
          "the times of a layer give {:.0f} TFLOP/s of a chip, {:.1f} % of its peak of {:.0f}; expected {}",
          a.flops_of_chip() / 1e12, 100 * a.mfu(), a.times.peak_flops / 1e12, expected));
}

}  // namespace

double ClusterAnswer::flops_of_chip() const {
  return times.flops * tokens_per_second() / number(of.fleet.chips);
}

double ClusterAnswer::mfu() const { return flops_of_chip() / times.peak_flops; }

double ClusterAnswer::megawatts() const {
  return number(of.fleet.chips) * of.fleet.chip_power.watts() * prices.facility.pue / 1e6;
}

double ClusterAnswer::dollars() const {
  return prices.dollars_per_chip_hour() * number(of.fleet.chips + of.fleet.spares) * training_seconds() /
         kHour;
}

double ClusterAnswer::litres() const {
  const double kwh = number(of.fleet.chips) * of.fleet.chip_power.watts() / 1000 * training_seconds() / kHour;
  return kwh * prices.facility.litres_per_kwh;
}

ClusterAnswer answer_of(const ClusterCase& c, const std::string& folder) {
  ClusterAnswer a{.of = c,
                  .times = layer_times(c, folder),
                  .step = {},
                  .memory = memory_of_chip(c),
                  .goodput = {},
                  .curves = {},
                  .prices = {}};
  require_memory(c, a.times.hbm_bytes);
  StepCosts costs = step_costs(c, a.times);
  a.step = simulate_step(c.job.schedule, pipeline_shape(c), costs);
  require_possible(a);
  if (a.times.slow_factor > 1) {
    costs.straggler *= a.times.slow_factor;
    a.slowdown = simulate_step(c.job.schedule, pipeline_shape(c), costs).seconds / a.step.seconds;
  }
  a.checkpoint_bytes =
      kCheckpointBytes * (number(c.model.layers) * layer_weights(c.model) + ends_weights(c.model));
  a.checkpoint_seconds = c.checkpoint.rate.ideal
                             ? 0
                             : a.checkpoint_bytes / static_cast<double>(c.checkpoint.rate.bytes_per_second);
  a.between_faults = mean_time_between_faults(c.faults, number(c.fleet.chips));
  a.young = young_interval(a.checkpoint_seconds, a.between_faults);
  a.daly = daly_interval(a.checkpoint_seconds, a.between_faults);
  a.interval = interval_for(a, number(c.fleet.chips));
  a.goodput =
      simulate_goodput(c.faults, plan_of(a, a.interval, number(c.fleet.chips), number(c.fleet.spares)));
  a.curves = curves_of(a);
  a.prices = read_price_list(c.fleet.prices);
  return a;
}

}  // namespace tahoma::runtime::cluster
