// SPDX-License-Identifier: Apache-2.0
// Which part of the machine a statistic of a run is about: what a reader of many differences looks for first.
#pragma once

#include <string>

namespace tahoma::runtime {

// "run" (the run as a whole), "values", "engines", "dma", "hbm", "links", "collectives", or
// "simulator": what the simulation itself cost.
std::string subsystem_of(const std::string& statistic);

}  // namespace tahoma::runtime
