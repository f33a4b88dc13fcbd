// SPDX-License-Identifier: Apache-2.0
#include "workloads/transformer/figure_text.h"

#include <fmt/format.h>

namespace tahoma::workloads {

using Figure = runtime::WorkloadFigure;

Figure time_figure(const std::string& key, double seconds, const std::string& meaning) {
  const std::string text = seconds < 1e-3  ? fmt::format("{:.1f} us", seconds * 1e6)
                           : seconds < 1.0 ? fmt::format("{:.3f} ms", seconds * 1e3)
                                           : fmt::format("{:.3f} s", seconds);
  return {key, seconds * 1e9, text, meaning};
}

std::string bytes_text(double count) {
  return count < 1e6   ? fmt::format("{:.1f} kB", count / 1e3)
         : count < 1e9 ? fmt::format("{:.1f} MB", count / 1e6)
                       : fmt::format("{:.1f} GB", count / 1e9);
}

Figure bytes_figure(const std::string& key, double count, const std::string& meaning) {
  return {key, count, bytes_text(count), meaning};
}

}  // namespace tahoma::workloads
