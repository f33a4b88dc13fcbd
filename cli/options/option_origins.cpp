// SPDX-License-Identifier: Apache-2.0
#include "cli/options/option_origins.h"

#include <algorithm>

namespace tahoma::runtime {

CaseOrigins option_origins(const std::vector<OptionValue>& given, const std::vector<std::string>& overrides) {
  std::vector<CaseOrigin> all;
  for (const OptionValue& value : given) {
    const std::string path = "workload." + value.key;
    const auto replaces = [&](const std::string& set) { return set.starts_with(path + "="); };
    if (std::none_of(overrides.begin(), overrides.end(), replaces))
      all.push_back({path, value.option, value.option + " " + value.value});
  }
  return CaseOrigins(std::move(all));
}

}  // namespace tahoma::runtime
