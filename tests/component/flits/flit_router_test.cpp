// SPDX-License-Identifier: Apache-2.0
// One router, cycle by cycle.
#include "model/link/flits/flit_router.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <map>
#include <vector>

#include "model/base/error.h"

using namespace tahoma;
using model::Flit, model::FlitRouter, model::FlitWay;

namespace {

constexpr std::uint32_t kVcs = 2, kRoom = 4;

// Three inputs and outputs. A packet's destination is its output; it may take every virtual channel.
FlitRouter router() {
  return FlitRouter({3, 3, kVcs, kRoom}, [](std::uint32_t, const Flit& head) {
    return FlitWay{sim::info_of(*head.packet).to_chip, 0, kVcs};
  });
}

sim::Payload* packet_to(sim::PayloadPool& pool, std::uint32_t output) {
  sim::Payload* packet = pool.take(tlm::TLM_WRITE_COMMAND, 0, 0);
  sim::info_of(*packet).to_chip = output;
  return packet;
}

void arrive(FlitRouter& router, std::uint32_t input, std::uint8_t vc, sim::Payload* packet, unsigned flits) {
  for (unsigned n = 0; n < flits; ++n) router.arrive(input, {packet, vc, n == 0, n + 1 == flits});
}

}  // namespace

TEST_CASE("flit router: a flit wins the switch in the third cycle, after route and virtual channel",
          "[link]") {
  sim::PayloadPool pool;
  FlitRouter r = router();
  arrive(r, 0, 1, packet_to(pool, 2), 1);
  CHECK(r.step().empty());
  CHECK(r.step().empty());
  const auto& departures = r.step();
  REQUIRE(departures.size() == 1);
  CHECK(departures[0].input == 0);
  CHECK(departures[0].input_vc == 1);
  CHECK(departures[0].output == 2);
  CHECK(r.empty());
}

TEST_CASE("flit router: one virtual channel accepts a packet of n flits in n + 2 cycles", "[link]") {
  for (const unsigned flits : {1U, 2U, 4U}) {
    sim::PayloadPool pool;
    FlitRouter r = router();
    unsigned arrived = 0, left = 0;
    constexpr unsigned kPackets = 5;
    sim::Payload* packet = packet_to(pool, 0);
    for (unsigned cycle = 0; cycle < kPackets * (flits + 2); ++cycle) {
      for (; arrived < kPackets * flits && arrived - left < kRoom; ++arrived)
        r.arrive(1, {packet, 0, arrived % flits == 0, (arrived + 1) % flits == 0});
      for (const FlitRouter::Departure& d : r.step()) {
        ++left;
        r.credit(d.output, d.flit.vc);
      }
      const unsigned in_packet = (cycle + 1) % (flits + 2);
      CHECK(left == (cycle + 1) / (flits + 2) * flits + (in_packet > 2 ? in_packet - 2 : 0));
    }
    CHECK(left == kPackets * flits);
    CHECK(r.at_rest());
  }
}

TEST_CASE("flit router: without credits as many flits leave as the next buffer has room for", "[link]") {
  sim::PayloadPool pool;
  FlitRouter r = router();
  sim::Payload* packet = packet_to(pool, 1);
  unsigned arrived = 0;
  std::map<unsigned, unsigned> left;  // by virtual channel
  unsigned total = 0;
  for (int cycle = 0; cycle < 50; ++cycle) {
    for (; arrived - total < kRoom; ++arrived) r.arrive(0, {packet, 0, arrived == 0, false});
    for (const FlitRouter::Departure& d : r.step()) {
      ++left[d.flit.vc];
      ++total;
    }
  }
  CHECK(left == std::map<unsigned, unsigned>{{left.begin()->first, kRoom}});
  CHECK(r.starved() == std::vector<std::uint32_t>{1});
  r.credit(1, static_cast<std::uint8_t>(left.begin()->first));
  CHECK(r.step().size() == 1);
  CHECK(r.starved().empty());
}

TEST_CASE("flit router: the packets of a virtual channel never mix", "[link]") {
  sim::PayloadPool pool;
  FlitRouter r = router();
  std::map<std::pair<std::uint32_t, unsigned>, const sim::Payload*> on;  // by output and virtual channel
  unsigned done = 0;
  for (std::uint32_t input = 0; input < 3; ++input)
    for (std::uint8_t vc = 0; vc < kVcs; ++vc) arrive(r, input, vc, packet_to(pool, 0), kRoom);
  for (int cycle = 0; cycle < 60; ++cycle)
    for (const FlitRouter::Departure& d : r.step()) {
      const sim::Payload*& here = on[{d.output, d.flit.vc}];
      REQUIRE(d.flit.head == (here == nullptr));
      if (!d.flit.head) REQUIRE(here == d.flit.packet);
      here = d.flit.tail ? nullptr : d.flit.packet;
      done += d.flit.tail ? 1 : 0;
      r.credit(d.output, d.flit.vc);
    }
  CHECK(done == 3 * kVcs);
  CHECK(r.at_rest());
}

TEST_CASE(
    "flit router: an input and an output pass one flit a cycle, and inputs that compete get equal shares",
    "[link]") {
  sim::PayloadPool pool;
  FlitRouter r = router();
  std::map<std::uint32_t, unsigned> arrived, left;  // flits by input
  constexpr unsigned kCycles = 300;
  std::vector<sim::Payload*> packets{packet_to(pool, 2), packet_to(pool, 2), packet_to(pool, 2)};
  for (unsigned cycle = 0; cycle < kCycles; ++cycle) {
    for (std::uint32_t input = 0; input < 2; ++input)
      for (; arrived[input] - left[input] < kRoom; ++arrived[input])
        r.arrive(input, {packets[input], 0, arrived[input] == 0, false});
    const auto& departures = r.step();
    REQUIRE(departures.size() <= 1);
    for (const FlitRouter::Departure& d : departures) {
      ++left[d.input];
      r.credit(d.output, d.flit.vc);
    }
  }
  CHECK(left[0] + left[1] == kCycles - 2);
  CHECK(left[0] == left[1]);
}

TEST_CASE("flit router: a flit without a credit, a credit too many, and a body without head are defects",
          "[link]") {
  sim::PayloadPool pool;
  FlitRouter r = router();
  sim::Payload* packet = packet_to(pool, 0);
  CHECK_THROWS_AS(r.credit(0, 0), base::InvariantError);
  CHECK_THROWS_AS(r.arrive(0, {packet, 0, false, true}), base::InvariantError);
  FlitRouter full = router();
  for (unsigned n = 0; n < kRoom; ++n) full.arrive(0, {packet, 0, n == 0, false});
  CHECK_THROWS_AS(full.arrive(0, {packet, 0, false, false}), base::InvariantError);
}
