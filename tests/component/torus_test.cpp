// SPDX-License-Identifier: Apache-2.0
#include "model/link/torus.h"

#include <catch2/catch.hpp>

using namespace tahoma::model;

TEST_CASE("torus: chip numbers are x + 4y + 16z", "[link]") {
  const Torus t(4, 4, 4);
  CHECK(t.chip({1, 2, 3}) == 1 + 4 * 2 + 16 * 3);
  for (std::uint32_t c = 0; c < t.chips(); ++c) CHECK(t.chip(t.at(c)) == c);
}

TEST_CASE("torus: going out of a port and back through its opposite returns", "[link]") {
  const Torus t(4, 3, 5);
  for (std::uint32_t c = 0; c < t.chips(); ++c)
    for (unsigned p = 0; p < kPorts; ++p)
      CHECK(t.neighbour(t.neighbour(c, static_cast<Port>(p)), static_cast<Port>(p ^ 1U)) == c);
}

TEST_CASE("torus: every route is minimal and arrives", "[link]") {
  for (const Torus& t : {Torus(4, 4, 4), Torus(4, 4, 1), Torus(2, 3, 1), Torus(5, 1, 2)})
    for (std::uint32_t a = 0; a < t.chips(); ++a)
      for (std::uint32_t b = 0; b < t.chips(); ++b) {
        std::uint32_t at = a, steps = 0;
        while (at != b) {
          const Port p = t.route(at, b);
          REQUIRE(t.has(p));
          at = t.neighbour(at, p);
          REQUIRE(++steps <= t.hops(a, b));
        }
        CHECK(steps == t.hops(a, b));
      }
}

TEST_CASE("torus: axes are taken in order x, y, z", "[link]") {
  const Torus t(4, 4, 4);
  CHECK(axis_of(t.route(t.chip({0, 0, 0}), t.chip({1, 1, 1}))) == 0);
  CHECK(axis_of(t.route(t.chip({1, 0, 0}), t.chip({1, 1, 1}))) == 1);
  CHECK(axis_of(t.route(t.chip({1, 1, 0}), t.chip({1, 1, 1}))) == 2);
}

TEST_CASE("torus: an axis of one has no ports, an axis of two one", "[link]") {
  const Torus t(2, 1, 4);
  CHECK(t.has(Port::kXPlus));
  CHECK_FALSE(t.has(Port::kXMinus));
  CHECK_FALSE(t.has(Port::kYPlus));
  CHECK(t.has(Port::kZMinus));
}
