// SPDX-License-Identifier: Apache-2.0
// The common layout of the blocks of summary.txt: a label, and text in a second column.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tahoma::runtime {

inline constexpr std::size_t kLabel = 16;  // width of the first column of every block
inline constexpr std::size_t kWidth = 100;
inline constexpr std::size_t kMostTextLines = 60;

// The most rows of those blocks that a long run fills. All rows are in the files.
struct RowLimits {
  std::size_t figures, regions, stalls, hot_spots, path_shares, path_spots, path_rows;
  bool energy = true;  // energy, power and cost
};

std::string row(const std::string& label, const std::string& text);
// Breaks at spaces; continuation lines are indented to the second column.
std::string wrapped_row(const std::string& label, const std::string& text);
// Fits as many parts into one row as it holds, separated by ", ", then the number of the others.
std::string fitted_row(const std::string& label, const std::vector<std::string>& parts);
// Fits the text into `width` characters: of a longer one the beginning, "..", and the end remain.
std::string fitted(const std::string& text, std::size_t width);
// Removes blanks at the end of a line.
std::string trimmed(std::string line);

}  // namespace tahoma::runtime
