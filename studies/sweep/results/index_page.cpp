// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/index_page.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "model/base/error.h"
#include "report/page/page.h"
#include "report/reference/declarations.h"
#include "runtime/host/json/json_text.h"
#include "studies/sweep/results/axis_effects.h"
#include "studies/sweep/results/metrics.h"
#include "studies/sweep/results/objective.h"
#include "studies/sweep/results/pareto.h"
#include "studies/sweep/results/store.h"

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

// The page shows these metrics: those of the sweep and of its objectives, then the others that differ between
// points.
std::vector<std::string> shown_metrics(const Rows& rows, const std::vector<std::string>& own,
                                       std::size_t& left_out) {
  std::map<std::string, std::set<double>> values;
  for (const Store::Row& row : rows)
    for (const auto& [name, value] : row.metrics) values[name].insert(value);
  std::vector<std::string> headline, others;
  std::set<std::string> taken(own.begin(), own.end());
  const auto differs = [&](const std::string& name) {
    const auto known = values.find(name);
    return known != values.end() && known->second.size() > 1;
  };
  for (const char* name : kHeadline)
    if (differs(name) && taken.insert(name).second) headline.emplace_back(name);
  for (const auto& [name, all] : values)
    if (all.size() > 1 && taken.insert(name).second) others.push_back(name);
  std::vector<std::string> names;
  for (const std::string& name : own)
    if (values.contains(name) && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(name);
  names.insert(names.end(), headline.begin(), headline.end());
  names.insert(names.end(), others.begin(), others.end());
  left_out = names.size() - std::min(names.size(), kMostIndexMetrics);
  names.resize(names.size() - left_out);
  return names;
}

// Returns none for a point that is not finished or lacks what the expression names.
std::optional<double> value_if_any(const Store::Row& row, const Expression& expression) {
  if (row.status != "done") return std::nullopt;
  try {
    return value_at(row, expression);
  } catch (const base::UserError&) {
    return std::nullopt;
  }
}

// The objectives that have a value at any point.
std::vector<Objective> known_objectives(const Rows& rows, const std::string& text) {
  std::vector<Objective> objectives = objectives_of(text, "--pareto");
  std::erase_if(objectives, [&](const Objective& o) {
    return std::none_of(rows.begin(), rows.end(),
                        [&](const Store::Row& row) { return value_if_any(row, o.expression); });
  });
  return objectives;
}

// A column of the page: a metric, or an objective that is an expression.
struct ShownQuantity {
  std::string name;
  base::Better better = base::Better::kLess;
  std::optional<Expression> expression;

  std::optional<double> of(const Store::Row& row) const {
    if (expression) return value_if_any(row, *expression);
    const auto value = row.metrics.find(name);
    return value == row.metrics.end() ? std::nullopt : std::optional(value->second);
  }
  // Of an objective of a point that was repeated with other start phases.
  std::optional<BandedValue> band_of(const Store::Row& row) const {
    if (!expression || !of(row) || !row.metrics.contains("band.low_ns")) return std::nullopt;
    return banded_value_at(row, *expression);
  }
};

// The objectives first, so that the page begins with their front.
std::vector<ShownQuantity> shown_quantities(const Rows& rows, const std::vector<Objective>& objectives,
                                            const std::vector<std::string>& own, std::size_t& left_out) {
  std::vector<ShownQuantity> shown;
  for (const Objective& o : objectives) shown.push_back({o.expression.text(), o.better, o.expression});
  const auto is_shown = [&](const std::string& name) {
    return std::any_of(shown.begin(), shown.end(), [&](const auto& each) { return each.name == name; });
  };
  for (const std::string& name : shown_metrics(rows, own, left_out)) {
    const auto declared = declaration_of(name);
    if (!is_shown(name)) shown.push_back({name, declared ? declared->better : base::Better::kLess, {}});
  }
  return shown;
}

// The metrics at the beginning that are objectives or the sweep's own.
std::size_t count_own(const std::vector<ShownQuantity>& quantities, const std::vector<Objective>& objectives,
                      const std::vector<std::string>& own) {
  std::size_t count = objectives.size();
  while (count < quantities.size() && std::find(own.begin(), own.end(), quantities[count].name) != own.end())
    ++count;
  return count;
}

Json point_json(const std::filesystem::path& folder, const Store::Row& row,
                const std::vector<ShownAxis>& axes, const std::vector<ShownQuantity>& quantities) {
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
  for (const ShownQuantity& quantity : quantities) {
    const auto value = quantity.of(row);
    json["values"].push_back(value ? Json(*value) : Json(nullptr));
  }
  if (std::any_of(quantities.begin(), quantities.end(),
                  [&](const auto& each) { return each.band_of(row); })) {
    json["bands"] = Json::array();
    for (const ShownQuantity& quantity : quantities) {
      const auto band = quantity.band_of(row);
      json["bands"].push_back(band ? Json{band->low, band->high} : Json(nullptr));
    }
  }
  const auto busiest = row.texts.find(kBusiestText);
  json["busiest"] = busiest == row.texts.end() ? "" : busiest->second;
  return json;
}

}  // namespace

std::string sweep_page(const std::string& folder) {
  const std::filesystem::path at(folder);
  const Rows rows = Store::read(at / "sweep.db");
  const auto meta = Store::meta(at / "sweep.db");
  const auto said = [&](const char* key) { return meta.contains(key) ? meta.at(key) : std::string(); };
  const std::string title = said("title").empty() ? "Sweep" : said("title");
  const std::vector<Objective> objectives = known_objectives(rows, said("pareto"));
  const std::vector<std::string> own = Store::own_metrics(at / "sweep.db");
  const std::vector<ShownAxis> axes = shown_axes(rows);
  std::size_t left_out = 0;
  const std::vector<ShownQuantity> quantities = shown_quantities(rows, objectives, own, left_out);
  Json data{{"kind", "sweep"},          {"title", title},       {"axes", Json::array()},
            {"metrics", Json::array()}, {"left_out", left_out}, {"points", Json::array()}};
  for (const ShownAxis& axis : axes)
    data["axes"].push_back({{"path", axis.path}, {"values", axis.texts}, {"numbers", axis.numbers}});
  for (const ShownQuantity& quantity : quantities)
    data["metrics"].push_back({{"name", quantity.name}, {"better", base::name_of(quantity.better)}});
  data["effects"] = Json::array();
  for (const AxisEffect& effect : axis_effects(rows, own))
    if (const std::string text = effect_text(effect); !text.empty())
      data["effects"].push_back({{"axis", effect.axis}, {"text", text}});
  data["objectives"] = objectives.size();
  data["own"] = count_own(quantities, objectives, own);
  for (const Store::Row& row : rows) data["points"].push_back(point_json(at, row, axes, quantities));
  return page_of(title + " - Tahoma", dump_json(data));
}

}  // namespace tahoma::runtime
