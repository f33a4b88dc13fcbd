// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/start_phases.h"

#include <fmt/format.h>

#include <random>

#include "model/base/error.h"
#include "studies/whatif/repetition.h"

namespace tahoma::runtime {

namespace {

constexpr std::int64_t kFsPerPs = 1000;

std::string phase(const char* parameter, base::Duration period, std::mt19937_64& random) {
  const double share = static_cast<double>(random() >> 11) * 0x1p-53;
  return fmt::format("{}={} ps", parameter,
                     static_cast<std::int64_t>(share * static_cast<double>(period.fs)) / kFsPerPs);
}

}  // namespace

std::vector<std::vector<std::string>> start_phases(const model::MachineParams& machine, std::uint64_t seed,
                                                   std::size_t runs) {
  const model::ChipParams& chip = machine.chip;
  std::mt19937_64 random(seed);
  std::vector<std::vector<std::string>> all(runs);
  for (std::vector<std::string>& of_run : all) {
    if (chip.core.tensor.throttle)
      of_run.push_back(
          phase("machine.chip.core.tensor.throttle_phase", chip.core.tensor.throttle_window, random));
    if (chip.hbm.has_dram() && chip.hbm.dram.refresh != model::dram::Refresh::kNone)
      of_run.push_back(phase("machine.chip.hbm.dram.refresh_phase", chip.hbm.dram.timing.refi, random));
  }
  return all;
}

std::optional<TimeBand> band_of_runs(const std::string& name, std::span<const Repetition> runs) {
  std::vector<double> times;
  for (const Repetition& run : runs) {
    if (!run.failure.empty())
      throw base::UserError("E-CLI-006", name, "the run cannot be repeated: " + run.failure);
    times.push_back(run.time.ns());
  }
  return times.empty() ? std::nullopt : std::optional(band_of(std::move(times)));
}

TimeBand time_band(const std::string& name, const ConfigRequest& request, std::size_t runs, std::size_t jobs,
                   const std::function<void(std::size_t, std::size_t)>& progress) {
  const auto resolved = resolve_config(request);
  const std::vector<Repetition> all =
      repetitions(request, start_phases(resolved->machine, resolved->run.seed, runs), jobs, progress);
  return *band_of_runs(name, std::span(all).subspan(1));  // the first has the phases of the configuration
}

}  // namespace tahoma::runtime
