// SPDX-License-Identifier: Apache-2.0
#include "workloads/gemm/kernel/sparsity.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <vector>

#include "isa/table/table.h"
#include "isa/table/table_names.h"
#include "model/base/error.h"

namespace tahoma::workloads {

using runtime::HostTensor, runtime::Window;

namespace {

struct Groups {
  explicit Groups(isa::MatmulMode mode)
      : kept(isa::row_of(mode).kept), size(std::size_t{isa::row_of(mode).kept} * isa::row_of(mode).slices) {}
  std::size_t kept, size;
};

// Positions of a row's elements in the order in which they are kept.
std::vector<std::size_t> by_magnitude(const float* group, std::size_t size) {
  std::vector<std::size_t> places(size);
  for (std::size_t i = 0; i < size; ++i) places[i] = i;
  std::stable_sort(places.begin(), places.end(),
                   [&](std::size_t a, std::size_t b) { return std::fabs(group[a]) > std::fabs(group[b]); });
  return places;
}

// Calls f(row, first column, values) for every group of a row; the last group may be shorter.
template <class F>
void for_each_group(const HostTensor& a, std::size_t size, F&& f) {
  std::vector<float> row(a.columns());
  for (std::uint64_t r = 0; r < a.rows(); ++r) {
    runtime::widen_window(a, {r, 0, 1, a.columns()}, row.data());
    for (std::uint64_t first = 0; first < row.size(); first += size)
      f(r, first, row.data() + first, std::min<std::size_t>(size, row.size() - first));
  }
}

// The positions of a group that are kept, ascending: the nonzero ones, then any.
std::vector<std::size_t> kept_places(const float* group, const Groups& groups) {
  std::vector<std::size_t> places = by_magnitude(group, groups.size);
  places.resize(groups.kept);
  std::sort(places.begin(), places.end());
  return places;
}

constexpr std::size_t kTagBits = 4, kTagsTogether = 4;

}  // namespace

void prune(HostTensor& a, isa::MatmulMode mode) {
  const Groups groups(mode);
  const std::size_t size = isa::size_of(a.dtype);
  for_each_group(a, groups.size,
                 [&](std::uint64_t row, std::uint64_t first, const float* group, std::size_t n) {
                   const std::vector<std::size_t> places = by_magnitude(group, n);
                   for (std::size_t i = groups.kept; i < n; ++i)
                     std::memset(a.values.data() + (row * a.columns() + first + places[i]) * size, 0, size);
                 });
}

void check_pruned(const HostTensor& a, isa::MatmulMode mode, const std::string& place) {
  const Groups groups(mode);
  for_each_group(
      a, groups.size, [&](std::uint64_t row, std::uint64_t first, const float* group, std::size_t n) {
        const auto used =
            static_cast<std::size_t>(std::count_if(group, group + n, [](float x) { return x != 0; }));
        if (used > groups.kept)
          throw base::UserError(
              "E-RUN-090", place,
              fmt::format("row {}, columns {}..{} have {} nonzero weights; expected at most {} for {}", row,
                          first, first + n - 1, used, groups.kept, isa::name_of(mode)));
      });
}

void compress(const HostTensor& a, const Window& window, isa::MatmulMode mode, std::byte* weights,
              std::byte* tags) {
  const Groups groups(mode);
  const std::size_t size = isa::size_of(a.dtype), count = (window.columns + groups.size - 1) / groups.size;
  const std::size_t tag_columns = (window.rows + kTagsTogether - 1) / kTagsTogether;
  std::vector<std::uint16_t> packed(count * groups.kept * tag_columns);
  std::memset(weights, 0, count * groups.kept * window.rows * size);
  std::vector<float> row(count * groups.size);
  for (std::uint64_t m = 0; m < window.rows; ++m) {
    runtime::widen_window(a, {window.row + m, window.column, 1, window.columns}, row.data());
    const std::byte* from = a.values.data() + ((window.row + m) * a.columns() + window.column) * size;
    for (std::size_t g = 0; g < count; ++g) {
      const std::vector<std::size_t> places = kept_places(row.data() + g * groups.size, groups);
      for (std::size_t i = 0; i < groups.kept; ++i) {
        const std::size_t k = g * groups.size + places[i], p = g * groups.kept + i;
        if (k < window.columns) std::memcpy(weights + (p * window.rows + m) * size, from + k * size, size);
        packed[p * tag_columns + m / kTagsTogether] |=
            static_cast<std::uint16_t>(places[i] << (m % kTagsTogether * kTagBits));
      }
    }
  }
  std::memcpy(tags, packed.data(), packed.size() * sizeof packed[0]);
}

}  // namespace tahoma::workloads
