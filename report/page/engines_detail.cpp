// SPDX-License-Identifier: Apache-2.0
// Engines on the page: the time of each core's engines by stall reason, and the utilisation of each kind over
// time.
#include <algorithm>
#include <array>
#include <map>

#include "model/base/shares.h"
#include "model/base/stall_text.h"
#include "report/page/detail.h"
#include "report/text/saturation.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;
using base::EngineKind, base::EngineMeasurement, base::RunMeasurement;

namespace {

using Shares = std::array<double, base::kStallReasons>;  // femtoseconds, then percent

// A row of the page: a core, or the active cores of a chip.
struct Row {
  std::string name;
  std::uint64_t chip = 0, active = 0;
  std::array<Shares, base::kEngineKinds> time{};
  std::array<std::uint64_t, base::kEngineKinds> engines{}, instructions{};
};

std::vector<bool> active_cores(const model::MachineParams& machine, const RunMeasurement& run) {
  std::vector<bool> active(machine.cores(), false);
  for (const EngineMeasurement& e : run.engines)
    if (e.instructions > 0) active.at(e.core) = true;
  return active;
}

void add(Row& row, const EngineMeasurement& e) {
  const auto kind = static_cast<std::size_t>(e.kind);
  ++row.engines[kind];
  row.instructions[kind] += e.instructions;
  for (std::size_t n = 0; n < base::kStallReasons; ++n)
    row.time[kind][n] += static_cast<double>(e.time[n].fs);
}

std::vector<Row> rows_of(const model::MachineParams& machine, const RunMeasurement& run, bool grouped) {
  const std::vector<bool> active = active_cores(machine, run);
  std::vector<Row> rows;
  std::map<std::uint64_t, std::size_t> at;
  for (const EngineMeasurement& e : run.engines) {
    if (!active[e.core]) continue;
    const std::uint64_t chip = e.core / machine.chip.cores;
    const auto [known, added] = at.try_emplace(grouped ? chip : e.core, rows.size());
    if (added) {
      const std::string core = e.path.substr(0, e.path.rfind('.'));
      rows.emplace_back();
      rows.back().name = grouped ? core.substr(0, core.rfind('.')) : core;
      rows.back().chip = chip;
    }
    add(rows[known->second], e);
  }
  for (std::uint64_t core = 0; core < active.size(); ++core)
    if (active[core]) ++rows[at.at(grouped ? core / machine.chip.cores : core)].active;
  return rows;
}

std::vector<std::size_t> kinds_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> kinds;
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind)
    if (std::any_of(rows.begin(), rows.end(), [&](const Row& r) { return r.engines[kind] > 0; }))
      kinds.push_back(kind);
  return kinds;
}

// Returns the stall reasons that any engine spent time in.
std::vector<std::size_t> cycles_of(const std::vector<Row>& rows) {
  std::vector<std::size_t> cycles;
  for (std::size_t n = 0; n < base::kStallReasons; ++n)
    if (std::any_of(rows.begin(), rows.end(), [&](const Row& r) {
          return std::any_of(r.time.begin(), r.time.end(), [&](const Shares& s) { return s[n] > 0; });
        }))
      cycles.push_back(n);
  return cycles;
}

Json percent_json(const Row& row, const std::vector<std::size_t>& kinds,
                  const std::vector<std::size_t>& cycles, base::Duration elapsed) {
  Json json = Json::array();
  for (const std::size_t kind : kinds) {
    const double whole = static_cast<double>(row.engines[kind]) * static_cast<double>(elapsed.fs);
    Json shares = Json::array();
    for (const std::size_t n : cycles)
      shares.push_back(whole > 0 ? std::round(10000 * row.time[kind][n] / whole) / 100 : 0);
    json.push_back(std::move(shares));
  }
  return json;
}

// Aggregates all engines of a kind on the active cores.
Json series_json(const Simulated& run, std::size_t kind, std::size_t engines) {
  std::vector<double> sum, least, most;
  std::size_t busy = 0;
  for (const EngineRecorder::Engine& e : run.engines) {
    if (static_cast<std::size_t>(engine_of_queue(e.queue)) != kind) continue;
    const auto windows = windows_of(e.series, run.measurement.elapsed, {0});
    sum.resize(windows.size());
    least.resize(windows.size(), 100);
    most.resize(windows.size());
    ++busy;
    for (std::size_t w = 0; w < windows.size(); ++w) {
      sum[w] += windows[w].busy_percent;
      least[w] = std::min(least[w], windows[w].busy_percent);
      most[w] = std::max(most[w], windows[w].busy_percent);
    }
  }
  Json json{{"mean", Json::array()}, {"least", Json::array()}, {"most", Json::array()}};
  for (std::size_t w = 0; w < sum.size(); ++w) {
    json["mean"].push_back(tenth(sum[w] / static_cast<double>(engines)));
    json["least"].push_back(busy < engines ? 0 : tenth(least[w]));
    json["most"].push_back(tenth(most[w]));
  }
  return json;
}

}  // namespace

Json windows_json(const base::Series& series, base::Duration elapsed) {
  Json json = Json::array();
  for (const WindowShare& window : windows_of(series, elapsed, {0}))
    json.push_back(tenth(window.busy_percent));
  return json;
}

Json engines_detail(const model::MachineParams& machine, const Simulated& run) {
  const bool grouped = machine.cores() > kMostCores;
  const std::vector<Row> rows = rows_of(machine, run.measurement, grouped);
  const std::vector<std::size_t> kinds = kinds_of(rows), cycles = cycles_of(rows);
  Json json{{"grouped", grouped},      {"kinds", Json::array()},   {"cycles", Json::array()},
            {"cores", Json::array()},  {"percent", Json::array()}, {"instructions", Json::array()},
            {"series", Json::object()}};
  for (const std::size_t n : cycles) {
    const auto name = static_cast<base::StallReason>(n);
    json["cycles"].push_back({{"name", base::name_of(name)},
                              {"doc", base::doc_of(name)},
                              {"neuron_explorer", base::vendor_name_of(name)},
                              {"advice", base::advice_of(name)}});
  }
  for (const Row& row : rows) {
    json["cores"].push_back({{"name", row.name}, {"chip", row.chip}, {"active", row.active}});
    json["percent"].push_back(percent_json(row, kinds, cycles, run.measurement.elapsed));
    Json instructions = Json::array();
    for (const std::size_t kind : kinds) instructions.push_back(row.instructions[kind]);
    json["instructions"].push_back(std::move(instructions));
  }
  for (const std::size_t kind : kinds) {
    std::size_t engines = 0;
    for (const Row& row : rows) engines += row.engines[kind];
    const char* name = base::name_of(static_cast<EngineKind>(kind));
    json["kinds"].push_back(name);
    json["series"][name] = series_json(run, kind, engines);
  }
  return json;
}

}  // namespace tahoma::runtime
