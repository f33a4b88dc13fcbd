// SPDX-License-Identifier: Apache-2.0
#include "report/files/markdown.h"

#include <string_view>

namespace tahoma::runtime {

std::string markdown_cell(const std::string& text) {
  constexpr std::string_view kMarks = "\\|*_`[]<>#&";
  std::string cell;
  for (const char c : text) {
    if (kMarks.find(c) != std::string_view::npos) cell += '\\';
    cell += c == '\n' || c == '\r' ? ' ' : c;
  }
  return cell;
}

}  // namespace tahoma::runtime
