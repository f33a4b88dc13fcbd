// SPDX-License-Identifier: Apache-2.0
#include "workloads/colocated/colocated_params.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "isa/core/program.h"
#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::workloads {

namespace {

using base::chosen;

[[noreturn]] void refuse_programs(const std::string& place, const std::string& text) {
  throw base::UserError("E-RUN-026", place, text);
}

std::string path_of(const ProgramParams& program, const char* key) {
  return fmt::format("workload.programs.{}.{}", program.name, key);
}

void require_name(const ColocatedParams& params, const std::string& place, const std::string& name) {
  const std::vector<std::string> names = params.names();
  if (params.of(name) == nullptr)
    refuse_programs(place, fmt::format("no program is called '{}'{}; expected one of: {}", name,
                                       base::did_you_mean(name, names), fmt::join(names, ", ")));
}

// Programs that wait for others, each once those before it are gone; what is left waits for itself.
void refuse_circle(const ColocatedParams& params) {
  std::vector<const ProgramParams*> left;
  for (const auto& program : params.programs) left.push_back(program.get());
  const auto waits = [&](const ProgramParams* program) {
    const std::vector<std::string> names = listed(program->after, ",");
    return std::any_of(left.begin(), left.end(), [&](const ProgramParams* other) {
      return std::find(names.begin(), names.end(), other->name) != names.end();
    });
  };
  while (!left.empty()) {
    const auto free = std::find_if_not(left.begin(), left.end(), waits);
    if (free == left.end())
      refuse_programs(path_of(*left.front(), "after"),
                      "these programs wait for each other, so none can start");
    left.erase(free);
  }
}

}  // namespace

std::vector<std::string> listed(const std::string& text, const char* separator) {
  std::vector<std::string> words;
  for (const std::string_view word : base::split(text, separator))
    if (const std::string_view trimmed = base::trimmed(word, " \t\n"); !trimmed.empty())
      words.emplace_back(trimmed);
  return words;
}

void ProgramParams::declare(base::ParamTree& t) {
  t.add_files("case", file, "workload file of the program; its machine is the cores below", chosen());
  t.add("set", changes, "", {}, "changes of the case, as --set, separated by semicolons", chosen());
  t.add("cores", cores, "", {}, "cores of one chip, or whole chips: numbers, ranges or names of instances",
        chosen());
  t.add("start", start, base::Duration{0}, {base::Duration{0}, base::Duration{1'000'000'000'000'000}},
        "time at which the program starts", chosen());
  t.add("after", after, "", {}, "programs that must have completed before it starts, separated by commas",
        chosen());
}

void ColocatedParams::declare(base::ParamTree& t) {
  t.add("only", only, "", {}, "runs this program alone, from the beginning, on its cores", chosen());
  t.on_demand("programs", {.group_of = [](const std::string& rest) { return rest.substr(0, rest.find('.')); },
                           .declare =
                               [this](base::ParamTree& tree, const std::string& group) {
                                 programs.push_back(std::make_unique<ProgramParams>());
                                 programs.back()->name = group;
                                 tree.group(group.c_str(), *programs.back());
                               },
                           .legal =
                               [this] {
                                 ProgramParams one;
                                 base::ParamTree tree("");
                                 one.declare(tree);
                                 std::vector<std::string> all = names(), paths;
                                 if (all.empty()) all = {"NAME"};
                                 for (const std::string& name : all)
                                   for (const std::string& path : tree.paths()) paths.push_back(name + path);
                                 return paths;
                               }});
}

const ProgramParams* ColocatedParams::of(const std::string& name) const {
  const auto known = std::find_if(programs.begin(), programs.end(),
                                  [&](const auto& program) { return program->name == name; });
  return known == programs.end() ? nullptr : known->get();
}

std::vector<std::string> ColocatedParams::names() const {
  std::vector<std::string> all;
  for (const auto& program : programs) all.push_back(program->name);
  return all;
}

void ColocatedParams::check() const {
  if (programs.empty())
    refuse_programs("workload.programs",
                    "expected at least one program, such as NAME: {case: FILE, cores: 0-3}");
  for (const auto& program : programs) {
    if (!isa::is_name(program->name))
      refuse_programs("workload.programs." + program->name,
                      fmt::format("expected a name of {}", isa::kNameRule));
    if (program->file.empty())
      refuse_programs(path_of(*program, "case"), "expected the workload file of the program");
    if (listed(program->cores, ",").empty())
      refuse_programs(path_of(*program, "cores"), "expected the cores of the program, such as 0-3");
    for (const std::string& name : listed(program->after, ","))
      require_name(*this, path_of(*program, "after"), name);
  }
  if (!only.empty()) require_name(*this, "workload.only", only);
  refuse_circle(*this);
}

}  // namespace tahoma::workloads
