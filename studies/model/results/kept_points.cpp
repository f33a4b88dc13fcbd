// SPDX-License-Identifier: Apache-2.0
#include "studies/model/results/kept_points.h"

#include <fmt/format.h>

#include <optional>

#include "runtime/host/output/manifest.h"
#include "runtime/host/sha256.h"
#include "runtime/host/text/whole_file.h"
#include "studies/model/results/model_columns.h"

namespace tahoma::runtime {

namespace {

constexpr std::size_t kIdDigits = 32;  // as a sweep's

// Identifies a point. A file has its parameters in another order.
std::string key_of(const Store::Row& row) {
  std::map<std::string, std::string> values;
  for (const SweepPoint::Parameter& p : row.parameters) values[p.path] = p.text;
  std::string key = row.workload;
  for (const auto& [path, text] : values) key += fmt::format(" {}={}", path, text);
  return key;
}

const char* status_in_sweep(const SearchedPoint& point) {
  if (point.figures) return "done";
  return point.refused.empty() ? "pending" : "failed";
}

std::string reason_in_sweep(const SearchedPoint& point) {
  if (!point.refused.empty()) return point.refused;
  return point.pruned.empty() ? "" : "pruned: " + point.pruned;
}

// The columns of the front come first.
std::string pareto_text() {
  std::string text;
  for (const PointQuantity& quantity : point_quantities().first(kQuantitiesOfFront))
    text += fmt::format("{}{}:{}", text.empty() ? "" : ",",
                        quantity.better == base::Better::kMore ? "max" : "min", quantity.name);
  return text;
}

std::string metric_names() {
  std::string text;
  for (const PointQuantity& quantity : point_quantities())
    text += (text.empty() ? "" : ",") + std::string(quantity.name);
  return text;
}

// The runs of a point are computed from these, apart from the number of layers.
std::string settings_text(const ModelExecution& e) {
  return fmt::format("{} {} {} {} {} {}", e.mode, e.layers, e.prefill_hbm, e.decode_hbm, e.seed, e.prices);
}

}  // namespace

KeptPoints::KeptPoints(const std::filesystem::path& folder, const ModelConfig& config,
                       const ModelExecution& execution)
    : file_(folder / "sweep.db"),
      config_(config),
      execution_(execution),
      binary_sha256_(host_facts().binary_sha256) {
  if (!std::filesystem::exists(file_)) return;
  const auto provenance = Store::provenance(file_);
  for (Store::Row& row : Store::read(file_)) {
    const auto known = provenance.find(row.id);
    at_[key_of(row)] = points_.size();
    points_.push_back({std::move(row), known == provenance.end() ? Store::Provenance{} : known->second});
  }
}

KeptPoints::Point KeptPoints::point_of(const SearchedPoint& searched) const {
  Point made;
  Store::Row& row = made.row;
  row.workload = config_.file;
  row.status = status_in_sweep(searched);
  row.reason = reason_in_sweep(searched);
  for (const PointParameter& parameter : point_parameters()) {
    std::optional<double> value;
    if (parameter.word == nullptr) value = static_cast<double>(parameter.of(searched.point));
    row.parameters.push_back({parameter.name, parameter.text(searched.point), value});
  }
  if (searched.figures)
    for (const PointQuantity& quantity : point_quantities())
      row.metrics[quantity.name] = quantity.of(*searched.figures);
  std::string configs;
  if (searched.refused.empty())
    for (const auto& phase : kModelPhases)
      configs += resolved_case(config_, searched.point, phase.value, execution_.overrides_of(phase.value))
                     ->to_yaml();
  made.provenance = {sha256_of(configs), binary_sha256_, 0, ""};
  if (searched.figures)
    made.provenance.command = fmt::format("tahoma run cases/{}.yaml", searched.figures->decode.runs.back());
  row.id = sha256_of(key_of(row) + configs + settings_text(execution_) + binary_sha256_).substr(0, kIdDigits);
  return made;
}

void KeptPoints::put(const std::vector<SearchedPoint>& points) {
  for (const SearchedPoint& searched : points) {
    Point made = point_of(searched);
    const auto [found, is_new] = at_.try_emplace(key_of(made.row), points_.size());
    if (is_new) points_.emplace_back();
    Point& known = points_[found->second];
    const bool stays = known.row.id == made.row.id && known.row.status == "done" && !searched.figures;
    made.row.number = found->second;
    if (!stays) known = std::move(made);
  }
  write();
}

void KeptPoints::write() const {
  Store store(Store::kInMemory, {{"title", config_.name},
                                 {"pareto", pareto_text()},
                                 {"metrics", metric_names()},
                                 {"version", host_facts().version}});
  for (const Point& point : points_) store.add_row(point.row, point.provenance);
  write_file(file_.string(), store.bytes());
}

}  // namespace tahoma::runtime
