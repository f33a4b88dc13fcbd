// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/spec/sweep_parameters.h"

#include <fmt/format.h>

#include <filesystem>
#include <limits>
#include <map>
#include <type_traits>

#include "model/base/error.h"
#include "model/base/loader/config_loader.h"
#include "report/area/chip_area.h"
#include "report/summary/summary_numbers.h"

namespace tahoma::runtime {
namespace {

double number(bool value) { return value ? 1 : 0; }
double number(std::uint64_t value) { return static_cast<double>(value); }
double number(double value) { return value; }
double number(base::Duration value) { return static_cast<double>(value.fs) / 1e15; }
double number(base::Cycles value) { return static_cast<double>(value.count); }
double number(base::Bytes value) { return static_cast<double>(value.count); }
double number(base::Frequency value) { return static_cast<double>(value.hz); }
double number(base::Bandwidth value) {
  return value.ideal ? std::numeric_limits<double>::infinity() : static_cast<double>(value.bytes_per_second);
}

double number(base::Energy value) { return value.joules(); }
double number(base::Power value) { return value.watts(); }

std::vector<std::string> all_paths(const ResolvedConfig& config) {
  std::vector<std::string> paths;
  for (const base::ParamTree* tree : {&config.run_tree, &config.machine_tree, &config.workload_tree})
    for (std::string& path : tree->paths()) paths.push_back(std::move(path));
  return paths;
}

// The figures of the chip's area and cost by the default prices, by the names that they have in summary.json.
std::map<std::string, double> area_figures(const ResolvedConfig& config) {
  static const std::optional<PriceList> kPrices = prices_of();
  const ChipArea area = chip_area(config.machine, config.machine_tree, kPrices);
  return numbers_of_summary(nlohmann::ordered_json{{"area", area_json(area)}}.dump());
}

// Returns nothing if no parameter begins like `path`.
base::ParamTree* tree_at(ResolvedConfig& config, const std::string& path) {
  if (path.starts_with("machine.") || path == "machine") return &config.machine_tree;
  if (path.starts_with("workload.") || path == "workload") return &config.workload_tree;
  return config.run_tree.find(path) != nullptr ? &config.run_tree : nullptr;
}

}  // namespace

std::optional<double> number_of(const base::ParamRef& value) {
  return std::visit(
      [](const auto& ref) -> std::optional<double> {
        if constexpr (std::is_same_v<decltype(ref), std::string* const&> ||
                      std::is_same_v<decltype(ref), const base::ChoiceRef&>) {
          return std::nullopt;
        } else {
          return number(*ref);
        }
      },
      value);
}

base::ParamTree& tree_of(ResolvedConfig& config, const std::string& path, const std::string& place) {
  if (base::ParamTree* tree = tree_at(config, path)) return *tree;
  throw base::UserError("E-CFG-002", place,
                        fmt::format("unknown parameter '{}': paths begin with 'machine.' or 'workload.'{}",
                                    path, base::did_you_mean(path, all_paths(config))));
}

std::string with_absolute_paths(ResolvedConfig& config, const std::string& path, const std::string& text,
                                const std::string& folder) {
  const base::Param* param = config.workload_tree.find(path);
  if (param == nullptr || !param->paths) return text;
  return param->paths(text, [&](const std::string& file) {
    return std::filesystem::absolute(std::filesystem::path(folder) / file).lexically_normal().string();
  });
}

std::string override_of(const std::string& path, const std::string& text) {
  const bool plain = text.find_first_of("{[\"'") != 0;
  return fmt::format("{}={}", path, plain ? text : base::yaml_scalar(text));
}

Names names_of(ResolvedConfig& config) {
  const auto value = [&config](const std::string& path) -> std::optional<double> {
    if (path.starts_with(kAreaFigures)) {
      const std::map<std::string, double> figures = area_figures(config);
      const auto figure = figures.find(path);
      return figure == figures.end() ? std::nullopt : std::optional(figure->second);
    }
    base::ParamTree* tree = tree_at(config, path);
    if (tree == nullptr) return std::nullopt;
    tree->demand(path);
    const base::Param* param = tree->find(path);
    return param == nullptr ? std::nullopt : number_of(param->value);
  };
  const auto word = [&config](const std::string& path) -> std::optional<WordValue> {
    base::ParamTree* tree = tree_at(config, path);
    if (tree == nullptr) return std::nullopt;
    tree->demand(path);
    const base::Param* param = tree->find(path);
    if (param == nullptr || param->choices.empty() || !base::takes_words(param->value)) return std::nullopt;
    return WordValue{base::text_of(param->value), param->choices};
  };
  const auto known = [&config] {
    std::vector<std::string> names = all_paths(config);
    for (const auto& [name, figure] : area_figures(config)) names.push_back(name);
    return names;
  };
  return {value, known, word};
}

}  // namespace tahoma::runtime
