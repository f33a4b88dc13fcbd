// SPDX-License-Identifier: Apache-2.0
// Runs work in separate processes: SystemC elaborates once per process, and a crash must
// not affect the report.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace tahoma::runtime {

struct ChildResult {
  std::string text;     // what the body returned
  std::string failure;  // "" or how the process ended: "ended by signal 11 (Segmentation fault)"
};

// Runs every body in a child process, at most `jobs` at a time; the results are in the order of the
// bodies. Calls `progress` with the number of finished bodies whenever one ends, and
// each second in which none does. Throws std::system_error if the host
// cannot create a process.
std::vector<ChildResult> run_in_children(const std::vector<std::function<std::string()>>& bodies,
                                         std::size_t jobs, const std::function<void(std::size_t)>& progress);

}  // namespace tahoma::runtime
