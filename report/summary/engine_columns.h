// SPDX-License-Identifier: Apache-2.0
// The columns of an engine kind in summary.json.
#pragma once

#include "model/base/columns.h"
#include "report/summary/summary.h"

namespace tahoma::runtime {

const base::Columns<EngineSummary>& engine_columns();

}  // namespace tahoma::runtime
