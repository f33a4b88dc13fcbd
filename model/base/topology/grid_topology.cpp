// SPDX-License-Identifier: Apache-2.0
#include "model/base/topology/grid_topology.h"

#include <algorithm>

namespace tahoma::base {
namespace {

constexpr unsigned axis_of(PortIndex port) { return port / 2; }
constexpr bool is_plus(PortIndex port) { return port % 2 == 0; }

}  // namespace

PortKind GridTopology::port(std::uint32_t, PortIndex port) const {
  const char axis = axes().at(axis_of(port)).name.front();
  return {std::string(1, axis) + (is_plus(port) ? 'p' : 'm'), axis, static_cast<LinkRate>(axis_of(port))};
}

std::optional<std::uint32_t> GridTopology::neighbour(std::uint32_t node, PortIndex port) const {
  ChipCoordinates place = at(node);
  const unsigned axis = axis_of(port);
  const std::uint32_t n = size(axis), here = place[axis];
  if (n == 1) return std::nullopt;
  const bool at_end = here == (is_plus(port) ? n - 1 : 0);
  if (at_end && !wraps_) return std::nullopt;
  if (wraps_ && n == 2 && !is_plus(port)) return std::nullopt;
  place[axis] = (here + (is_plus(port) ? 1 : n - 1)) % n;
  return chip(place);
}

GridTopology::Distances GridTopology::distances(unsigned axis, std::uint32_t from, std::uint32_t to) const {
  const std::uint32_t n = size(axis);
  if (!wraps_) return {to > from ? to - from : kNever, to < from ? from - to : kNever};
  const std::uint32_t up = (to + n - from) % n;
  return {up, n == 2 ? kNever : n - up};  // a ring of two has one link each way
}

bool GridTopology::is_alive(const DeadLinks& dead, std::uint32_t from, PortIndex port,
                            std::uint32_t hops) const {
  if (hops == kNever) return false;
  for (std::uint32_t node = from; hops > 0; --hops) {
    if (dead.count({node, port}) > 0) return false;
    node = *neighbour(node, port);
  }
  return true;
}

// Returns whether a path of that many hops crosses the end of its ring.
bool GridTopology::crosses_end(PortIndex port, std::uint32_t from, std::uint32_t hops) const {
  return is_plus(port) ? from + hops >= size(axis_of(port)) : from < hops;
}

Way GridTopology::first_hop(std::uint32_t node, std::uint32_t to, const AxisOrder& order,
                            const DeadLinks& dead) const {
  const ChipCoordinates a = at(node), b = at(to);
  const unsigned axis = *std::find_if(order.begin(), order.end(), [&](unsigned n) { return a[n] != b[n]; });
  const PortIndex plus = 2 * axis, minus = plus + 1;
  const Distances d = distances(axis, a[axis], b[axis]);
  const bool up_first = d.up != d.down ? d.up < d.down : a[axis] % 2 == 0;
  for (const bool up : {up_first, !up_first}) {
    const PortIndex port = up ? plus : minus;
    const std::uint32_t hops = up ? d.up : d.down;
    if (!is_alive(dead, node, port, hops)) continue;
    const bool done_with_end = wraps_ && !crosses_end(port, a[axis], hops);
    return {port, static_cast<std::uint8_t>(done_with_end ? 1 : 0), 0};
  }
  return {};
}

std::uint32_t GridTopology::shortest_ports(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t ports = 0;
  const ChipCoordinates a = at(from), b = at(to);
  for (unsigned axis = 0; axis < axes().size(); ++axis) {
    if (a[axis] == b[axis]) continue;
    const Distances d = distances(axis, a[axis], b[axis]);
    if (d.up <= d.down) ports |= 1U << 2 * axis;
    if (d.down <= d.up) ports |= 1U << (2 * axis + 1);
  }
  return ports;
}

}  // namespace tahoma::base
