// SPDX-License-Identifier: Apache-2.0
// The energy of a run in summary.txt: two rows.
#pragma once

#include <string>

#include "report/energy/energy_ledger.h"

namespace tahoma::runtime {

std::string energy_text(const EnergyLedger& ledger);

}  // namespace tahoma::runtime
