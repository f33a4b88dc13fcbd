// SPDX-License-Identifier: Apache-2.0
// The headline figures of a run: its time, its MFU and its bound.
#pragma once

#include <string>

#include "runtime/validation/regression/run_statistics.h"

namespace tahoma::runtime {

struct Headline {
  double time_ns = 0, mfu_percent = 0, bound_percent = 0;
  std::string bound;  // "link", "latency"; "" if unknown
};

Headline headline_of(const RunStatistics& statistics);

// "87.24 us, MFU 7.8 %, bound by link (66.4 %)"
std::string headline_text(const Headline& headline);
// "87.24 us", with the digits of a report.
std::string headline_time(const Headline& headline);

}  // namespace tahoma::runtime
