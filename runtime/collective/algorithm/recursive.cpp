// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/algorithm/recursive.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "runtime/collective/algorithm/subset.h"

namespace tahoma::runtime::collective {

namespace {

std::uint32_t gray(std::uint32_t n) { return n ^ (n >> 1); }
std::uint32_t from_gray(std::uint32_t g) {
  std::uint32_t n = 0;
  for (; g != 0; g >>= 1) n ^= g;
  return n;
}

// One exchange: bit `bit` of the Gray code of an axis.
struct Digit {
  std::size_t axis;
  std::uint32_t bit;
};

class Hypercube {
 public:
  Hypercube(const Problem& problem, const Grid& grid, std::uint32_t first_axis)
      : grid_(grid), build_(problem, problem.ranks, "recursive") {
    std::string names;
    for (std::size_t i = 0; i < grid.axes.size(); ++i) {
      const std::size_t a = (first_axis + i) % grid.axes.size();
      for (std::uint32_t bit = std::bit_width(grid.axes[a].size) - 1U; bit-- > 0;)
        digits_.push_back({a, bit});
      names += grid.axes[a].name + (i + 1 < grid.axes.size() ? "," : "");
    }
    build_.rename("recursive over " + names);
  }

  Schedule schedule() {
    const Operation operation = build_.problem().operation;
    if (operation != Operation::kAllGather) halve();
    for (std::uint32_t r = 0; r < grid_.ranks(); ++r) build_.settle(r, ChunkSet::one(r));
    if (operation != Operation::kAllGather) build_.next_round();
    if (operation != Operation::kReduceScatter) grow();
    return build_.finish();
  }

 private:
  std::uint32_t partner(std::uint32_t rank, const Digit& digit) const {
    const GridAxis& axis = grid_.axes[digit.axis];
    const std::uint32_t code = gray(Grid::coordinate(axis, rank)) ^ (1U << digit.bit);
    return Grid::moved(axis, rank, from_gray(code));
  }

  // The chunks that `rank` is responsible for after the first `done` digits have been exchanged.
  ChunkSet kept_by(std::uint32_t rank, std::size_t done) const {
    std::vector<Span> spans;
    for (const GridAxis& axis : grid_.axes) spans.push_back({0, axis.size});
    for (std::size_t i = 0; i < done; ++i) {
      // Coordinates whose Gray codes agree from this digit upwards form an aligned run.
      const std::uint32_t length = 1U << digits_[i].bit;
      const std::uint32_t at = Grid::coordinate(grid_.axes[digits_[i].axis], rank);
      spans[digits_[i].axis] = {at / length * length, length};
    }
    return subset(grid_, spans);
  }

  void halve() {
    for (std::size_t i = 0; i < digits_.size(); ++i, build_.next_round())
      for (std::uint32_t r = 0; r < grid_.ranks(); ++r) {
        const std::uint32_t other = partner(r, digits_[i]);
        build_.combine(r, other, kept_by(other, i + 1));
      }
  }

  void grow() {
    for (std::size_t i = digits_.size(); i-- > 0; build_.next_round())
      for (std::uint32_t r = 0; r < grid_.ranks(); ++r)
        build_.copy(r, partner(r, digits_[i]), kept_by(r, i + 1));
  }

  Grid grid_;
  std::vector<Digit> digits_;
  ScheduleBuilder build_;
};

// The largest power of two that is at most n.
std::uint32_t power_below(std::uint32_t n) { return 1U << (std::bit_width(n) - 1U); }

}  // namespace

Schedule doubling(const Problem& problem) {
  ScheduleBuilder build(problem, 1, "doubling");
  const ChunkSet all = ChunkSet::one(0);
  const std::uint32_t paired = power_below(problem.ranks);
  for (std::uint32_t r = paired; r < problem.ranks; ++r) build.combine(r, r - paired, all);
  build.next_round();
  for (std::uint32_t distance = 1; distance < paired; distance *= 2, build.next_round())
    for (std::uint32_t r = 0; r < paired; ++r) build.combine(r, r ^ distance, all);
  for (std::uint32_t r = 0; r < paired; ++r) build.settle(r, all);
  build.next_round();
  for (std::uint32_t r = paired; r < problem.ranks; ++r) build.copy(r - paired, r, all);
  return build.finish();
}

std::string recursive_refusal(const Problem&, const Grid& grid) {
  for (const GridAxis& axis : grid.axes)
    if (!std::has_single_bit(axis.size))
      return fmt::format("halves every axis and needs powers of two; axis {} has {} ranks", axis.name,
                         axis.size);
  return "";
}

std::vector<ChannelPlan> recursive_plan(const Problem& problem, const Grid& grid, std::uint32_t channels) {
  // A single rank has no axis, and one schedule without exchanges.
  const std::size_t first_axes = std::max<std::size_t>(1, grid.axes.size());
  std::vector<std::shared_ptr<const Schedule>> variants;
  for (std::uint32_t v = 0; v < std::min<std::size_t>(channels, first_axes); ++v)
    variants.push_back(std::make_shared<const Schedule>(Hypercube(problem, grid, v).schedule()));
  return dealt(variants, channels);
}

}  // namespace tahoma::runtime::collective
