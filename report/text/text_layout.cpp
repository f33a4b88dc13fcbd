// SPDX-License-Identifier: Apache-2.0
#include "report/text/text_layout.h"

#include <fmt/format.h>

#include <algorithm>

namespace tahoma::runtime {

std::string row(const std::string& label, const std::string& text) {
  return fmt::format("{:<{}}{}\n", label, kLabel, text);
}

std::string wrapped_row(const std::string& label, const std::string& text) {
  std::string out, line = fmt::format("{:<{}}", label, kLabel);
  std::size_t start = 0;
  while (start < text.size()) {
    const std::size_t end = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, end - start);
    if (line.size() > kLabel && line.size() + 1 + word.size() > kWidth) {
      out += line + "\n";
      line = std::string(kLabel, ' ');
    }
    if (line.size() > kLabel) line += ' ';
    line += word;
    start = end + 1;
  }
  return out + line + "\n";
}

std::string fitted_row(const std::string& label, const std::vector<std::string>& parts) {
  std::string text;
  for (std::size_t n = 0; n < parts.size(); ++n) {
    const std::string rest = fmt::format(", {} more", parts.size() - n);
    const std::string with = text + (n == 0 ? "" : ", ") + parts[n];
    const std::size_t reserved = n + 1 < parts.size() ? rest.size() : 0;
    if (n > 0 && kLabel + with.size() + reserved > kWidth) {
      text += rest;
      break;
    }
    text = with;
  }
  return row(label, text);
}

std::string fitted(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t end = (width - 2) / 2, begin = width - 2 - end;
  return text.substr(0, begin) + ".." + text.substr(text.size() - end);
}

std::string trimmed(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace tahoma::runtime
