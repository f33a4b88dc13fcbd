// SPDX-License-Identifier: Apache-2.0
// The headline figures of a run: its time, its MFU and its busiest resource.
#pragma once

#include <string>

#include "studies/validation/regression/differences/run_statistics.h"

namespace tahoma::runtime {

struct Headline {
  double time_ns = 0, mfu_percent = 0, busiest_percent = 0;
  std::string busiest;  // "link"; "" if unknown
};

Headline headline_of(const RunStatistics& statistics);

// "87.24 us, MFU 7.8 %, busiest link (66.4 %)"
std::string headline_text(const Headline& headline);
// "87.24 us", with the digits of a report.
std::string headline_time(const Headline& headline);

}  // namespace tahoma::runtime
