// SPDX-License-Identifier: Apache-2.0
#include "model/link/routes.h"

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::model {
namespace {

// Along one axis: how far it is in each direction; none on a mesh where that leads away.
struct Distances {
  std::uint32_t up, down;
  static constexpr std::uint32_t kNever = ~0U;
};
Distances distances(const Topology& t, unsigned axis, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t n = t.size(axis);
  if (!t.wraps())
    return {to > from ? to - from : Distances::kNever, to < from ? from - to : Distances::kNever};
  const std::uint32_t up = (to + n - from) % n;
  return {up, n == 2 ? Distances::kNever : n - up};  // a ring of two has one link each way
}

bool is_alive(const Topology& t, const DeadLinks& dead, std::uint32_t from, PortIndex port,
              std::uint32_t hops) {
  if (hops == Distances::kNever) return false;
  for (std::uint32_t node = from; hops > 0; --hops) {
    if (dead.count({node, port}) > 0) return false;
    node = *t.neighbour(node, port);
  }
  return true;
}

// Does a way of so many hops cross the end of its ring?
bool crosses_end(const Topology& t, PortIndex port, std::uint32_t from, std::uint32_t hops) {
  const std::uint32_t n = t.size(axis_of(port));
  return is_plus(port) ? from + hops >= n : from < hops;
}

}  // namespace

Routes::Routes(const Topology& topology, const std::array<unsigned, 3>& order, const DeadLinks& dead)
    : topology_(topology),
      chips_(topology.chips()),
      vc_classes_(topology.wraps() ? 2 : 1),
      ways_(std::size_t{topology.nodes()} * topology.chips()) {
  if (topology.is_grid())
    route_grid(order, dead);
  else
    route_switch(dead);
  drop_broken_ways();
  if (topology.is_grid()) find_minimal(dead);
}

void Routes::route_switch(const DeadLinks& dead) {
  for (std::uint32_t to = 0; to < chips_; ++to) {
    for (std::uint32_t from = 0; from < chips_; ++from)
      if (from != to && dead.count({from, 0}) == 0) at(from, to).port = 0;
    if (dead.count({chips_, to}) == 0) at(chips_, to).port = to;
  }
}

void Routes::route_grid(const std::array<unsigned, 3>& order, const DeadLinks& dead) {
  for (std::uint32_t from = 0; from < chips_; ++from)
    for (std::uint32_t to = 0; to < chips_; ++to)
      if (from != to) at(from, to) = first_hop(from, to, order, dead);
}

Way Routes::first_hop(std::uint32_t from, std::uint32_t to, const std::array<unsigned, 3>& order,
                      const DeadLinks& dead) const {
  const auto a = topology_.at(from), b = topology_.at(to);
  const unsigned axis = *std::find_if(order.begin(), order.end(), [&](unsigned n) { return a[n] != b[n]; });
  const PortIndex plus = 2 * axis, minus = plus + 1;
  const Distances d = distances(topology_, axis, a[axis], b[axis]);
  const bool up_first = d.up != d.down ? d.up < d.down : a[axis] % 2 == 0;
  for (const bool up : {up_first, !up_first}) {
    const PortIndex port = up ? plus : minus;
    const std::uint32_t hops = up ? d.up : d.down;
    if (!is_alive(topology_, dead, from, port, hops)) continue;
    const bool done_with_end = topology_.wraps() && !crosses_end(topology_, port, a[axis], hops);
    return {port, static_cast<std::uint8_t>(done_with_end ? 1 : 0), 0};
  }
  return {};
}

// A way that ends on the way is none.
void Routes::drop_broken_ways() {
  for (std::uint32_t to = 0; to < chips_; ++to) {
    for (bool changed = true; changed;) {
      changed = false;
      for (std::uint32_t node = 0; node < topology_.nodes(); ++node) {
        Way& here = at(node, to);
        if (!here.exists()) continue;
        const std::uint32_t next = *topology_.neighbour(node, here.port);
        if (next == to || way(next, to).exists()) continue;
        here = {};
        changed = true;
      }
    }
  }
}

void Routes::find_minimal(const DeadLinks& dead) {
  for (std::uint32_t from = 0; from < chips_; ++from) {
    for (std::uint32_t to = 0; to < chips_; ++to) {
      const auto a = topology_.at(from), b = topology_.at(to);
      for (unsigned axis = 0; axis < 3; ++axis) {
        if (a[axis] == b[axis]) continue;
        const Distances d = distances(topology_, axis, a[axis], b[axis]);
        for (const bool up : {true, false}) {
          if ((up ? d.up : d.down) != std::min(d.up, d.down)) continue;
          const PortIndex port = 2 * axis + (up ? 0 : 1);
          const std::uint32_t next = *topology_.neighbour(from, port);
          if (dead.count({from, port}) == 0 && (next == to || way(next, to).exists()))
            at(from, to).minimal |= 1U << port;
        }
      }
    }
  }
}

std::uint32_t Routes::hops(std::uint32_t from, std::uint32_t to) const {
  std::uint32_t count = 0;
  for (std::uint32_t node = from; node != to; ++count) {
    TAHOMA_INVARIANT(way(node, to).exists() && count < topology_.nodes(), "a way that does not arrive");
    node = *topology_.neighbour(node, way(node, to).port);
  }
  return count;
}

}  // namespace tahoma::model
