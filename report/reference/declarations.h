// SPDX-License-Identifier: Apache-2.0
// The declaration of a number of a report, found by its name. Unit and direction come from the line that
// declares the statistic or the column, so that fronts, comparisons and pages agree.
#pragma once

#include <optional>
#include <string>

#include "model/base/stats.h"

namespace tahoma::runtime {

struct Declaration {
  base::Unit unit = base::Unit::kCount;
  base::Better better = base::Better::kLess;
};

// `name`: of a number of summary.json ("hbm.rows.hit_percent", "collectives[3].time_ns" or
// "collectives.3.time_ns"), of a statistic ("server0.chip03.core5.tensor.busy"), or of a class of statistics
// ("server*.chip*.core*.tensor.busy.most", studies/validation/regression/differences/run_statistics.h). None
// if nothing declares it.
std::optional<Declaration> declaration_of(const std::string& name);

}  // namespace tahoma::runtime
