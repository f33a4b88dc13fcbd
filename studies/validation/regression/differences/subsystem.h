// SPDX-License-Identifier: Apache-2.0
// The part of the machine that a statistic of a run belongs to; reports group differences by it.
#pragma once

#include <string>

namespace tahoma::runtime {

// "run" (the run as a whole), "values", "engines", "dma", "hbm", "links", "collectives", or "simulator": the
// cost of the simulation itself.
std::string subsystem_of(const std::string& statistic);

}  // namespace tahoma::runtime
