// SPDX-License-Identifier: Apache-2.0
// The host's time for one stage of a command.
#pragma once

#include <string>

namespace tahoma::runtime {

struct StageTime {
  std::string what;  // "placing tensors and programs"
  double wall_seconds = 0;
  double processor_seconds = 0;  // user and system, of all threads and of the children that have ended
};

}  // namespace tahoma::runtime
