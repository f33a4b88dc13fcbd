// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/differences/headline.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/units.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

std::string value_of(const RunStatistics& statistics, const char* name) {
  const auto found =
      std::find_if(statistics.begin(), statistics.end(), [&](const Statistic& s) { return s.name == name; });
  return found == statistics.end() ? "" : found->value;
}

}  // namespace

Headline headline_of(const RunStatistics& statistics) {
  const auto number = [&](const char* name) { return number_of(value_of(statistics, name)).value_or(0); };
  return {number("simulated_time_ns"), number("mfu_estimated_percent"), number("busiest.share_percent"),
          value_of(statistics, "busiest.resource")};
}

std::string headline_time(const Headline& h) { return time_text_of_ns(h.time_ns); }

std::string headline_text(const Headline& h) {
  return fmt::format("{}, MFU {:.1f} %, busiest {} ({:.1f} %)", headline_time(h), h.mfu_percent, h.busiest,
                     h.busiest_percent);
}

}  // namespace tahoma::runtime
