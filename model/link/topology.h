// SPDX-License-Identifier: Apache-2.0
// The geometry of a fabric: its nodes, their ports, and who is behind which. Pure arithmetic.
//
// Nodes are the chips in the order of their numbers and, in a switched fabric, the switch behind the last of
// them. A grid's chip has a port for each direction of each axis; a chip on a switch has one, `up`, and the
// switch one for each chip.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "model/link/link_params.h"

namespace tahoma::model {

struct Coordinates {
  std::uint32_t x = 0, y = 0, z = 0;
  friend bool operator==(const Coordinates&, const Coordinates&) = default;
};

using PortIndex = std::uint32_t;
inline constexpr PortIndex kGridPorts = 6;  // xp, xm, yp, ym, zp, zm
constexpr unsigned axis_of(PortIndex port) { return port / 2; }
constexpr bool is_plus(PortIndex port) { return port % 2 == 0; }

class Topology {
 public:
  Topology(FabricKind kind, const Coordinates& size);

  FabricKind kind() const { return kind_; }
  bool is_grid() const { return kind_ != FabricKind::kSwitched; }
  bool wraps() const { return kind_ == FabricKind::kTorus || kind_ == FabricKind::kRing; }
  std::uint32_t chips() const { return size_[0] * size_[1] * size_[2]; }
  std::uint32_t nodes() const { return chips() + (is_grid() ? 0 : 1); }
  std::uint32_t size(unsigned axis) const { return size_[axis]; }

  // Places on the grid; a ring lies along x.
  std::array<std::uint32_t, 3> at(std::uint32_t chip) const;
  std::uint32_t chip(const std::array<std::uint32_t, 3>& place) const {
    return place[0] + size_[0] * (place[1] + size_[1] * place[2]);
  }

  PortIndex ports(std::uint32_t node) const;
  std::string port_name(std::uint32_t node, PortIndex port) const;  // "xp", "up", "down07"
  char axis_name(PortIndex port) const;                             // 'x', 'y', 'z'; 's': to or from a switch
  // Who is behind the port; nobody where the fabric has none. An axis of 1 has no links; on a ring of 2 both
  // directions would reach the same chip over the same cable, so only the plus port exists.
  std::optional<std::uint32_t> neighbour(std::uint32_t node, PortIndex port) const;

 private:
  FabricKind kind_;
  std::array<std::uint32_t, 3> size_;
};

}  // namespace tahoma::model
