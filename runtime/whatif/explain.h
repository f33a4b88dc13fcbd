// SPDX-License-Identifier: Apache-2.0
// Finds the bottleneck of a finished run by repeating it in timing mode, idealising one resource at a time,
// and once with all resources ideal. The reduction of the time is the cost of the idealised resource; the
// resources overlap, so the reductions need not add up.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "runtime/whatif/resource.h"

namespace tahoma::runtime {

struct WhatIf {
  Resource resource;
  base::Duration time;  // of the run with this resource ideal
  std::string failure;  // why there is no time; "" if there is one
};

struct Explanation {
  std::string folder;
  base::Duration time;       // of the original run
  std::vector<WhatIf> rows;  // largest reduction first; failed runs last
  WhatIf everything;         // all resources ideal at once
};

// `folder`: of `tahoma run`. Every run is a separate process, at most `jobs` at a time. UserError E-CLI-006:
// no such run. Throws std::system_error if the host cannot create a process.
Explanation explain(const std::string& folder, std::size_t jobs,
                    const std::function<void(std::size_t done, std::size_t of)>& progress);

std::string explanation_text(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

}  // namespace tahoma::runtime
