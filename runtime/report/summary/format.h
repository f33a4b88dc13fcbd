// SPDX-License-Identifier: Apache-2.0
// Numbers as a reader of a report wants them: four significant digits and the prefix that fits. For text
// only; the JSON and CSV files carry full values.
#pragma once

#include <string>

#include "model/base/units.h"

namespace tahoma::runtime {

// SI prefix and unit: "2.873 TB/s", "412 B", "0 B".
std::string si_text(double value, const std::string& unit);
// "1.801 ms", "853.2 ns".
std::string time_text(base::Duration time);
// Shortest decimal that reads back as the same double: what the CSV files hold.
std::string shortest(double value);
// Right-aligned percent with one digit, an empty field for exactly 0: the cells of the tables.
std::string percent_cell(double percent, int width);

}  // namespace tahoma::runtime
