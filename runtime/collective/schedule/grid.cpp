// SPDX-License-Identifier: Apache-2.0
#include "runtime/collective/schedule/grid.h"

#include <algorithm>
#include <array>

#include "isa/core/instruction.h"

namespace tahoma::runtime::collective {

namespace {

constexpr std::size_t kCore = 0;  // the first dimension: the core of a chip; then the axes of the fabric
constexpr std::size_t kMostDimensions = 1 + base::kMostAxes;

using Coordinates = std::array<std::uint32_t, kMostDimensions>;

class Deduction {
 public:
  Deduction(const model::MachineParams& machine, const model::FabricWays& ways,
            const std::vector<std::vector<std::uint32_t>>& cores)
      : machine_(machine), ways_(ways), cores_(cores), ranks_(static_cast<std::uint32_t>(cores.size())) {
    for (const base::FabricAxis& axis : ways.axes()) names_.push_back(axis.name);
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      const base::ChipCoordinates& at = ways.at(chip(r));
      Coordinates place{static_cast<std::uint32_t>(cores[r].front() % machine.chip.cores)};
      std::copy(at.begin(), at.end(), place.begin() + 1);
      places_.push_back(place);
    }
  }

  Grid grid() {
    Grid grid;
    if (ranks_ < 2) return grid;
    std::array<std::uint32_t, kMostDimensions> sizes{};
    for (std::size_t d = 0; d < names_.size(); ++d) sizes[d] = number(d);
    for (std::size_t d = 0; d < names_.size(); ++d) {
      GridAxis axis{names_[d], sizes[d], 0, d != kCore, false, 1};
      if (axis.size < 2) continue;
      axis.stride = stride(d);
      axis.cores = d == kCore;
      grid.axes.push_back(axis);
    }
    std::sort(grid.axes.begin(), grid.axes.end(),
              [](const GridAxis& a, const GridAxis& b) { return a.stride < b.stride; });
    if (!is_product(grid)) grid.axes = {{"list", ranks_, 1, false, false, 1}};
    for (GridAxis& axis : grid.axes) measure(axis, grid);
    return grid;
  }

 private:
  std::uint32_t chip(std::uint32_t rank) const {
    return static_cast<std::uint32_t>(cores_[rank].front() / machine_.chip.cores);
  }

  // Numbers the coordinates of a dimension in the order of their first occurrence.
  std::uint32_t number(std::size_t d) {
    std::vector<std::uint32_t> seen;
    for (Coordinates& place : places_) {
      auto at = std::find(seen.begin(), seen.end(), place[d]);
      if (at == seen.end()) at = seen.insert(seen.end(), place[d]);
      place[d] = static_cast<std::uint32_t>(at - seen.begin());
    }
    return static_cast<std::uint32_t>(seen.size());
  }

  // Returns the rank next to rank 0 along the dimension; 0 if there is none.
  std::uint32_t stride(std::size_t d) const {
    Coordinates next{};
    next[d] = 1;
    const auto at = std::find(places_.begin(), places_.end(), next);
    return at == places_.end() ? 0 : static_cast<std::uint32_t>(at - places_.begin());
  }

  bool is_product(const Grid& grid) const {
    std::uint32_t stride = 1;
    for (const GridAxis& axis : grid.axes) {
      if (axis.stride != stride) return false;
      stride *= axis.size;
    }
    if (stride != ranks_) return false;
    for (std::uint32_t r = 0; r < ranks_; ++r)
      for (const GridAxis& axis : grid.axes)
        if (places_[r][dimension(axis)] != Grid::coordinate(axis, r)) return false;
    return true;
  }
  std::size_t dimension(const GridAxis& axis) const {
    return static_cast<std::size_t>(std::find(names_.begin(), names_.end(), axis.name) - names_.begin());
  }

  void measure(GridAxis& axis, const Grid& grid) const {
    if (!axis.chips) {
      axis.rate = on_chip_rate();
      return;
    }
    axis.closed = true;
    axis.rate = kUnlimited;
    for (std::uint32_t r = 0; r < ranks_; ++r) {
      const std::uint32_t from = chip(r), to = chip(Grid::moved(axis, r, Grid::coordinate(axis, r) + 1));
      axis.closed = axis.closed && ways_.hops(from, to) == 1 && ways_.hops(to, from) == 1;
      axis.rate = std::min({axis.rate, ways_.rate(from, to), ways_.rate(to, from)});
    }
    for (const GridAxis& other : grid.axes)
      if (!other.chips) axis.rate /= other.size;  // the ranks of a chip share its links
  }

  // A rank's engines read two sources for data that they fold.
  double on_chip_rate() const {
    const model::DmaParams& dma = machine_.chip.core.dma;
    return static_cast<double>(cores_.front().size() * isa::kDmaEngines * dma.bytes_per_cycle.count *
                               dma.clock.hz) /
           2;
  }

  static constexpr double kUnlimited = 1e18;

  const model::MachineParams& machine_;
  const model::FabricWays& ways_;
  const std::vector<std::vector<std::uint32_t>>& cores_;
  std::uint32_t ranks_;
  std::vector<std::string> names_{"core"};  // by dimension
  std::vector<Coordinates> places_;
};

std::vector<bool> apart_of(const model::MachineParams& machine, const model::FabricWays& ways,
                           const std::vector<std::vector<std::uint32_t>>& cores) {
  const auto chip = [&](const std::vector<std::uint32_t>& of_rank) {
    return static_cast<std::uint32_t>(of_rank.front() / machine.chip.cores);
  };
  std::vector<bool> apart;
  for (const auto& from : cores)
    for (const auto& to : cores) apart.push_back(!ways.reaches(chip(from), chip(to)));
  if (std::none_of(apart.begin(), apart.end(), [](bool pair) { return pair; })) apart.clear();
  return apart;
}

}  // namespace

Grid grid_of(const model::MachineParams& machine, const model::FabricWays& ways,
             const std::vector<std::vector<std::uint32_t>>& cores) {
  Grid grid = Deduction(machine, ways, cores).grid();
  grid.apart = apart_of(machine, ways, cores);
  return grid;
}

}  // namespace tahoma::runtime::collective
