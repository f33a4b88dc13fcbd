// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/results/index_page.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "runtime/page/page.h"
#include "runtime/sweep/results/store.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;
using Rows = std::vector<Store::Row>;

namespace {

// The metrics of most interest; they follow the sweep's own metrics.
constexpr std::array kHeadline{"simulated_time_ns",
                               "mfu_estimated_percent",
                               "mbu_estimated_percent",
                               "flops.achieved_tflops",
                               "flops.peak_tflops",
                               "tensor_engine_active_time_percent",
                               "vector_engine_active_time_percent",
                               "scalar_engine_active_time_percent",
                               "gpsimd_engine_active_time_percent",
                               "sync_engine_active_time_percent",
                               "dma_active_time_percent",
                               "hbm.achieved_bandwidth",
                               "hbm.peak_bandwidth",
                               "hbm_read_bytes",
                               "hbm_write_bytes",
                               "links.busiest_link.busy_percent",
                               "links.saturated.count",
                               "links.bytes",
                               "busiest.share_percent",
                               "golden.max_rel_error",
                               "instructions",
                               "seed"};

struct ShownAxis {
  std::string path;
  std::vector<std::string> texts;  // in the order of the points
  std::vector<Json> numbers;
};

std::vector<ShownAxis> shown_axes(const Rows& rows) {
  std::vector<ShownAxis> axes;
  for (const Store::Row& row : rows)
    for (const SweepPoint::Parameter& p : row.parameters) {
      auto axis =
          std::find_if(axes.begin(), axes.end(), [&](const ShownAxis& a) { return a.path == p.path; });
      if (axis == axes.end()) axis = axes.insert(axes.end(), ShownAxis{p.path, {}, {}});
      if (std::find(axis->texts.begin(), axis->texts.end(), p.text) != axis->texts.end()) continue;
      axis->texts.push_back(p.text);
      axis->numbers.push_back(p.value ? Json(*p.value) : Json(nullptr));
    }
  return axes;
}

// Metrics that differ between points and do not belong to a single region, link, stack or collective. Metrics
// of the sweep itself have no dot and do not occur in a summary.
std::vector<std::string> shown_metrics(const Rows& rows, std::size_t& left_out) {
  std::map<std::string, std::set<double>> values;
  for (const Store::Row& row : rows)
    for (const auto& [name, value] : row.metrics) values[name].insert(value);
  std::vector<std::string> own, headline, others;
  const auto differs = [&](const std::string& name) {
    const auto known = values.find(name);
    return known != values.end() && known->second.size() > 1;
  };
  for (const char* name : kHeadline)
    if (differs(name)) headline.emplace_back(name);
  for (const auto& [name, all] : values) {
    if (all.size() < 2 || std::find(headline.begin(), headline.end(), name) != headline.end()) continue;
    (name.find('.') == std::string::npos ? own : others).push_back(name);
  }
  std::vector<std::string> names = own;
  names.insert(names.end(), headline.begin(), headline.end());
  names.insert(names.end(), others.begin(), others.end());
  left_out = names.size() - std::min(names.size(), kMostIndexMetrics);
  names.resize(names.size() - left_out);
  return names;
}

Json point_json(const std::filesystem::path& folder, const Store::Row& row,
                const std::vector<ShownAxis>& axes, const std::vector<std::string>& metrics) {
  Json json{{"number", row.number},
            {"workload", std::filesystem::path(row.workload).stem().string()},
            {"status", row.status},
            {"reason", row.reason}};
  const std::string page = "points/" + row.id + "/out/report.html";
  json["link"] = std::filesystem::is_regular_file(folder / page) ? Json(page) : Json(nullptr);
  json["parameters"] = Json::array();
  for (const ShownAxis& axis : axes) {
    const auto own = std::find_if(row.parameters.begin(), row.parameters.end(),
                                  [&](const SweepPoint::Parameter& p) { return p.path == axis.path; });
    const auto at = own == row.parameters.end() ? axis.texts.end()
                                                : std::find(axis.texts.begin(), axis.texts.end(), own->text);
    json["parameters"].push_back(at == axis.texts.end() ? Json(nullptr) : Json(at - axis.texts.begin()));
  }
  json["values"] = Json::array();
  for (const std::string& name : metrics) {
    const auto value = row.metrics.find(name);
    json["values"].push_back(value == row.metrics.end() ? Json(nullptr) : Json(value->second));
  }
  return json;
}

}  // namespace

std::string sweep_page(const std::string& folder) {
  const std::filesystem::path at(folder);
  const Rows rows = Store::read(at / "sweep.db");
  std::string title = "Sweep";
  for (const auto& row :
       Database(at / "sweep.db", Database::Access::kRead).rows("SELECT value FROM meta WHERE key = 'title'"))
    if (const auto* text = std::get_if<std::string>(&row.front()); text != nullptr && !text->empty())
      title = *text;
  const std::vector<ShownAxis> axes = shown_axes(rows);
  std::size_t left_out = 0;
  const std::vector<std::string> metrics = shown_metrics(rows, left_out);
  Json data{{"kind", "sweep"},    {"title", title},       {"axes", Json::array()},
            {"metrics", metrics}, {"left_out", left_out}, {"points", Json::array()}};
  for (const ShownAxis& axis : axes)
    data["axes"].push_back({{"path", axis.path}, {"values", axis.texts}, {"numbers", axis.numbers}});
  for (const Store::Row& row : rows) data["points"].push_back(point_json(at, row, axes, metrics));
  return page_of(title + " - Tahoma", data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace tahoma::runtime
