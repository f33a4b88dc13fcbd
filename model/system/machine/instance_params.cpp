// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine/instance_params.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "model/base/error.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::model {
namespace {

// A kind of instance whose parameters can be set individually.
struct Kind {
  const char* pattern;  // of its names; '#' is a number, '?' a number or nothing, '@' a word
  void (*declare)(InstanceParams&, const std::string& name, base::ParamTree&);
  std::vector<std::string> (*names)(const MachineParams&);  // all names in the machine
  void (*check)(const InstanceParams&, const MachineParams&, const std::vector<std::string>& names);
};

[[noreturn]] void refuse_name(const std::string& name, const std::vector<std::string>& names) {
  const std::string legal = names.empty() ? "it has none of this kind"
                                          : fmt::format("they are {} to {}", names.front(), names.back());
  throw base::UserError(
      "E-CFG-023", "machine.instances." + name,
      fmt::format("this machine has no such instance{}; {}", base::did_you_mean(name, names), legal));
}

template <class Params>
void check_names(const std::map<std::string, Params>& chosen, const std::vector<std::string>& names) {
  for (const auto& [name, params] : chosen)
    if (std::find(names.begin(), names.end(), name) == names.end()) refuse_name(name, names);
}

std::vector<std::string> stack_names(const MachineParams& machine) {
  std::vector<std::string> names;
  for (std::uint64_t chip = 0; chip < machine.chips(); ++chip)
    for (std::uint64_t stack = 0; stack < machine.chip.hbm.stacks; ++stack)
      names.push_back(stack_name(machine, chip, stack));
  return names;
}

std::vector<std::string> link_names(const MachineParams& machine) {
  const auto topology = topology_of(machine);
  std::vector<std::string> names;
  for (std::uint32_t chip = 0; chip < topology->chips(); ++chip)
    for (base::PortIndex port = 0; port < topology->ports(chip); ++port)
      if (topology->neighbour(chip, port))
        names.push_back(link_name(machine, chip, topology->port(chip, port).name));
  return names;
}

std::vector<std::string> switch_link_names(const MachineParams& machine) {
  const auto topology = topology_of(machine);
  std::vector<std::string> names;
  for (std::uint32_t node = topology->chips(); node < topology->nodes(); ++node)
    for (base::PortIndex port = 0; port < topology->ports(node); ++port)
      if (topology->neighbour(node, port))
        names.push_back(switch_link_name(topology->switch_name(node), topology->port(node, port).name));
  return names;
}

std::vector<std::string> chip_names(const MachineParams& machine) {
  std::vector<std::string> names;
  for (std::uint64_t chip = 0; chip < machine.chips(); ++chip) names.push_back(chip_name(machine, chip));
  return names;
}

constexpr std::array kKinds{
    Kind{"server#.chip#.hbm#",
         [](InstanceParams& p, const std::string& name, base::ParamTree& t) {
           t.group(name.c_str(), p.stacks[name]);
         },
         stack_names,
         [](const InstanceParams& p, const MachineParams& machine, const std::vector<std::string>& names) {
           check_names(p.stacks, names);
           for (const auto& [name, faults] : p.stacks)
             faults.check(machine.chip.hbm, "machine.instances." + name);
         }},
    Kind{"server#.chip#.link.@",
         [](InstanceParams& p, const std::string& name, base::ParamTree& t) {
           t.group(name.c_str(), p.links[name]);
         },
         link_names,
         [](const InstanceParams& p, const MachineParams&, const std::vector<std::string>& names) {
           check_names(p.links, names);
         }},
    Kind{"switch?.@",
         [](InstanceParams& p, const std::string& name, base::ParamTree& t) {
           t.group(name.c_str(), p.switch_links[name]);
         },
         switch_link_names,
         [](const InstanceParams& p, const MachineParams&, const std::vector<std::string>& names) {
           check_names(p.switch_links, names);
         }},
    Kind{"server#.chip#",
         [](InstanceParams& p, const std::string& name, base::ParamTree& t) {
           t.group(name.c_str(), p.chips[name]);
         },
         chip_names,
         [](const InstanceParams& p, const MachineParams&, const std::vector<std::string>& names) {
           check_names(p.chips, names);
         }},
};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_of_word(char c) { return is_digit(c) || std::islower(static_cast<unsigned char>(c)) != 0; }

// The length of the part of `path` that is a name of the pattern: all of it, or up to a dot. 0 if it does not
// match.
std::size_t matched(const char* pattern, const std::string& path) {
  std::size_t at = 0;
  for (; *pattern != '\0'; ++pattern) {
    if (*pattern == '?') {
      while (at < path.size() && is_digit(path[at])) ++at;
      continue;
    }
    if (*pattern != '#' && *pattern != '@') {
      if (at >= path.size() || path[at++] != *pattern) return 0;
      continue;
    }
    const auto belongs = *pattern == '#' ? is_digit : is_of_word;
    if (at >= path.size() || !belongs(path[at])) return 0;
    while (at < path.size() && belongs(path[at])) ++at;
  }
  return at == path.size() || path[at] == '.' ? at : 0;
}

// The kind of the instance whose name `path` is or begins with, the longest match if there are several, and
// that name; null and "" if there is none.
struct Found {
  const Kind* kind = nullptr;
  std::string name;
};
Found find_instance(const std::string& path) {
  Found found;
  for (const Kind& kind : kKinds)
    if (const std::size_t length = matched(kind.pattern, path); length > found.name.size())
      found = {&kind, path.substr(0, length)};
  return found;
}

// Lists every parameter of every instance in the machine.
std::vector<std::string> legal_paths(const MachineParams& machine) {
  std::vector<std::string> paths;
  for (const Kind& kind : kKinds) {
    const std::vector<std::string> names = kind.names(machine);
    if (names.empty()) continue;
    InstanceParams one;
    base::ParamTree tree("");
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
  std::vector<std::string> paths;
  for (const Kind& kind : kKinds)
    if (const auto names = kind.names(machine); !names.empty())
      paths.push_back("machine.instances." + names.front());
  return paths;
}

void InstanceParams::check(const MachineParams& machine) const {
  for (const Kind& kind : kKinds) kind.check(*this, machine, kind.names(machine));
}

std::string chip_name(const MachineParams& machine, std::uint64_t chip) {
  const std::uint64_t per_server = machine.torus.x * machine.torus.y;
  return fmt::format("server{}.chip{:02}", chip / per_server, chip % per_server);
}

std::string stack_name(const MachineParams& machine, std::uint64_t chip, std::uint64_t stack) {
  return fmt::format("{}.hbm{}", chip_name(machine, chip), stack);
}

std::string link_name(const MachineParams& machine, std::uint64_t chip, std::string_view port) {
  return fmt::format("{}.link.{}", chip_name(machine, chip), port);
}

std::string switch_link_name(std::string_view name, std::string_view port) {
  return fmt::format("{}.{}", name, port);
}

}  // namespace tahoma::model
