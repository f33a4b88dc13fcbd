// SPDX-License-Identifier: Apache-2.0
#include "model/system/machine_text.h"

namespace tahoma::model {

namespace {

// A declaration binds parameters to members and sets their defaults, so a copy is declared first and takes
// its values afterwards.
template <class Params>
void append(std::string& text, const std::string& root, const Params& params) {
  Params copy;
  base::ParamTree tree(root);
  copy.declare(tree);
  copy = params;
  for (const base::Param& param : tree.params()) text += param.path + "=" + base::text_of(param.value) + "\n";
}

template <class Faults>
void append_instances(std::string& text, const std::map<std::string, Faults>& instances) {
  for (const auto& [name, faults] : instances) append(text, "machine.instances." + name, faults);
}

}  // namespace

std::string text_of(const MachineParams& machine) {
  std::string text;
  append(text, "machine", machine);
  append_instances(text, machine.instances.stacks);
  append_instances(text, machine.instances.links);
  append_instances(text, machine.instances.switch_links);
  append_instances(text, machine.instances.chips);
  return text;
}

}  // namespace tahoma::model
