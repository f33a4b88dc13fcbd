// SPDX-License-Identifier: Apache-2.0
// Random traffic through port and ring, which count the lines and bits that it reaches: coverage.py reads the
// file.
extern "C" int sc_main(int, char**) { return 1; }  // libsystemc refers to it
#include <iostream>

#include "tests/rtl/link_traffic.h"
#include "tests/rtl/ring_traffic.h"
#include "tests/rtl/tested_link.h"
#include "tests/rtl/tested_ring.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;

namespace {

void cover_link(const std::string& file) {
  const auto pins = tests::tested_link();
  tests::LinkTraffic(*pins, {.errors = 0, .seed = 1}).run(2'000);
  tests::LinkTraffic(*pins, {.errors = 2e-3, .seed = 2}).run(20'000);
  // A frame fits the retry buffer; a message of many frames may be as long as its word count allows.
  tests::LinkTraffic(*pins, {.errors = 1e-4, .seed = 3, .frame_words = 0x5A5A, .largest = 900}).run(500);
  tests::LinkTraffic(*pins,
                     {.errors = 0, .seed = 5, .frame_words = 405, .largest = 60'000, .timeout = 0x5A5A})
      .run(16);
  tests::LinkTraffic(*pins, {.errors = 0, .seed = 4, .frame_words = 1, .flight = 500, .timeout = 0xA5A5})
      .run(2'000);
  // A rare sender detects a word lost at the very end only by a timeout.
  tests::LinkTraffic(*pins, {.errors = 2e-2, .seed = 6, .idle = 20'000, .flight = 20, .timeout = 0x15A})
      .run(300);
  pins->write_coverage(file);
}

void cover_ring(const std::string& file) {
  const auto pins = tests::tested_ring();
  model::DmaParams params = tests::default_machine().chip.core.dma;
  tests::RingTraffic traffic(*pins, params, 1);
  traffic.run(8'000, [&] { return traffic.random_work(); });
  params.element_overhead = {200};
  params.packet_overhead = {85};
  params.semaphore_element = {170};
  params.semaphore_write = {params.semaphore_return.fs + 200'000'000};
  tests::RingTraffic slow(*pins, params, 2);
  slow.run(300, [&] { return slow.random_work(); });
  // Packets of the maximum size, and every number of rows in an element.
  params.element_overhead = {55};
  params.packet_overhead = {170};
  params.semaphore_element = {85};
  params.packet = {1 << 20};
  params.packet_elements = 65'536;
  for (const std::uint64_t rows : {101, 26, 128}) {
    params.element_rows = rows;
    tests::RingTraffic wide(*pins, params, rows);
    wide.run(120, [&] { return wide.wide_work(); });
  }
  pins->write_coverage(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: protocol_coverage FILE-OF-THE-PORT FILE-OF-THE-RING\n";
    return 2;
  }
  cover_link(argv[1]);
  cover_ring(argv[2]);
}
