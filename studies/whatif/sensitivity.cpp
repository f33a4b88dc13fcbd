// SPDX-License-Identifier: Apache-2.0
#include "studies/whatif/sensitivity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/base/error.h"
#include "studies/whatif/shorter.h"
#include "studies/whatif/start_phases.h"
#include "studies/whatif/uncertain.h"

namespace tahoma::runtime {

namespace {

using base::Provenance;

std::vector<SensitivityRow> rows_of(const ConfigRequest& request,
                                    const std::vector<Provenance>& provenances) {
  std::vector<SensitivityRow> rows;
  for (const UncertainParameter& p : uncertain_parameters(request, provenances))
    rows.push_back({.path = p.path,
                    .value = p.value,
                    .doc = p.doc,
                    .note = p.note,
                    .provenance = p.provenance,
                    .low = {.value = p.low.value, .skipped = p.low.skipped, .run = {}, .region = ""},
                    .high = {.value = p.high.value, .skipped = p.high.skipped, .run = {}, .region = ""}});
  return rows;
}

double percent_longer(base::Duration now, base::Duration before) { return -percent_shorter(before, now); }

void measure(const Repetition& before, SensitivityEnd& end) {
  end.skipped = end.run.failure;
  if (end.skipped.empty() && end.run.instructions != before.instructions)
    end.skipped = fmt::format("another program: {} instructions instead of {}", end.run.instructions,
                              before.instructions);
  if (!end.skipped.empty()) return;
  end.percent = percent_longer(end.run.time, before.time);
  if (before.regions.size() < 2) return;
  for (const auto& [name, time] : before.regions) {
    const base::Duration* now = end.run.of_region(name);
    const double change = now == nullptr || time.fs == 0 ? 0 : percent_longer(*now, time);
    if (std::abs(change) > std::max(kFeltPercent, std::abs(end.region_percent))) {
      end.region = name;
      end.region_percent = change;
    }
  }
}

IntervalDistance distances(const std::vector<SensitivityRow>& rows) {
  std::vector<std::pair<double, double>> moves;
  for (const SensitivityRow& row : rows) moves.emplace_back(row.low.percent / 100, row.high.percent / 100);
  return combined_moves(moves);
}

}  // namespace

double SensitivityRow::largest() const { return std::max(std::abs(low.percent), std::abs(high.percent)); }

std::size_t Sensitivity::felt() const {
  return static_cast<std::size_t>(std::count_if(
      rows.begin(), rows.end(), [](const SensitivityRow& row) { return row.largest() > kFeltPercent; }));
}

std::size_t Sensitivity::run_rows() const {
  return static_cast<std::size_t>(std::count_if(rows.begin(), rows.end(), [](const SensitivityRow& row) {
    return row.low.skipped.empty() || row.high.skipped.empty();
  }));
}

double Sensitivity::interval_low() const {
  return run.time.seconds() * (1 - std::min(1.0, distances(rows).down));
}
double Sensitivity::interval_high() const { return run.time.seconds() * (1 + distances(rows).up); }

Sensitivity sensitivity(const std::string& name, const ConfigRequest& request,
                        const std::vector<Provenance>& provenances, std::size_t phases, std::size_t jobs,
                        const std::function<void(std::size_t, std::size_t)>& progress) {
  Sensitivity s{name, {}, rows_of(request, provenances)};
  std::vector<std::vector<std::string>> overrides;
  std::vector<SensitivityEnd*> ends;
  for (SensitivityRow& row : s.rows)
    for (SensitivityEnd* end : {&row.low, &row.high}) {
      if (!end->skipped.empty()) continue;
      ends.push_back(end);
      overrides.push_back({row.path + "=" + end->value});
    }
  if (phases > 0) {
    const auto resolved = resolve_config(request);
    for (std::vector<std::string>& of_run : start_phases(resolved->machine, resolved->run.seed, phases))
      overrides.push_back(std::move(of_run));
  }
  std::vector<Repetition> runs = repetitions(request, overrides, jobs, progress);
  s.run = std::move(runs.front());
  if (!s.run.failure.empty())
    throw base::UserError("E-CLI-006", name, "the run cannot be repeated: " + s.run.failure);
  s.band = band_of_runs(name, std::span(runs).subspan(ends.size() + 1));
  for (std::size_t i = 0; i < ends.size(); ++i) {
    ends[i]->run = std::move(runs[i + 1]);
    measure(s.run, *ends[i]);
    ends[i]->distinguishable = !s.band || !s.band->holds(ends[i]->run.time.ns());
  }
  std::stable_sort(s.rows.begin(), s.rows.end(), [](const SensitivityRow& a, const SensitivityRow& b) {
    return a.largest() > b.largest();
  });
  return s;
}

}  // namespace tahoma::runtime
