// SPDX-License-Identifier: Apache-2.0
// The critical path by resource and by operation. An operation is what a user knows by a name: a region of
// the program, such as a collective or a step of a kernel; the source line where the program has no regions;
// otherwise the program. The shares add up to the simulated time, and so do the resources.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/base/columns.h"
#include "report/path/path_resource.h"

namespace tahoma::runtime {

struct PathShare {
  std::string resource, operation;
  std::uint64_t steps = 0;  // of the path, in which it has a part
  base::Duration time;
  double share_percent = 0;  // of the simulated time
};

// A resource, with the operation that has most of its time.
struct PathResourceShare : PathShare {
  double operation_percent = 0;  // of the simulated time, in that operation
};

class PathShares {
 public:
  // `program` is null for time that no instruction explains.
  void add(const PathStep& step, const isa::Program* program, const PathCosts& costs);
  std::vector<PathShare> operations(base::Duration elapsed) const;         // largest first
  std::vector<PathResourceShare> resources(base::Duration elapsed) const;  // largest first

 private:
  struct Sum {
    std::uint64_t steps = 0;
    base::Duration time;
  };
  std::map<std::pair<PathResource, std::string>, Sum> sums_;
  std::array<Sum, kPathResources> of_resource_{};
};

// The resource with the largest share; nothing if no instruction explains any of the time.
std::optional<PathResourceShare> limiting_of(const std::vector<PathResourceShare>& resources);

// Returns the columns of summary.json.
const base::Columns<PathShare>& path_operation_columns();
const base::Columns<PathResourceShare>& path_resource_columns();

// Writes the rows of summary.txt: resource and operation, largest first.
std::string path_shares_text(const std::vector<PathShare>& operations, std::size_t most);

}  // namespace tahoma::runtime
