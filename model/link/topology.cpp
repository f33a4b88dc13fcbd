// SPDX-License-Identifier: Apache-2.0
#include "model/link/topology.h"

#include <fmt/format.h>

namespace tahoma::model {

Topology::Topology(FabricKind kind, const Coordinates& size) : kind_(kind), size_{size.x, size.y, size.z} {
  if (kind == FabricKind::kRing) size_ = {size.x * size.y * size.z, 1, 1};
}

std::array<std::uint32_t, 3> Topology::at(std::uint32_t chip) const {
  return {chip % size_[0], chip / size_[0] % size_[1], chip / size_[0] / size_[1]};
}

PortIndex Topology::ports(std::uint32_t node) const {
  if (is_grid()) return kGridPorts;
  return node == chips() ? chips() : 1;
}

std::string Topology::port_name(std::uint32_t node, PortIndex port) const {
  constexpr std::array<std::string_view, kGridPorts> kNames{"xp", "xm", "yp", "ym", "zp", "zm"};
  if (is_grid()) return std::string(kNames.at(port));
  return node == chips() ? fmt::format("down{:02}", port) : "up";
}

char Topology::axis_name(PortIndex port) const {
  return is_grid() ? static_cast<char>('x' + axis_of(port)) : 's';
}

std::optional<std::uint32_t> Topology::neighbour(std::uint32_t node, PortIndex port) const {
  if (!is_grid()) return node == chips() ? port : chips();
  auto place = at(node);
  const unsigned axis = axis_of(port);
  const std::uint32_t n = size_[axis], here = place[axis];
  if (n == 1) return std::nullopt;
  const bool at_end = here == (is_plus(port) ? n - 1 : 0);
  if (at_end && !wraps()) return std::nullopt;
  if (wraps() && n == 2 && !is_plus(port)) return std::nullopt;
  place[axis] = (here + (is_plus(port) ? 1 : n - 1)) % n;
  return chip(place);
}

}  // namespace tahoma::model
