// SPDX-License-Identifier: Apache-2.0
// What holds a finished run back: the same run again in timing mode, with one resource at a time ideal, and
// once with all of them. How much shorter it is with a resource ideal is how much that one holds it back;
// parts overlap, so they need not add up to the whole.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/base/units.h"
#include "runtime/whatif/resource.h"

namespace tahoma::runtime {

struct WhatIf {
  Resource resource;
  base::Duration time;  // of the run with it ideal
  std::string failure;  // "" or why there is no time
};

struct Explanation {
  std::string folder;
  base::Duration time;       // of the run as it was
  std::vector<WhatIf> rows;  // most held back by first; those that failed last
  WhatIf everything;         // all resources ideal together
};

// `folder`: of `tahoma run`. Every run in a process of its own, at most `jobs` at a time. UserError
// E-CLI-006: no such run. Throws std::system_error when the host gives no process.
Explanation explain(const std::string& folder, std::size_t jobs,
                    const std::function<void(std::size_t done, std::size_t of)>& progress);

std::string explanation_text(const Explanation& explanation);
std::string explanation_json(const Explanation& explanation);

}  // namespace tahoma::runtime
