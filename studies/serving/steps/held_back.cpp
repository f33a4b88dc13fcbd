// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/steps/held_back.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"

namespace tahoma::runtime::serving {

double HeldBack::mean_percent() const {
  double sum = 0;
  for (const HeldBackStep& step : steps) sum += std::abs(step.error_percent());
  return sum / static_cast<double>(steps.size());
}

const HeldBackStep& HeldBack::worst() const {
  return *std::max_element(steps.begin(), steps.end(), [](const HeldBackStep& a, const HeldBackStep& b) {
    return std::abs(a.error_percent()) < std::abs(b.error_percent());
  });
}

HeldBack held_back_errors(const StepTable& table, const std::string& path) {
  HeldBack held_back;
  for (ExecutedStep& step : read_steps(path).steps) {
    if (table.contains(step.phase, step.at))
      throw base::UserError(
          "E-SRV-015", step.place,
          fmt::format("the {} is also in the table of steps: expected steps that the table lacks, "
                      "since the error is 0 at its own",
                      step_text(step.phase, step.at)));
    try {
      const StepCost interpolated = table.cost_at(step.phase, step.at);
      held_back.steps.push_back({std::move(step), interpolated});
    } catch (
        const base::UserError& error) {  // the held-back step is the cause; the message names the nearest
      throw base::UserError(error.code, step.place, error.message);
    }
  }
  return held_back;
}

std::string held_back_line(const HeldBack& held_back) {
  return fmt::format("held back: {} steps, mean error {:.2f} %, worst {:.2f} %", held_back.steps.size(),
                     held_back.mean_percent(), std::abs(held_back.worst().error_percent()));
}

std::string held_back_text(const HeldBack& held_back) {
  std::string text =
      fmt::format("{:>12} {:>12} {:>8}  {}\n", "executed s", "interpolated", "error %", "step");
  for (const HeldBackStep& step : held_back.steps)
    text += fmt::format("{:>12.4g} {:>12.4g} {:>+8.2f}  {}\n", step.executed.cost.seconds,
                        step.interpolated.seconds, step.error_percent(),
                        step_text(step.executed.phase, step.executed.at));
  return text + held_back_line(held_back) + "\n";
}

}  // namespace tahoma::runtime::serving
