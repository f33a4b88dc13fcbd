// SPDX-License-Identifier: Apache-2.0
// Rows of tokens that stand in a tensor for one expert, from one place (a rank, a physical core) after
// another, as many from each as the routing says. Behind them the tensor has rows up to a multiple of 16,
// which products read without use (workloads/common/transposed_load.h), and for each place an access of HBM,
// which travels where there is no row: Communicator asks for that.
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
  std::uint64_t all() const {  // rows of the tensor that it takes
    return transposed_load_rows(rows()) + (counts.size() * kEmpty + columns - 1) / columns;
  }
  std::uint64_t end() const { return first + all(); }

  // What travels for a place, in elements, and where it begins behind the segment's first.
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
