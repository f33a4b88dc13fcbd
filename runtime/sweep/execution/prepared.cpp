// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/execution/prepared.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "model/base/error.h"
#include "runtime/host/sha256.h"
#include "runtime/sweep/spec/sweep_parameters.h"

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

void resolve(const SweepSpec& spec, const std::string& binary, PreparedSweepPoint& prepared) {
  const auto config = resolve_config(request_of(spec, prepared.point));
  const auto absolute = [](const std::string& path) {
    return std::filesystem::absolute(path).lexically_normal();
  };
  // The worker reads it from the folder of the point.
  prepared.config = config->to_yaml([&](const std::string& path) { return absolute(path).string(); });
  // The same wherever a tree of files is, and from whichever folder the sweep is started.
  const std::filesystem::path folder = absolute(prepared.point.workload).parent_path();
  const std::string portable = config->to_yaml(
      [&](const std::string& path) { return absolute(path).lexically_relative(folder).string(); });
  prepared.config_sha256 = sha256_of(prepared.config);
  prepared.seed = config->run.seed;
  prepared.id = id_of(portable + contents_of_files(*config) + binary);
  const Names names = names_of(*config);
  for (const auto& [metric, expression] : spec.metrics)
    for (const std::string& name : expression.names())
      if (const auto value = names.value(name)) prepared.values[name] = *value;
}

}  // namespace

std::vector<PreparedSweepPoint> prepare(const SweepSpec& spec, const std::string& binary_sha256) {
  std::vector<PreparedSweepPoint> all;
  std::size_t refused = 0;
  for (SweepPoint& point : points_of(spec)) {
    PreparedSweepPoint prepared;
    prepared.point = std::move(point);
    try {
      resolve(spec, binary_sha256, prepared);
    } catch (const base::UserError& error) {
      prepared.refused = error.what();
      prepared.id = id_of(prepared.point.workload + error.what() + std::to_string(prepared.point.number));
      ++refused;
    }
    all.push_back(std::move(prepared));
  }
  if (refused == all.size() && !all.empty())
    throw base::UserError("E-SWP-040", spec.file,
                          fmt::format("none of the {} points has a valid configuration; the first error: {}",
                                      refused, all.front().refused));
  return all;
}

}  // namespace tahoma::runtime
