// SPDX-License-Identifier: Apache-2.0
#include "cli/reference/params_page.h"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "built_modules.h"
#include "cli/reference/study_params.h"
#include "model/base/error.h"
#include "model/base/params.h"
#include "runtime/config/config.h"
#include "runtime/host/json/json_text.h"

namespace tahoma::runtime {
namespace {

using base::Param, base::ParamTree;

const char* type_name(const bool*) { return "switch"; }
const char* type_name(const std::uint64_t*) { return "count"; }
const char* type_name(const double*) { return "number"; }
const char* type_name(const std::string*) { return "text"; }
const char* type_name(const base::Duration*) { return "time"; }
const char* type_name(const base::Cycles*) { return "cycles"; }
const char* type_name(const base::Bytes*) { return "size"; }
const char* type_name(const base::Frequency*) { return "frequency"; }
const char* type_name(const base::Bandwidth*) { return "bandwidth"; }
const char* type_name(const base::Energy*) { return "energy"; }
const char* type_name(const base::Power*) { return "power"; }
const char* type_name(const base::ChoiceRef&) { return "text"; }

std::string type_of(const Param& param) {
  return std::visit([](const auto& ref) { return type_name(ref); }, param.value);
}

bool selected(const std::string& path, const std::string& wanted) {
  return wanted.empty() || path == wanted || path.starts_with(wanted + ".");
}

// The parameters are declared and read once; the values behind them do not outlive this and are never read.
// Groups that are declared on demand: one of each kind is shown, and the wanted one.
std::vector<ParamSection> declared(const std::string& wanted, const std::vector<WorkloadKind>& kinds) {
  std::vector<ParamSection> sections;
  ParamTree run_tree(""), machine_tree("machine");
  RunParams run;
  run.declare(run_tree, kinds);
  sections.push_back({"run", "", run_tree.params()});
  model::MachineParams machine;
  machine.declare(machine_tree);
  for (const std::string& instance : model::InstanceParams::examples(machine)) machine_tree.demand(instance);
  machine_tree.demand(wanted);
  sections.push_back({"machine", "", machine_tree.params()});
  if (selected(wanted, "machine")) return sections;  // the others are of modules that need not be built
  for (const WorkloadKind& kind : kinds) {
    const std::unique_ptr<Workload> workload = kind.make();
    ParamTree tree("workload");
    workload->declare(tree);
    tree.demand_examples();
    sections.push_back(
        {fmt::format("workload of kind {}: {}", kind.name, kind.doc), kind.name, tree.params()});
  }
  for (ParamSection& section : TAHOMA_MODULE_PART(studies, study_sections)())
    sections.push_back(std::move(section));
  return sections;
}

std::vector<ParamSection> select(const std::string& wanted, const std::vector<WorkloadKind>& kinds) {
  std::vector<ParamSection> sections = declared(wanted, kinds);
  std::vector<std::string> names;  // of parameters and groups
  for (ParamSection& section : sections) {
    for (const Param& param : section.params)
      for (std::size_t dot = param.path.find('.'); dot != std::string::npos;
           dot = param.path.find('.', dot + 1))
        names.push_back(param.path.substr(0, dot));
    for (const Param& param : section.params) names.push_back(param.path);
    std::erase_if(section.params, [&](const Param& param) { return !selected(param.path, wanted); });
  }
  std::erase_if(sections, [](const ParamSection& section) { return section.params.empty(); });
  if (sections.empty())
    throw base::UserError("E-CFG-002", "tahoma params",
                          fmt::format("unknown parameter '{}'{}", wanted, base::did_you_mean(wanted, names)));
  return sections;
}

// " (0.9 to 1.2 times)", the range that a parameter declares for itself.
std::string uncertainty_text(const Param& param) {
  if (!param.source.range) return "";
  return fmt::format(" ({:g} to {:g} times)", param.source.range->low, param.source.range->high);
}

}  // namespace

std::string params_text(const std::string& path, const std::vector<WorkloadKind>& kinds) {
  std::string page;
  for (const ParamSection& section : select(path, kinds)) {
    page += fmt::format("{}{}\n", page.empty() ? "" : "\n", section.title);
    for (const Param& param : section.params) {
      page += fmt::format("  {} = {}\n", param.path, param.default_text);
      page += fmt::format("      {}\n", param.doc);
      page += fmt::format("      {}: {}{}; {}{}: {}\n", type_of(param), param.range_text,
                          param.may_be_ideal ? " or ideal" : "", base::name_of(param.source.kind),
                          uncertainty_text(param), param.source.note);
    }
  }
  return page;
}

std::string params_json(const std::string& path, const std::vector<WorkloadKind>& kinds) {
  nlohmann::ordered_json page = nlohmann::ordered_json::array();
  for (const ParamSection& section : select(path, kinds)) {
    for (const Param& param : section.params) {
      nlohmann::ordered_json row = nlohmann::ordered_json::object();
      row["path"] = param.path;
      if (!section.kind.empty()) row["workload_kind"] = section.kind;
      row["type"] = type_of(param);
      row["default"] = param.default_text;
      row["range"] = param.range_text;
      row["may_be_ideal"] = param.may_be_ideal;
      row["doc"] = param.doc;
      row["provenance"] = base::name_of(param.source.kind);
      row["source"] = param.source.note;
      if (param.source.range) row["uncertainty"] = {param.source.range->low, param.source.range->high};
      page.push_back(std::move(row));
    }
  }
  return dump_json(page, 2) + "\n";
}

}  // namespace tahoma::runtime
