// SPDX-License-Identifier: Apache-2.0
#include "report/summary/engine_columns.h"

namespace tahoma::runtime {

const base::Columns<EngineSummary>& engine_columns() {
  using base::Unit, base::StallReason;
  using Row = EngineSummary;
  static const auto kColumns = [] {
    auto columns = base::Columns<EngineSummary>("", "engines.*")
                       .number("", "engines", Unit::kCount, "engines of this kind on the active cores",
                               [](const Row& e) { return e.engines; })
                       .number("", "instructions", Unit::kCount, "instructions that they retired",
                               [](const Row& e) { return e.instructions; })
                       .number("", "active_percent", Unit::kPercent,
                               "union of the instructions' start-to-end intervals, mean over the engines",
                               [](const Row& e) { return e.active_percent; });
    for (std::size_t n = 0; n < base::kStallReasons; ++n) {
      const auto reason = static_cast<StallReason>(n);
      columns.number(
          "", std::string("time_percent.") + base::name_of(reason), Unit::kPercent, base::doc_of(reason),
          [n](const Row& e) { return e.percent[n]; },
          reason == StallReason::kBusy ? base::Better::kMore : base::Better::kLess);
    }
    return columns;
  }();
  return kColumns;
}

}  // namespace tahoma::runtime
