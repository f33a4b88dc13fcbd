// SPDX-License-Identifier: Apache-2.0
// Starts a child of runtime/host/process.h.
#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "runtime/host/process.h"

namespace tahoma::runtime {

struct StartedProcess {
  pid_t id = 0;
  int output_end = -1;  // the end of a pipe on which its output arrives; -1: not captured
};

// Both throw std::system_error.
StartedProcess start_program(const std::vector<std::string>& words, const ProcessOptions& options);
StartedProcess start_function(const std::function<std::string()>& body, const ProcessOptions& options);

}  // namespace tahoma::runtime
