// SPDX-License-Identifier: Apache-2.0
#include "model/system/instance_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "model/base/error.h"
#include "model/system/machine_params.h"

namespace tahoma::model {
namespace {

// A kind of instance whose parameters can be set one by one.
struct Kind {
  const char* pattern;  // of its names; '#' is a number
  void (*declare)(InstanceParams&, const std::string& name, base::ParamTree&);
  std::vector<std::string> (*names)(const MachineParams&);  // all that the machine has
  void (*check)(const InstanceParams&, const MachineParams&, const std::vector<std::string>& names);
};

[[noreturn]] void refuse_name(const std::string& name, const std::vector<std::string>& names) {
  throw base::UserError("E-CFG-023", "machine.instances." + name,
                        fmt::format("this machine has no such instance{}; they are {} to {}",
                                    base::did_you_mean(name, names), names.front(), names.back()));
}

template <class Params>
void check_each(const std::map<std::string, Params>& chosen, const MachineParams& machine,
                const std::vector<std::string>& names,
                void (*check)(const Params&, const MachineParams&, const std::string& path)) {
  for (const auto& [name, params] : chosen) {
    if (std::find(names.begin(), names.end(), name) == names.end()) refuse_name(name, names);
    check(params, machine, "machine.instances." + name);
  }
}

std::vector<std::string> stack_names(const MachineParams& machine) {
  std::vector<std::string> names;
  for (std::uint64_t chip = 0; chip < machine.chips(); ++chip)
    for (std::uint64_t stack = 0; stack < machine.chip.hbm.stacks; ++stack)
      names.push_back(stack_name(machine, chip, stack));
  return names;
}

constexpr std::array kKinds{
    Kind{"server#.chip#.hbm#",
         [](InstanceParams& p, const std::string& name, base::ParamTree& t) {
           t.group(name.c_str(), p.stacks[name]);
         },
         stack_names,
         [](const InstanceParams& p, const MachineParams& machine, const std::vector<std::string>& names) {
           check_each<StackFaults>(p.stacks, machine, names,
                                   [](const StackFaults& faults, const MachineParams& m,
                                      const std::string& path) { faults.check(m.chip.hbm, path); });
         }},
};

// How much of `path` is a name of the pattern: all of it, or up to a dot. 0 if none.
std::size_t matched(const char* pattern, const std::string& path) {
  std::size_t at = 0;
  const auto digit = [&] {
    return at < path.size() && std::isdigit(static_cast<unsigned char>(path[at])) != 0;
  };
  for (; *pattern != '\0'; ++pattern) {
    if (*pattern != '#') {
      if (at >= path.size() || path[at++] != *pattern) return 0;
      continue;
    }
    if (!digit()) return 0;
    while (digit()) ++at;
  }
  return at == path.size() || path[at] == '.' ? at : 0;
}

// The kind of the instance whose name `path` is or begins with, and that name; null and "" if none.
struct Found {
  const Kind* kind = nullptr;
  std::string name;
};
Found find_instance(const std::string& path) {
  for (const Kind& kind : kKinds)
    if (const std::size_t length = matched(kind.pattern, path); length > 0)
      return {&kind, path.substr(0, length)};
  return {};
}

// Every parameter of every instance that the machine has.
std::vector<std::string> legal_paths(const MachineParams& machine) {
  std::vector<std::string> paths;
  for (const Kind& kind : kKinds) {
    InstanceParams one;
    base::ParamTree tree("");
    const std::vector<std::string> names = kind.names(machine);
    kind.declare(one, names.front(), tree);
    for (const std::string& name : names)
      for (const std::string& path : tree.paths()) paths.push_back(name + path.substr(path.rfind('.')));
  }
  return paths;
}

}  // namespace

void InstanceParams::declare(base::ParamTree& t, const MachineParams& machine) {
  t.on_demand("instances", {.group_of = [](const std::string& rest) { return find_instance(rest).name; },
                            .declare =
                                [this](base::ParamTree& tree, const std::string& group) {
                                  find_instance(group).kind->declare(*this, group, tree);
                                },
                            .legal = [&machine] { return legal_paths(machine); }});
}

std::vector<std::string> InstanceParams::examples(const MachineParams& machine) {
  std::vector<std::string> names;
  for (const Kind& kind : kKinds) names.push_back("machine.instances." + kind.names(machine).front());
  return names;
}

void InstanceParams::check(const MachineParams& machine) const {
  for (const Kind& kind : kKinds) kind.check(*this, machine, kind.names(machine));
}

std::string chip_name(const MachineParams& machine, std::uint64_t chip) {
  return fmt::format("server{}.chip{:02}", chip / (machine.torus.x * machine.torus.y), chip);
}

std::string stack_name(const MachineParams& machine, std::uint64_t chip, std::uint64_t stack) {
  return fmt::format("{}.hbm{}", chip_name(machine, chip), stack);
}

}  // namespace tahoma::model
