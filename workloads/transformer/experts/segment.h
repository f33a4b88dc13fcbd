// SPDX-License-Identifier: Apache-2.0
// The rows of tokens for one expert in a tensor, from one place (a rank, a physical core) after another, with
// the counts of the routing. After them the tensor has rows up to a multiple of 16, which products read
// without use (workloads/common/transposed_load.h). For each place there is also one access of HBM, which is
// transferred if there is no row: Communicator requires it.
#pragma once

#include <cstdint>
#include <numeric>
#include <vector>

#include "runtime/collective/lowering/communicator.h"
#include "workloads/common/transposed_load.h"

namespace tahoma::workloads {

struct Segment {
  std::uint64_t first = 0, columns = 0;  // row of the tensor; elements of a row
  std::vector<std::uint64_t> counts;     // rows of each place

  std::uint64_t rows() const { return before(counts.size()); }
  std::uint64_t before(std::size_t place) const {
    return std::accumulate(counts.begin(), counts.begin() + static_cast<std::ptrdiff_t>(place),
                           std::uint64_t{0});
  }
  std::uint64_t all() const {  // the number of its rows in the tensor
    return transposed_load_rows(rows()) + (counts.size() * kEmpty + columns - 1) / columns;
  }
  std::uint64_t end() const { return first + all(); }

  // The number of elements that are transferred for a place, and their offset from the segment's first.
  std::uint64_t elements(std::size_t place) const {
    return counts[place] > 0 ? counts[place] * columns : kEmpty;
  }
  std::uint64_t start(std::size_t place) const {
    return counts[place] > 0 ? before(place) * columns
                             : transposed_load_rows(rows()) * columns + place * kEmpty;
  }

  runtime::HbmView of(const runtime::HbmView& tensor) const {
    return tensor.window(first, 0, all(), tensor.columns);
  }
  // Rows [from, from + count) of it.
  runtime::HbmView part_of(const runtime::HbmView& tensor, std::uint64_t from, std::uint64_t count) const {
    return tensor.window(first + from, 0, count, tensor.columns);
  }

 private:
  static constexpr std::uint64_t kEmpty = runtime::collective::Communicator::kLeast;
};

}  // namespace tahoma::workloads
