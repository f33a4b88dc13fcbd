// SPDX-License-Identifier: Apache-2.0
// The rows of a replica's residual stream that a physical core of a rank has between the parts of a layer:
// each slice has a block for each physical core, and each block a run for each rank.
#pragma once

#include <cstddef>
#include <cstdint>

namespace tahoma::workloads {

struct RowSharding {
  std::uint64_t slices = 1, physical_cores = 1, ranks = 1;
  std::uint64_t run = 0;  // rows of a physical core of a rank in a slice

  std::uint64_t block() const { return run * ranks; }
  std::uint64_t slice() const { return block() * physical_cores; }
  std::uint64_t rows() const { return slice() * slices; }
  std::uint64_t own() const { return run * slices; }
  std::uint64_t first_of_block(std::size_t slice_number, std::size_t physical_core) const {
    return (slice_number * physical_cores + physical_core) * block();
  }
  std::uint64_t first(std::size_t slice_number, std::size_t physical_core, std::size_t rank) const {
    return first_of_block(slice_number, physical_core) + rank * run;
  }
};

}  // namespace tahoma::workloads
