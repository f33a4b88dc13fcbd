// SPDX-License-Identifier: Apache-2.0
// Groups of ranks for tests of collective schedules, from a pair to an UltraServer.
#pragma once

#include <utility>
#include <vector>

#include "runtime/collective/schedule/grid.h"
#include "runtime/collective/schedule/operation.h"

namespace tahoma::tests {

// Axes of a torus of the given sizes, with `cores` ranks on a chip (1: no axis for them).
inline runtime::collective::Grid torus_grid(const std::vector<std::pair<std::uint32_t, double>>& axes,
                                            std::uint32_t cores = 1) {
  runtime::collective::Grid grid;
  std::uint32_t stride = cores;
  if (cores > 1) grid.axes.push_back({"core", cores, 1, false, false, 200});
  const char* names[] = {"x", "y", "z"};
  for (std::size_t a = 0; a < axes.size(); ++a) {
    const auto [size, rate] = axes[a];
    if (size > 1) grid.axes.push_back({names[a], size, stride, true, true, rate});
    stride *= size;
  }
  return grid;
}

inline runtime::collective::Grid list_grid(std::uint32_t ranks) {
  runtime::collective::Grid grid;
  if (ranks > 1) grid.axes.push_back({"list", ranks, 1, false, false, 1});
  return grid;
}

// The same chips on lines without wraparound links.
inline runtime::collective::Grid mesh_grid(const std::vector<std::pair<std::uint32_t, double>>& axes) {
  runtime::collective::Grid grid = torus_grid(axes);
  for (auto& axis : grid.axes) axis.closed = axis.size == 2;
  return grid;
}

inline std::vector<runtime::collective::Grid> grids() {
  return {list_grid(2),
          list_grid(3),
          list_grid(7),
          list_grid(8),
          torus_grid({{4, 128}, {4, 128}}),
          torus_grid({{3, 128}, {5, 128}}),
          torus_grid({{4, 128}, {2, 128}, {3, 64}}),
          torus_grid({{2, 128}, {2, 128}}, 4),
          mesh_grid({{4, 128}, {3, 128}}),
          mesh_grid({{3, 128}, {3, 64}}),
          torus_grid({{4, 128}, {4, 128}, {4, 64}})};
}

// The operation over `ranks` ranks, with a root in the middle and partners if it needs them.
inline runtime::collective::Problem problem_for(runtime::collective::Operation operation,
                                                std::uint32_t ranks) {
  using namespace runtime::collective;
  Problem p{operation, ranks, ranks / 2, {}};
  for (std::uint32_t r = 0; r < ranks; ++r) {
    if (operation == Operation::kPermute) p.to.push_back((r + 3) % ranks);
    if (operation == Operation::kSendRecv) p.to.push_back(r % 2 == 0 && r + 1 < ranks ? r + 1 : kNowhere);
  }
  return p;
}

}  // namespace tahoma::tests
