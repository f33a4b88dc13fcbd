// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/execution/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "model/base/error.h"
#include "runtime/host/children.h"
#include "runtime/host/json/json_text.h"
#include "runtime/host/sha256.h"
#include "studies/sweep/spec/sweep_parameters.h"

namespace tahoma::runtime {

namespace {

constexpr std::size_t kIdDigits = 32;

ConfigRequest request_of(const SweepSpec& spec, const SweepPoint& point) {
  ConfigRequest request{point.workload, spec.machine, spec.overrides, spec.mode, spec.seed};
  request.overrides.insert(request.overrides.end(), point.overrides.begin(), point.overrides.end());
  return request;
}

// Programs and tensors that a workload reads also determine the result.
std::string contents_of_files(const ResolvedConfig& config) {
  std::string hashes;
  const auto add = [&](const std::string& path) {
    // FILE.py:FUNCTION and FILE.safetensors#TENSOR
    for (const std::string& file : {path, path.substr(0, path.find_last_of(":#"))})
      if (std::error_code none; std::filesystem::is_regular_file(file, none)) {
        hashes += sha256_of_file(file);
        break;
      }
    return path;
  };
  for (const base::Param& param : config.workload_tree.params())
    if (param.paths) static_cast<void>(param.paths(base::text_of(param.value), add));
  return hashes;
}

std::string id_of(const std::string& text) { return sha256_of(text).substr(0, kIdDigits); }

using PointJson = nlohmann::json;

// A process that resolves points returns this for each of them.
PointJson json_of(const PreparedSweepPoint& p) {
  return {{"id", p.id},     {"config", p.config},   {"config_sha256", p.config_sha256},
          {"seed", p.seed}, {"refused", p.refused}, {"values", p.values}};
}

void read_point(const PointJson& json, PreparedSweepPoint& p) {
  json.at("id").get_to(p.id);
  json.at("config").get_to(p.config);
  json.at("config_sha256").get_to(p.config_sha256);
  json.at("seed").get_to(p.seed);
  json.at("refused").get_to(p.refused);
  json.at("values").get_to(p.values);
}

void refuse_point(PreparedSweepPoint& prepared, const std::string& reason) {
  prepared.refused = reason;
  prepared.id = id_of(prepared.point.workload + reason + std::to_string(prepared.point.number));
}

std::filesystem::path normal_path(const std::string& path) {
  return std::filesystem::absolute(path).lexically_normal();
}

// All points share these.
struct Resolution {
  const SweepSpec& spec;
  const std::string& binary_sha256;
  const std::vector<WorkloadKind>& kinds;
};

void resolve(const Resolution& all, PreparedSweepPoint& prepared) {
  const auto config = resolve_config(request_of(all.spec, prepared.point), all.kinds);
  // The worker reads it from the folder of the point.
  prepared.config = config->to_yaml([&](const std::string& path) { return normal_path(path).string(); });
  prepared.config_sha256 = sha256_of(prepared.config);
  prepared.seed = config->run.seed;
  prepared.id = address_of(*config, normal_path(prepared.point.workload).parent_path(), all.binary_sha256);
  const Names names = names_of(*config);
  for (const auto& [metric, expression] : all.spec.metrics)
    for (const std::string& name : expression.names())
      if (const auto value = names.value(name)) prepared.values[name] = *value;
}

using PointRange = std::span<PreparedSweepPoint>;

std::string resolved_text(const Resolution& resolution, PointRange points) {
  PointJson all = PointJson::array();
  for (PreparedSweepPoint& prepared : points) {
    try {
      resolve(resolution, prepared);
    } catch (const std::exception& error) {  // also errors of ours: they concern this point alone
      refuse_point(prepared, error.what());
    }
    all.push_back(json_of(prepared));
  }
  return dump_json(all);
}

// Resolves each range in a process of its own, because a defect of ours may end it. Returns the ranges whose
// process ended so, and why.
std::vector<std::pair<PointRange, std::string>> resolve_apart(const Resolution& resolution,
                                                              const std::vector<PointRange>& ranges) {
  std::vector<std::function<std::string()>> bodies;
  for (const PointRange& range : ranges)
    bodies.emplace_back([&] { return resolved_text(resolution, range); });
  const auto results =
      run_in_children(bodies, std::max(1U, std::thread::hardware_concurrency()), [](std::size_t) {});
  std::vector<std::pair<PointRange, std::string>> failed;
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    if (!results[i].failure.empty()) {
      failed.emplace_back(ranges[i], results[i].failure);
      continue;
    }
    const PointJson json = PointJson::parse(results[i].text);
    for (std::size_t p = 0; p < ranges[i].size(); ++p) read_point(json.at(p), ranges[i][p]);
  }
  return failed;
}

std::vector<PointRange> ranges_of(PointRange points, std::size_t most) {
  std::vector<PointRange> ranges;
  for (std::size_t first = 0; first < points.size(); first += most)
    ranges.push_back(points.subspan(first, std::min(most, points.size() - first)));
  return ranges;
}

constexpr std::size_t kPointsOfProcess = 64;  // so that starting processes takes little of the time

}  // namespace

std::string address_of(const ResolvedConfig& config, const std::filesystem::path& folder,
                       const std::string& binary_sha256) {
  const std::filesystem::path from = normal_path(folder.string());
  const std::string portable = config.to_yaml(
      [&](const std::string& path) { return normal_path(path).lexically_relative(from).string(); });
  return id_of(portable + contents_of_files(config) + binary_sha256);
}

std::vector<PreparedSweepPoint> prepare(const SweepSpec& spec, const std::string& binary_sha256,
                                        const std::vector<WorkloadKind>& kinds) {
  const Resolution resolution{spec, binary_sha256, kinds};
  std::vector<PreparedSweepPoint> all;
  for (SweepPoint& point : points_of(spec)) all.emplace_back().point = std::move(point);
  std::vector<PointRange> single;
  for (const auto& [range, why] : resolve_apart(resolution, ranges_of(all, kPointsOfProcess)))
    for (const PointRange& one : ranges_of(range, 1)) single.push_back(one);
  for (const auto& [range, why] : resolve_apart(resolution, single))
    refuse_point(range.front(), fmt::format("the process that resolved the point {}", why));
  const auto refused = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const auto& p) { return !p.refused.empty(); }));
  if (refused == all.size() && !all.empty())
    throw base::UserError("E-SWP-040", spec.file,
                          fmt::format("none of the {} points has a valid configuration; the first error: {}",
                                      refused, all.front().refused));
  return all;
}

}  // namespace tahoma::runtime
