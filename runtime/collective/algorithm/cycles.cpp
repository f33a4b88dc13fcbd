// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/cycles.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

namespace tahoma::runtime::collective {

namespace {

// Traverses the first axis back and forth, then the second, ...: consecutive ranks are neighbours, and the
// last rank is a neighbour of the first where the sizes allow it.
Cycle reflected_order(const std::vector<GridAxis>& axes) {
  Cycle order{0};
  for (const GridAxis& axis : axes) {
    Cycle longer;
    for (std::uint32_t i = 0; i < axis.size; ++i) {
      for (const std::uint32_t rank : order) longer.push_back(rank + i * axis.stride);
      std::reverse(order.begin(), order.end());
    }
    order = std::move(longer);
  }
  return order;
}

// A closed walk if some axis has an even number of ranks, whether or not its ends are connected: along that
// axis at the first coordinate of all other axes, and back through the remaining coordinates, back and forth.
// Empty if there is no such axis.
Cycle comb_order(std::vector<GridAxis> axes) {
  const auto even = std::find_if(axes.begin(), axes.end(), [](const GridAxis& a) { return a.size % 2 == 0; });
  if (even == axes.end() || axes.size() < 2) return {};
  const GridAxis teeth = *even;
  axes.erase(even);
  Cycle tooth = reflected_order(axes);
  Cycle order;
  for (std::uint32_t i = 0; i < teeth.size; ++i) order.push_back(i * teeth.stride);
  for (std::uint32_t i = teeth.size; i-- > 0;) {
    for (const std::uint32_t rank : tooth)
      if (rank != 0) order.push_back(rank + i * teeth.stride);
    std::reverse(tooth.begin(), tooth.end());
  }
  return order;
}

// One bundle of links: two neighbours of every rank, unordered.
class Bundle {
 public:
  Bundle(const GridAxis& axis, std::uint32_t ranks) : neighbours_(ranks) {
    for (std::uint32_t r = 0; r < ranks; ++r) {
      const std::uint32_t c = Grid::coordinate(axis, r);
      neighbours_[r] = {Grid::moved(axis, r, c + 1), Grid::moved(axis, r, c + axis.size - 1)};
    }
  }

  bool has(std::uint32_t a, std::uint32_t b) const {
    return neighbours_[a][0] == b || neighbours_[a][1] == b;
  }
  void exchange(std::uint32_t at, std::uint32_t old_end, std::uint32_t new_end) {
    neighbours_[at][neighbours_[at][0] == old_end ? 0 : 1] = new_end;
  }

  Cycle cycle_from(std::uint32_t first) const {
    Cycle cycle{first};
    std::uint32_t before = first, at = neighbours_[first][0];
    while (at != first) {
      cycle.push_back(at);
      const std::uint32_t next = neighbours_[at][0] == before ? neighbours_[at][1] : neighbours_[at][0];
      before = at;
      at = next;
    }
    return cycle;
  }

  std::size_t rings() const {
    std::vector<bool> seen(neighbours_.size(), false);
    std::size_t count = 0;
    for (std::uint32_t r = 0; r < neighbours_.size(); ++r) {
      if (seen[r]) continue;
      ++count;
      for (const std::uint32_t on : cycle_from(r)) seen[on] = true;
    }
    return count;
  }

 private:
  std::vector<std::array<std::uint32_t, 2>> neighbours_;
};

struct Square {  // corners in order
  std::array<std::uint32_t, 4> corner{};
};

std::vector<Square> squares_of(const std::vector<GridAxis>& axes, std::uint32_t ranks) {
  std::vector<Square> squares;
  for (std::uint32_t r = 0; r < ranks; ++r)
    for (std::size_t a = 0; a < axes.size(); ++a)
      for (std::size_t b = a + 1; b < axes.size(); ++b) {
        const std::uint32_t right = Grid::moved(axes[a], r, Grid::coordinate(axes[a], r) + 1);
        const std::uint32_t up = Grid::moved(axes[b], r, Grid::coordinate(axes[b], r) + 1);
        const std::uint32_t across = Grid::moved(axes[b], right, Grid::coordinate(axes[b], right) + 1);
        squares.push_back({{r, right, across, up}});
      }
  return squares;
}

class Search {
 public:
  Search(const std::vector<GridAxis>& axes, std::uint32_t ranks) : squares_(squares_of(axes, ranks)) {
    for (const GridAxis& axis : axes) bundles_.emplace_back(axis, ranks);
    for (const Bundle& bundle : bundles_) rings_.push_back(bundle.rings());
  }

  // Returns nothing if the search reaches its limit.
  std::vector<Cycle> find() {
    const std::size_t tries = squares_.size() * kTriesPerSquare;
    for (std::size_t t = 0; t < tries && !done(); ++t) attempt(squares_[random() % squares_.size()]);
    std::vector<Cycle> cycles;
    if (!done()) return cycles;
    for (const Bundle& bundle : bundles_) cycles.push_back(bundle.cycle_from(0));
    return cycles;
  }

 private:
  static constexpr std::size_t kTriesPerSquare = 2000;

  bool done() const {
    return std::all_of(rings_.begin(), rings_.end(), [](std::size_t n) { return n == 1; });
  }

  std::optional<std::size_t> bundle_with(std::uint32_t a, std::uint32_t b) const {
    for (std::size_t i = 0; i < bundles_.size(); ++i)
      if (bundles_[i].has(a, b)) return i;
    return std::nullopt;
  }

  void attempt(const Square& square) {
    const auto& [p, q, r, s] = square.corner;
    const auto first = bundle_with(p, q), second = bundle_with(q, r);
    if (first == second || bundle_with(r, s) != first || bundle_with(s, p) != second) return;
    switch_sides(square, *first, *second);
    const std::size_t rings_first = bundles_[*first].rings(), rings_second = bundles_[*second].rings();
    if (rings_first + rings_second <= rings_[*first] + rings_[*second]) {
      rings_[*first] = rings_first;
      rings_[*second] = rings_second;
    } else {
      switch_sides(square, *second, *first);
    }
  }

  // Moves the sides p-q and r-s from `first` to `second`, and q-r and s-p from `second` to `first`.
  void switch_sides(const Square& square, std::size_t first, std::size_t second) {
    const auto& c = square.corner;
    const std::array<std::uint32_t, 4> along{c[1], c[0], c[3], c[2]}, across{c[3], c[2], c[1], c[0]};
    for (std::size_t i = 0; i < 4; ++i) {
      bundles_[first].exchange(c[i], along[i], across[i]);
      bundles_[second].exchange(c[i], across[i], along[i]);
    }
  }

  std::uint64_t random() {  // Knuth's MMIX constants
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return state_ >> 33;
  }

  std::vector<Square> squares_;
  std::vector<Bundle> bundles_;
  std::vector<std::size_t> rings_;
  std::uint64_t state_ = 1;
};

class Repair {
 public:
  Repair(const Grid& grid, Cycle& cycle) : grid_(grid), cycle_(cycle) {}

  void run() {
    for (bool better = true; better && broken() > 0;) better = reverse_some();
  }

 private:
  std::size_t size() const { return cycle_.size(); }
  std::size_t cut(std::size_t a, std::size_t b) const {
    const std::uint32_t from = cycle_[a % size()], to = cycle_[b % size()];
    return (grid_.reaches(from, to) ? 0 : 1) + (grid_.reaches(to, from) ? 0 : 1);
  }
  std::size_t broken() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i < size(); ++i) count += cut(i, i + 1);
    return count;
  }
  // Reverses the first part whose ends then meet fewer ranks that they do not reach.
  bool reverse_some() {
    for (std::size_t i = 0; i < size(); ++i)
      for (std::size_t j = i + 2; j < size(); ++j) {
        if (cut(i, j) + cut(i + 1, j + 1) >= cut(i, i + 1) + cut(j, j + 1)) continue;
        std::reverse(cycle_.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                     cycle_.begin() + static_cast<std::ptrdiff_t>(j) + 1);
        return true;
      }
    return false;
  }

  const Grid& grid_;
  Cycle& cycle_;
};

}  // namespace

std::vector<Cycle> hamiltonian_cycles(const Grid& grid) {
  std::vector<GridAxis> linked, inside;
  for (const GridAxis& axis : grid.axes) (axis.chips ? linked : inside).push_back(axis);
  const bool all_long = std::all_of(linked.begin(), linked.end(),
                                    [](const GridAxis& axis) { return axis.closed && axis.size >= 3; });
  std::vector<Cycle> over_links;
  if (linked.size() >= 2 && all_long) {
    // Orders the ranks without the inner axes first, then maps them to rank numbers.
    std::vector<GridAxis> dense = linked;
    std::uint32_t ranks = 1;
    for (GridAxis& axis : dense) {
      axis.stride = ranks;
      ranks *= axis.size;
    }
    over_links = Search(dense, ranks).find();
    for (Cycle& cycle : over_links)
      for (std::uint32_t& rank : cycle) {
        std::uint32_t spread = 0;
        for (std::size_t a = 0; a < dense.size(); ++a)
          spread += Grid::coordinate(dense[a], rank) * linked[a].stride;
        rank = spread;
      }
  }
  if (over_links.empty()) over_links.push_back(comb_order(linked));
  if (over_links.front().empty()) over_links.front() = reflected_order(linked);
  const Cycle within = reflected_order(inside);
  std::vector<Cycle> cycles;
  for (const Cycle& outer : over_links) {
    Cycle& cycle = cycles.emplace_back();
    for (const std::uint32_t chip : outer)
      for (const std::uint32_t core : within) cycle.push_back(chip + core);
    if (!grid.apart.empty()) Repair(grid, cycle).run();
  }
  return cycles;
}

}  // namespace tahoma::runtime::collective
