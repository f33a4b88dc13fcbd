// SPDX-License-Identifier: Apache-2.0
// The port in SystemVerilog on a wire that corrupts and loses words: every message still arrives once,
// complete, and in the order in which it was sent.
#include <catch2/catch.hpp>
#include <deque>
#include <random>

#include "model/rtl/link/stepped_link.h"
#include "tests/rtl/link_traffic.h"
#include "tests/rtl/tested_link.h"

using namespace tahoma;
using tests::LinkTraffic;

namespace {

void check_delivery(double errors, std::uint64_t messages) {
  const auto pins = rtl::verilated_link_port("port");
  LinkTraffic traffic(*pins, {.errors = errors, .seed = 3});
  traffic.run(messages);
  CHECK(traffic.delivered() == messages);
  CHECK(traffic.mistakes() == 0);
  if (errors > 0) CHECK(traffic.damaged() > messages / 100);
  CHECK((traffic.repeated() > 0) == (errors > 0));
}

}  // namespace

TEST_CASE("link port: on a sound wire nothing is sent twice", "[rtl][link]") { check_delivery(0, 20'000); }

TEST_CASE("link port: with one word in 1,000 damaged every message arrives once and in order",
          "[rtl][link]") {
  check_delivery(1e-3, 20'000);
}

TEST_CASE("link port: with one word in 50 damaged every message arrives once and in order", "[rtl][link]") {
  check_delivery(2e-2, 5'000);
}

TEST_CASE("link port: a link of messages that are swapped or lost is found out", "[rtl][link]") {
  const auto pins = rtl::verilated_link_port("port");
  LinkTraffic traffic(*pins, {.errors = 0, .seed = 3, .confuse = true});
  traffic.run(1'000);
  CHECK(traffic.mistakes() > 0);
}
