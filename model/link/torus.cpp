// SPDX-License-Identifier: Apache-2.0
#include "model/link/torus.h"

#include <algorithm>

#include "model/base/error.h"

namespace tahoma::model {
namespace {

std::array<std::uint32_t, 3> axes(const Coordinates& c) { return {c.x, c.y, c.z}; }

}  // namespace

std::string_view name_of(Port port) {
  constexpr std::array<std::string_view, kPorts> kNames{"xp", "xm", "yp", "ym", "zp", "zm"};
  return kNames[static_cast<std::size_t>(port)];
}

Coordinates Torus::at(std::uint32_t chip) const {
  return {chip % size_[0], chip / size_[0] % size_[1], chip / size_[0] / size_[1]};
}

std::uint32_t Torus::neighbour(std::uint32_t from, Port port) const {
  auto c = axes(at(from));
  const unsigned axis = axis_of(port);
  const std::uint32_t n = size_[axis];
  c[axis] = (c[axis] + (static_cast<unsigned>(port) % 2 == 0 ? 1 : n - 1)) % n;
  return chip({c[0], c[1], c[2]});
}

Port Torus::route(std::uint32_t from, std::uint32_t to) const {
  const auto a = axes(at(from)), b = axes(at(to));
  for (unsigned axis = 0; axis < 3; ++axis) {
    if (a[axis] == b[axis]) continue;
    const std::uint32_t n = size_[axis];
    const std::uint32_t up = (b[axis] + n - a[axis]) % n, down = n - up;
    const bool plus = up != down ? up < down : n == 2 || a[axis] % 2 == 0;
    return static_cast<Port>(2 * axis + (plus ? 0 : 1));
  }
  TAHOMA_INVARIANT(false, "a packet is routed to the chip it is on");
}

std::uint32_t Torus::hops(std::uint32_t from, std::uint32_t to) const {
  const auto a = axes(at(from)), b = axes(at(to));
  std::uint32_t total = 0;
  for (unsigned axis = 0; axis < 3; ++axis) {
    const std::uint32_t up = (b[axis] + size_[axis] - a[axis]) % size_[axis];
    total += std::min(up, size_[axis] - up);
  }
  return total;
}

}  // namespace tahoma::model
