// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/page/page.h"
#include "report/tables/column_csv.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/text/format.h"
#include "studies/model/results/model_columns.h"
#include "studies/model/results/model_report.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

const char* status_of(const SearchedPoint& point) {
  if (point.figures) return "done";
  return point.refused.empty() ? "pruned" : "refused";
}

const std::string& reason_of(const SearchedPoint& point) {
  return point.refused.empty() ? point.pruned : point.refused;
}

// Values of a parameter in ascending order.
std::vector<std::uint64_t> values_of(const ModelReport& r, const PointParameter& parameter) {
  std::vector<std::uint64_t> values;
  for (const SearchedPoint& point : r.points) values.push_back(parameter.of(point.point));
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

Json axes_of(const ModelReport& r) {
  Json axes = Json::array();
  for (const PointParameter& parameter : point_parameters()) {
    Json axis{{"path", parameter.name}, {"values", Json::array()}, {"numbers", Json::array()}};
    for (const std::uint64_t value : values_of(r, parameter)) {
      axis["values"].push_back(parameter.text_of(value));
      axis["numbers"].push_back(parameter.word == nullptr ? Json(value) : Json(nullptr));
    }
    axes.push_back(std::move(axis));
  }
  return axes;
}

Json page_point(const ModelReport& r, const Json& axes, const SearchedPoint& point, std::size_t number) {
  Json json{{"number", number},
            {"workload", r.config.name},
            {"status", status_of(point)},
            {"reason", reason_of(point)}};
  json["link"] = point.figures ? Json(r.study + "/runs/" + point.figures->decode.runs.back() + "/report.html")
                               : Json(nullptr);
  json["parameters"] = Json::array();
  for (std::size_t n = 0; n < axes.size(); ++n) {
    const Json& values = axes[n]["values"];
    json["parameters"].push_back(
        std::find(values.begin(), values.end(), point_parameters()[n].text(point.point)) - values.begin());
  }
  json["values"] = Json::array();
  for (const PointQuantity& quantity : point_quantities())
    json["values"].push_back(point.figures ? Json(quantity.of(*point.figures)) : Json(nullptr));
  json["busiest"] = "";
  return json;
}

}  // namespace

std::string model_csv(const ModelReport& r) {
  std::string text;
  for (const PointParameter& parameter : point_parameters()) text += fmt::format("{},", parameter.name);
  text += "status,front,ttft_bound_ns,tpot_bound_ns";
  for (const PointQuantity& quantity : point_quantities()) text += fmt::format(",{}", quantity.name);
  text += ",reason\n";
  for (const SearchedPoint& point : r.points) {
    for (const PointParameter& parameter : point_parameters()) text += parameter.text(point.point) + ",";
    const auto bound = [&](double seconds) {
      return point.refused.empty() ? shortest(seconds * 1e9) : std::string();
    };
    text += fmt::format("{},{},{},{}", status_of(point), point.front ? 1 : 0, bound(point.bounds.ttft),
                        bound(point.bounds.tpot));
    for (const PointQuantity& quantity : point_quantities())
      text += "," + (point.figures ? shortest(quantity.of(*point.figures)) : std::string());
    text += "," + csv_field(reason_of(point)) + "\n";
  }
  return text;
}

std::string model_page(const ModelReport& r) {
  Json data{{"kind", "sweep"},          {"title", r.config.name}, {"axes", axes_of(r)},
            {"metrics", Json::array()}, {"left_out", 0},          {"points", Json::array()}};
  for (const PointQuantity& quantity : point_quantities())
    data["metrics"].push_back({{"name", quantity.name}, {"better", base::name_of(quantity.better)}});
  data["effects"] = Json::array();
  data["objectives"] = kQuantitiesOfFront;
  data["own"] = point_quantities().size();
  for (std::size_t i = 0; i < r.points.size(); ++i)
    data["points"].push_back(page_point(r, data["axes"], r.points[i], i));
  return page_of(r.config.name + " - Tahoma", dump_json(data));
}

}  // namespace tahoma::runtime
