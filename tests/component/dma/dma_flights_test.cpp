// SPDX-License-Identifier: Apache-2.0
// Windows and the packets of one engine between issue and end, without a machine.
#include "model/engine/dma/dma_flights.h"

#include <catch2/catch.hpp>
#include <random>

#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::Duration, base::kNever, base::Time;
using model::DmaFlight, model::DmaFlights, model::DmaWindow;

namespace {

model::DmaParams params() { return tests::default_machine().chip.core.dma; }

Time at(std::int64_t ns) { return Duration{ns * 1'000'000}; }

DmaFlight& issue(DmaFlights& flights, Time t, Duration cost, bool to_hbm = false) {
  DmaFlight& f = flights.issue(t, 4096, cost, Duration{0});
  f.to_hbm = to_hbm;
  return f;
}
DmaFlight& issue_read(DmaFlights& flights, Time t, Duration cost) {
  DmaFlight& f = issue(flights, t, cost);
  f.unanswered = 1;
  return f;
}

}  // namespace

TEST_CASE("dma window: it is open below its bounds, and again when the oldest lets go", "[dma]") {
  DmaWindow window(8_KiB, 3);
  CHECK(window.open() == at(0));
  window.enter(at(10), 4096);
  CHECK(window.open() == at(0));  // one more byte than the bound would still be admitted
  window.enter(at(20), 5000);
  CHECK(window.open() == kNever);
  window.leave(at(100));
  CHECK(window.open() == at(100));
  window.enter(at(100), 0);
  window.enter(at(100), 0);
  CHECK(window.open() == kNever);  // three packets
  window.leave(at(90));            // in order: not before its predecessor
  CHECK(window.open() == at(100));
  window.enter(at(200), 0);
  window.leave(at(300));
  CHECK(window.open() == at(300));
}

TEST_CASE("dma window: a packet larger than the bound enters an empty one", "[dma]") {
  DmaWindow window(1_B, 8);
  window.enter(at(0), 4096);
  CHECK(window.open() == kNever);
  window.leave(at(5));
  CHECK(window.open() == at(5));
}

TEST_CASE("dma flights: packets back to back are read back to back at any latency", "[dma]") {
  const auto p = params();
  const Duration overlap = base::Clock(p.clock).length(p.read_overlap);
  model::FlightPool pool;
  DmaFlights flights(p, pool);
  for (int n = 0; n < 20; ++n) {
    DmaFlight& f = issue_read(flights, at(100 * n), 100_ns);
    flights.have_read(f.tag, at(100 * n + 50), at(100 * n + 60));
    DmaFlight* read = flights.next_read();
    REQUIRE(read != nullptr);
    CHECK(read->start == at(100 * n + 50));
    CHECK(read->read == at(100 * n + 150) + overlap);
    REQUIRE(flights.next_handed_on() == read);
    CHECK(read->handed_on == read->read);
    REQUIRE(flights.oldest_over() == read);
    flights.drop_oldest();
  }
  CHECK(flights.empty());
}

TEST_CASE("dma flights: simultaneous arrivals are read one after the other, and not before their last data",
          "[dma]") {
  const auto p = params();
  const Duration overlap = base::Clock(p.clock).length(p.read_overlap);
  model::FlightPool pool;
  DmaFlights flights(p, pool);
  std::vector<std::uint32_t> tags;
  for (int n = 0; n < 3; ++n) tags.push_back(issue_read(flights, at(10 * n), 10_ns).tag);
  flights.have_read(tags[2], at(500), at(505));
  flights.have_read(tags[1], at(490), at(500));
  CHECK(flights.next_read() == nullptr);  // the first one has not arrived
  flights.have_read(tags[0], at(480), at(530));
  CHECK(flights.next_read()->read == at(530) + overlap);
  CHECK(flights.next_read()->read == at(540) + overlap);
  CHECK(flights.next_read()->read == at(550) + overlap);
  CHECK(flights.next_read() == nullptr);
}

TEST_CASE("dma flights: a packet waits for all its reads, and stays until its write is accepted", "[dma]") {
  model::FlightPool pool;
  DmaFlights flights(params(), pool);
  DmaFlight& f = issue(flights, at(0), 10_ns, true);
  f.unanswered = 2;
  flights.have_read(f.tag, at(100), at(110));
  CHECK(flights.next_read() == nullptr);
  flights.have_read(f.tag, at(70), at(300));
  REQUIRE(flights.next_read() == &f);
  CHECK(f.start == at(100));
  REQUIRE(flights.next_handed_on() == &f);
  CHECK(flights.oldest_over() == nullptr);
  flights.have_written(f.tag, 20_ns, at(400));
  REQUIRE(flights.oldest_over() == &f);
  CHECK(f.held == 20_ns);
}

TEST_CASE("dma flights: a full write window holds packets back, and they the reads", "[dma]") {
  auto p = params();
  p.read_packets = 2;
  p.write_packets = 1;
  model::FlightPool pool;
  DmaFlights flights(p, pool);
  const std::uint32_t first = issue(flights, at(0), 10_ns, true).tag;
  issue(flights, at(10), 10_ns, true);
  while (flights.next_read() != nullptr) {
  }
  REQUIRE(flights.next_handed_on() != nullptr);
  CHECK(flights.next_handed_on() == nullptr);
  CHECK(flights.open() < at(20));  // the first has been passed on
  issue(flights, at(20), 10_ns, true);
  CHECK(flights.open() == kNever);  // that depends on the second one
  flights.have_written(first, 0_ns, at(1000));
  REQUIRE(flights.oldest_over() != nullptr);
  flights.drop_oldest();
  DmaFlight* second = flights.next_handed_on();
  REQUIRE(second != nullptr);
  CHECK(second->handed_on == at(1000));
  CHECK(flights.open() == at(1000));
}

TEST_CASE("dma flights: a cold read holds up everything behind it", "[dma]") {
  model::FlightPool pool;
  DmaFlights flights(params(), pool);
  flights.issue(at(0), 4096, 10_ns, 800_ns);
  issue(flights, at(810), 10_ns);
  CHECK(flights.next_read()->start == at(0));
  CHECK(flights.next_read()->start == at(810));
}

TEST_CASE("dma flights: no packet is read before its reported earliest time", "[dma]") {
  model::FlightPool pool;
  DmaFlights flights(params(), pool);
  std::mt19937_64 random(1);
  std::vector<Time> earliest;
  unsigned exact = 0, later = 0;
  Time now = at(0);
  for (std::size_t n = 0, read = 0; n < 2000; ++n) {
    now += Duration{static_cast<std::int64_t>(random() % 300) * 1'000'000};
    DmaFlight& f = flights.issue(now, 4096, Duration{static_cast<std::int64_t>(random() % 100) * 1'000'000},
                                 random() % 10 == 0 ? 800_ns : 0_ns);
    earliest.push_back(flights.youngest_needed());
    f.unanswered = 1;
    const Duration latency{static_cast<std::int64_t>(random() % 3 * 400) * 1'000'000};
    flights.have_read(f.tag, now + latency, now + latency * 2);
    if (random() % 3 == 0) continue;  // its answer is examined later, together with others
    for (DmaFlight* each = flights.next_read(); each != nullptr; each = flights.next_read(), ++read) {
      CHECK(each->read >= earliest[read]);
      ++(each->read == earliest[read] ? exact : later);
      flights.next_handed_on();
    }
    while (flights.oldest_over() != nullptr) flights.drop_oldest();
  }
  CHECK(exact > 100);  // the bound must be tight often enough
  CHECK(later > 100);
}

TEST_CASE("dma windows: the assumed ones let an engine stream at its full rate from either die", "[dma]") {
  const auto machine = tests::default_machine();
  const auto& p = machine.chip.core.dma;
  const base::Clock clock(p.clock);
  const Duration latency =
      tests::unloaded_read(machine) + machine.chip.noc.cross_die + clock.length(p.read_overlap);
  for (std::uint64_t bytes = 4; bytes <= p.packet.count; bytes += 4) {
    const Duration cost = clock.length({static_cast<std::int64_t>((bytes + 31) / 32) + 4});
    const auto window = (p.read_window.count + bytes - 1) / bytes;
    const auto packets = static_cast<std::int64_t>(std::min(window, p.read_packets));
    CHECK(cost * packets >= latency + cost);
  }
}
