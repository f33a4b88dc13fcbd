// SPDX-License-Identifier: Apache-2.0
// Work in processes of its own: SystemC elaborates once per process, and a crash must not take the report
// along.
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

// Every body in a child of this process, at most `jobs` at a time; the results stand in the order of the
// bodies. `progress` hears how many have ended. Throws std::system_error when the host gives no process.
std::vector<ChildResult> run_in_children(const std::vector<std::function<std::string()>>& bodies,
                                         std::size_t jobs, const std::function<void(std::size_t)>& progress);

}  // namespace tahoma::runtime
