// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/grid_views.h"

#include <algorithm>

namespace tahoma::base {
namespace {

constexpr std::size_t kNoAxis = kMostAxes;

// The axes of a view: one along the columns, one or none along the rows, and one picture for each coordinate
// of the others.
struct Layout {
  const Topology& grid;
  std::size_t across, down;

  std::string label(std::uint32_t chip) const {
    std::string text;
    const ChipCoordinates at = grid.at(chip);
    for (std::size_t axis = 0; axis < grid.axes().size(); ++axis)
      if (axis != across && axis != down)
        text += (text.empty() ? "" : ", ") + grid.axes()[axis].name + " " + std::to_string(at[axis]);
    return text;
  }
  FabricPicture::Node node(std::uint32_t chip) const {
    const ChipCoordinates at = grid.at(chip);
    const std::uint32_t row = down == kNoAxis ? 0 : grid.size(down) - 1 - at[down];
    return {chip, static_cast<double>(at[across]), static_cast<double>(row)};
  }
  void add_lines(std::uint32_t chip, FabricPicture& picture) const {
    for (PortIndex port = 0; port < grid.ports(chip); ++port) {
      const std::size_t axis = port / 2;
      const auto to = grid.neighbour(chip, port);
      if (!to || (axis != across && axis != down)) continue;
      const bool up = port % 2 == 0;
      const bool leaves = (grid.at(*to)[axis] > grid.at(chip)[axis]) != up;
      const double step = (up ? 1 : -1) * (axis == across ? 1 : -1);
      picture.lines.push_back({chip, port, axis == across ? step : 0, axis == across ? 0 : step, leaves});
    }
  }
  FabricView view(std::string name) const {
    FabricView view{std::move(name), {}};
    for (std::uint32_t chip = 0; chip < grid.chips(); ++chip) {
      const std::string text = label(chip);
      auto picture = std::find_if(view.pictures.begin(), view.pictures.end(),
                                  [&](const FabricPicture& p) { return p.label == text; });
      if (picture == view.pictures.end())
        picture = view.pictures.insert(picture, FabricPicture{text, {}, {}});
      picture->nodes.push_back(node(chip));
      add_lines(chip, *picture);
    }
    return view;
  }
};

}  // namespace

std::vector<FabricView> grid_views(const Topology& grid, bool wraps) {
  std::vector<FabricView> views;
  const auto name = [&](std::size_t axis) { return grid.axes()[axis].name; };
  for (const auto& [across, down] : {std::pair<std::size_t, std::size_t>{0, 1}, {0, 2}, {1, 2}})
    if (grid.size(across) > 1 && grid.size(down) > 1)
      views.push_back(Layout{grid, across, down}.view(name(across) + "–" + name(down) + " planes"));
  for (std::size_t axis = grid.axes().size(); axis-- > 0;)
    if (grid.size(axis) > 1 && (axis == 2 || views.empty()))
      views.push_back(Layout{grid, axis, kNoAxis}.view(name(axis) + (wraps ? " rings" : " lines")));
  return views;
}

}  // namespace tahoma::base
