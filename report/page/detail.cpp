// SPDX-License-Identifier: Apache-2.0
#include "report/page/detail.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/table/table_names.h"
#include "report/energy/power_windows.h"
#include "report/text/saturation.h"
#include "runtime/host/output/version.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr int kDetailSchemaVersion = 1;
constexpr std::size_t kMostFillings = 9;  // per space; the rest is summed

// The common window of all series of the run, and the number of windows.
void add_grid(const base::RunMeasurement& run, Json& json) {
  const auto windows = windows_of(base::BusySeries().series(), run.elapsed, {0});
  json["window_ns"] = windows.empty() ? 0 : windows.front().length.ns();
  json["windows"] = windows.size();
}

Json filling_json(const Filling& f) {
  Json mean = Json::array();
  for (const double bytes : f.mean_bytes) mean.push_back(std::round(bytes));
  return {{"what", f.what}, {"bytes", f.bytes}, {"mean_bytes", std::move(mean)}};
}

Filling sum_of_rest(const SpaceOccupancy& o) {
  Filling rest;
  rest.what = fmt::format("{} others", o.fillings.size() - kMostFillings);
  for (std::size_t n = kMostFillings; n < o.fillings.size(); ++n) {
    rest.bytes += o.fillings[n].bytes;
    rest.mean_bytes.resize(std::max(rest.mean_bytes.size(), o.fillings[n].mean_bytes.size()));
    for (std::size_t w = 0; w < o.fillings[n].mean_bytes.size(); ++w)
      rest.mean_bytes[w] += o.fillings[n].mean_bytes[w];
  }
  return rest;
}

}  // namespace

Json occupancy_detail(const std::vector<SpaceOccupancy>& occupancy) {
  Json list = Json::array();
  for (const SpaceOccupancy& o : occupancy) {
    Json json{{"space", isa::name_of(o.space)}, {"capacity", o.capacity},
              {"instances", o.instances},       {"footprint", o.footprint},
              {"fullest", o.fullest},           {"most_live", std::round(o.most_live)},
              {"most_live_in", o.most_live_in}, {"most_live_at_ns", o.most_live_at.ns()},
              {"fillings", Json::array()}};
    for (std::size_t n = 0; n < std::min(kMostFillings, o.fillings.size()); ++n)
      json["fillings"].push_back(filling_json(o.fillings[n]));
    if (o.fillings.size() > kMostFillings) json["fillings"].push_back(filling_json(sum_of_rest(o)));
    list.push_back(std::move(json));
  }
  return list;
}

Json power_detail(const Simulated& run) {
  Json compute = Json::array(), memory = Json::array(), links = Json::array(), standing = Json::array();
  for (const PowerWindow& window : power_windows(run.energy, run.measurement, run.engines)) {
    compute.push_back(tenth(window.compute));
    memory.push_back(tenth(window.memory));
    links.push_back(tenth(window.links));
    standing.push_back(tenth(window.standing));
  }
  return {{"compute", std::move(compute)},
          {"memory", std::move(memory)},
          {"links", std::move(links)},
          {"standing", std::move(standing)}};
}

Json detail_json(const ResolvedConfig& config, const std::string& config_sha256, const Simulated& run) {
  Json json{{"schema_version", kDetailSchemaVersion}, {"version", version()}};
  add_grid(run.measurement, json);
  json["engines"] = engines_detail(config.machine, run);
  json["timeline"] = timeline_detail(config.machine, run);
  json["hbm"] = hbm_detail(config.machine, run.measurement);
  json["links"] = links_detail(config.machine, run.measurement);
  json["traffic"] = traffic_detail(config.machine, run.measurement);
  json["power"] = power_detail(run);
  json["occupancy"] = occupancy_detail(run.occupancy);
  if (!run.lines.lines.empty()) json["lines"] = lines_detail(hot_spots(run.lines));
  json["machine"] = machine_detail(config);
  json["ledger"] = ledger_detail(config, run.measurement);
  json["reproduce"] = {{"config_sha256", config_sha256},
                       {"command", "tahoma run config.resolved.yaml --out out-again"}};
  return json;
}

}  // namespace tahoma::runtime
