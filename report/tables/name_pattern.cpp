// SPDX-License-Identifier: Apache-2.0
#include "report/tables/name_pattern.h"

namespace tahoma::runtime {

bool matches_pattern(const std::string& name, const std::string& pattern) {
  // Where to continue if the text after the last '*' does not match: one character later.
  std::size_t n = 0, p = 0, star = std::string::npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string::npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string::npos;
}

}  // namespace tahoma::runtime
