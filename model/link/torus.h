// SPDX-License-Identifier: Apache-2.0
// The geometry of a torus: which chip is where, who its neighbours are, and which way a packet leaves. Pure
// arithmetic.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace tahoma::model {

struct Coordinates {
  std::uint32_t x = 0, y = 0, z = 0;
  friend bool operator==(const Coordinates&, const Coordinates&) = default;
};

// The six ports of a chip.
enum class Port : std::uint8_t { kXPlus, kXMinus, kYPlus, kYMinus, kZPlus, kZMinus };
inline constexpr std::size_t kPorts = 6;
std::string_view name_of(Port port);  // "xp", "xm", ...
inline unsigned axis_of(Port port) { return static_cast<unsigned>(port) / 2; }

class Torus {
 public:
  Torus(std::uint32_t x, std::uint32_t y, std::uint32_t z) : size_{x, y, z} {}

  std::uint32_t chips() const { return size_[0] * size_[1] * size_[2]; }
  Coordinates at(std::uint32_t chip) const;
  std::uint32_t chip(const Coordinates& c) const { return c.x + size_[0] * (c.y + size_[1] * c.z); }

  // An axis of 1 has no links; on an axis of 2 both directions would reach the same chip over the same cable,
  // so only the plus port exists.
  bool has(Port port) const { return size_[axis_of(port)] > (static_cast<unsigned>(port) % 2 == 0 ? 1 : 2); }
  std::uint32_t neighbour(std::uint32_t chip, Port port) const;

  // Dimension order x, y, z, the shorter way round. Half way round both ways are as long: chips at an even
  // coordinate go up, at an odd one down, which spreads such traffic over both. Requires from != to.
  Port route(std::uint32_t from, std::uint32_t to) const;
  std::uint32_t hops(std::uint32_t from, std::uint32_t to) const;

 private:
  std::array<std::uint32_t, 3> size_;
};

}  // namespace tahoma::model
