// SPDX-License-Identifier: Apache-2.0
// The placement of the pieces of a sharded GEMM. The k parts of one output tile are on neighbouring chips,
// along a path through the fabric on which consecutive chips are one hop apart if the topology allows it
// (base::Topology::path), so that their partial sums cross single links. m and n vary over the cores of a
// chip and over the remaining chips. Sizes are cut into equal parts, rounded up; the last ones may be shorter
// or empty.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/system/machine/machine_params.h"

namespace tahoma::runtime {

struct Shard {
  std::uint64_t m = 1, n = 1, k = 1;
  std::uint64_t parts() const { return m * n * k; }
};

// Part `index` of `total` cut into `parts`: [first, first + count); count is 0 behind the end.
struct Part {
  std::uint64_t first = 0, count = 0;
};
Part part_of(std::uint64_t total, std::uint64_t parts, std::uint64_t index);
// The number of parts that are not empty. They come first.
std::uint64_t parts_used(std::uint64_t total, std::uint64_t parts);

// Throws UserError E-RUN-030 if the number of parts does not divide the machine's cores, with the legal
// numbers.
void check_shard(const model::MachineParams& machine, const Shard& shard);

class Placement {
 public:
  Placement(const model::MachineParams& machine, const Shard& shard);  // of a checked shard
  // Returns the core of part (m, n, k).
  std::uint32_t core_of(std::uint64_t m, std::uint64_t n, std::uint64_t k) const;

 private:
  Shard shard_;
  std::uint64_t cores_per_chip_;
  std::vector<std::uint32_t> slots_;  // the cores of a chip, neighbouring ones on different stacks
  std::uint64_t k_chips_, k_cores_;   // k = chips of the ring x cores of each chip
  std::vector<std::uint32_t> path_;
};

}  // namespace tahoma::runtime
