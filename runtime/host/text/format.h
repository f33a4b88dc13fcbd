// SPDX-License-Identifier: Apache-2.0
// Formats numbers for reports: four significant digits and a fitting prefix. For text only; the JSON and CSV
// files contain full values.
#pragma once

#include <string>

#include "model/base/units.h"

namespace tahoma::runtime {

// SI prefix and unit: "2.873 TB/s", "412 B", "0 B".
std::string si_text(double value, const std::string& unit);
// Prefixes may also be below one: "12.34 mJ", "1.05 uJ".
std::string fine_text(double value, const std::string& unit);
// "1.801 ms", "853.2 ns".
std::string time_text(base::Duration time);
std::string time_text_of_ns(double ns);
// Shortest decimal that parses to the same double, as used in CSV files.
std::string shortest(double value);
// Right-aligned percentage with one digit, empty for exactly 0: a table cell.
std::string percent_cell(double percent, int width);

}  // namespace tahoma::runtime
