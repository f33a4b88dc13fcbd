// SPDX-License-Identifier: Apache-2.0
// Random traffic through port and ring, which count the lines and bits that it reaches: coverage.py reads the
// file.
extern "C" int sc_main(int, char**) { return 1; }  // libsystemc asks for it
#include <iostream>

#include "tests/rtl/link_traffic.h"
#include "tests/rtl/ring_traffic.h"
#include "tests/rtl/tested_link.h"
#include "tests/rtl/tested_ring.h"
#include "tests/support/machine_fixture.h"

using namespace tahoma;

namespace {

void cover_link(const std::string& file) {
  const auto pins = tests::tested_link();
  tests::LinkTraffic(*pins, {.errors = 0, .seed = 1}).run(2'000);
  tests::LinkTraffic(*pins, {.errors = 2e-3, .seed = 2}).run(20'000);
  tests::LinkTraffic(*pins, {.errors = 1e-4, .seed = 3, .frame_words = 0x5A5A, .largest = 3'000}).run(500);
  tests::LinkTraffic(*pins, {.errors = 0, .seed = 4, .frame_words = 1, .flight = 500}).run(2'000);
  pins->write_coverage(file);
}

void cover_ring(const std::string& file) {
  const auto pins = tests::tested_ring();
  model::DmaParams params = tests::default_machine().chip.core.dma;
  tests::RingTraffic traffic(*pins, params, 1);
  traffic.run(10'000, [&] { return traffic.random_work(); });
  params.element_overhead = {200};
  params.packet_overhead = {85};
  params.semaphore_element = {170};
  params.semaphore_write = {params.semaphore_return.fs + 200'000'000};
  tests::RingTraffic slow(*pins, params, 2);
  slow.run(2'000, [&] { return slow.random_work(); });
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
