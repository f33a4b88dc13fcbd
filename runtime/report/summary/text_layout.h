// SPDX-License-Identifier: Apache-2.0
// The layout that the blocks of summary.txt share: a label, and text beside it in a second column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tahoma::runtime {

inline constexpr std::size_t kLabel = 16;  // width of the first column of every block
inline constexpr std::size_t kWidth = 100;

std::string row(const std::string& label, const std::string& text);
// Breaks at blanks; further lines are indented to the second column.
std::string wrapped_row(const std::string& label, const std::string& text);
// One row: as many parts as fit, with ", " between them, then how many more there are.
std::string fitted_row(const std::string& label, const std::vector<std::string>& parts);

}  // namespace tahoma::runtime
