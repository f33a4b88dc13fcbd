// SPDX-License-Identifier: Apache-2.0
// Every number of a summary.json, by the name that expressions have for it: nested keys joined by '.', list
// items by index or name. Switches are 0 or 1.
#pragma once

#include <map>
#include <string>

namespace tahoma::runtime {

// Of a text that is no JSON: nothing.
std::map<std::string, double> numbers_of_summary(const std::string& summary_json);

}  // namespace tahoma::runtime
