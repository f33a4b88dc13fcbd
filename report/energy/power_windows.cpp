// SPDX-License-Identifier: Apache-2.0
#include "report/energy/power_windows.h"

#include <numeric>

#include "model/base/busy_series.h"
#include "report/tables/column_csv.h"
#include "report/text/saturation.h"

namespace tahoma::runtime {

namespace {

// Busy time by window, of several resources together.
using Weights = std::vector<double>;

void add_series(const base::Series& series, base::Duration elapsed, Weights& weights) {
  const std::vector<WindowShare> windows = windows_of(series, elapsed, {0});
  for (std::size_t w = 0; w < std::min(windows.size(), weights.size()); ++w)
    weights[w] += windows[w].busy_percent * windows[w].length.seconds();
}

// Divides the dynamic energy of each component among the windows.
class Division {
 public:
  Division(const base::RunMeasurement& run, const std::vector<EngineRecorder::Engine>& engines,
           const std::vector<PowerWindow>& windows)
      : all_(windows.size()), stacks_(windows.size()), links_(windows.size()) {
    for (Weights& engine : engines_) engine.resize(windows.size());
    for (const PowerWindow& window : windows) even_.push_back(window.length.seconds());
    for (const EngineRecorder::Engine& engine : engines) {
      if (engine.queue >= kClockedEngines) continue;
      add_series(engine.series, run.elapsed, engines_[engine.queue]);
      add_series(engine.series, run.elapsed, all_);
    }
    for (const base::HbmMeasurement& stack : run.hbm) add_series(stack.series, run.elapsed, stacks_);
    for (const base::LinkMeasurement& link : run.links) add_series(link.series, run.elapsed, links_);
  }

  const Weights& of(EnergyComponent component) const {
    const Weights& weights = choice(component);
    return std::accumulate(weights.begin(), weights.end(), 0.0) > 0 ? weights : even_;
  }
  const Weights& even() const { return even_; }

 private:
  const Weights& choice(EnergyComponent component) const {
    switch (component) {
      case EnergyComponent::kTensor:
      case EnergyComponent::kVector:
      case EnergyComponent::kScalar:
      case EnergyComponent::kGpSimd:
        return engines_[static_cast<std::size_t>(component)];
      case EnergyComponent::kDma:
      case EnergyComponent::kNetwork:
      case EnergyComponent::kHbm:
        return stacks_;
      case EnergyComponent::kLink:
        return links_;
      default:
        return all_;
    }
  }

  std::array<Weights, kClockedEngines> engines_;  // by component, which are in the order of the queues
  Weights all_, stacks_, links_, even_;
};

using PowerPart = double PowerWindow::*;

PowerPart part_of(EnergyComponent component) {
  switch (component) {
    case EnergyComponent::kDma:
    case EnergyComponent::kNetwork:
    case EnergyComponent::kHbm:
      return &PowerWindow::memory;
    case EnergyComponent::kLink:
      return &PowerWindow::links;
    default:
      return &PowerWindow::compute;
  }
}

void spread(double joules, const Weights& weights, PowerPart part, std::vector<PowerWindow>& windows) {
  const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (std::size_t w = 0; w < windows.size(); ++w)
    windows[w].*part += joules * weights[w] / all / windows[w].length.seconds();
}

}  // namespace

std::vector<PowerWindow> power_windows(const EnergyLedger& ledger, const base::RunMeasurement& run,
                                       const std::vector<EngineRecorder::Engine>& engines) {
  std::vector<PowerWindow> windows;
  for (const WindowShare& window : windows_of(base::BusySeries().series(), run.elapsed, {0}))
    windows.push_back({window.start, window.length, 0, 0, 0, 0});
  const Division division(run, engines, windows);
  for (std::size_t n = 0; n < kEnergyComponents && !windows.empty(); ++n) {
    const auto component = static_cast<EnergyComponent>(n);
    spread(ledger.components[n].dynamic, division.of(component), part_of(component), windows);
    spread(ledger.components[n].standing, division.even(), &PowerWindow::standing, windows);
  }
  return windows;
}

const base::Columns<PowerWindow>& power_columns() {
  using base::Unit;
  using Row = PowerWindow;
  static const auto kColumns =
      base::Columns<Row>("power.csv")
          .number("window_start_ns", Unit::kNanoseconds, "start of the window",
                  [](const Row& r) { return base::clean_nanoseconds(r.start); })
          .number("window_ns", Unit::kNanoseconds, "length of the window",
                  [](const Row& r) { return base::clean_nanoseconds(r.length); })
          .number("watts", Unit::kWatts, "power of the chips in use in it",
                  [](const Row& r) { return r.watts(); })
          .number("compute_watts", Unit::kWatts, "of that, engines, SBUF, PSUM and their clocks",
                  [](const Row& r) { return r.compute; })
          .number("memory_watts", Unit::kWatts, "of that, HBM, DMA engines and on-chip networks",
                  [](const Row& r) { return r.memory; })
          .number("link_watts", Unit::kWatts, "of that, bits on NeuronLink",
                  [](const Row& r) { return r.links; })
          .number("standing_watts", Unit::kWatts, "of that, what flows with time",
                  [](const Row& r) { return r.standing; });
  return kColumns;
}

std::string power_csv(const std::vector<PowerWindow>& windows) {
  CsvLines lines(power_columns());
  for (const PowerWindow& window : windows) lines.add(window);
  return lines.text();
}

}  // namespace tahoma::runtime
