// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/core_selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/error.h"
#include "runtime/run/core_name.h"

namespace tahoma::runtime {

namespace {

bool is_number(std::string_view text) {
  return !text.empty() && text.size() < 10 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

[[noreturn]] void refuse_core(const char* option, const std::string& text,
                              const model::MachineParams& machine) {
  std::set<std::string> names;
  for (std::uint32_t core = 0; core < machine.cores(); ++core)
    for (std::string name = core_path(machine, core);; name.resize(name.rfind('.'))) {
      names.insert(name);
      if (name.find('.') == std::string::npos) break;
    }
  throw base::UserError(
      "E-TRC-003", option,
      fmt::format(
          "this machine has no '{}'{}; expected numbers or ranges from 0 to {}, or names of instances, "
          "like {}",
          text, base::did_you_mean(text, {names.begin(), names.end()}), machine.cores() - 1,
          core_path(machine, 0)));
}

// Selects cores by "3", "8-15" or the name of an instance.
void select(const char* option, const std::string& text, const model::MachineParams& machine,
            std::vector<bool>& cores) {
  const std::size_t dash = std::min(text.find('-'), text.size());
  const std::string first = text.substr(0, dash), last = dash < text.size() ? text.substr(dash + 1) : first;
  bool found = false;
  for (std::uint32_t core = 0; core < cores.size(); ++core) {
    const bool chosen = is_number(first) && is_number(last)
                            ? core >= std::stoul(first) && core <= std::stoul(last)
                            : (core_path(machine, core) + '.').starts_with(text + '.');
    if (chosen) found = cores[core] = true;
  }
  const bool beyond = is_number(last) && std::stoul(last) >= cores.size();
  if (!found || beyond) refuse_core(option, text, machine);
}

}  // namespace

std::vector<bool> selected_cores(const char* option, const std::vector<std::string>& texts,
                                 const model::MachineParams& machine) {
  std::vector<bool> cores(machine.cores(), false);
  for (const std::string& text : texts) select(option, text, machine, cores);
  return cores;
}

}  // namespace tahoma::runtime
