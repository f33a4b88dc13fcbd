// SPDX-License-Identifier: Apache-2.0
// Shared by the row-wise kernels: tiles of 128 rows, and buffers as SBUF allows.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "runtime/builder/kernel.h"
#include "workloads/common/ranges.h"

namespace tahoma::workloads {

inline std::vector<Range> row_tiles(const model::MachineParams& machine, std::uint64_t rows) {
  std::vector<Range> tiles;
  const std::uint64_t height = machine.chip.core.sbuf.partitions;
  for (std::uint64_t row = 0; row < rows; row += height)
    tiles.push_back({row, static_cast<unsigned>(std::min(height, rows - row))});
  return tiles;
}

inline unsigned psum_banks(const model::MachineParams& machine) {
  const model::PsumParams& psum = machine.chip.core.psum;
  return static_cast<unsigned>(psum.per_partition.count / psum.bank.count);
}

// Number of copies that SBUF holds in addition to `others` bytes of a partition: at least 1, at most `most`.
inline unsigned copies_in(const model::MachineParams& machine, std::uint64_t bytes_per_copy, unsigned most,
                          std::uint64_t others = 32 << 10) {
  const auto usable = static_cast<std::uint64_t>(machine.chip.core.sbuf.usable.count);
  const std::uint64_t room = usable - std::min(usable, others);
  return static_cast<unsigned>(std::clamp<std::uint64_t>(room / bytes_per_copy, 1, most));
}

}  // namespace tahoma::workloads
