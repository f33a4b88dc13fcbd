// SPDX-License-Identifier: Apache-2.0
// Random traffic through blocks that count which lines and bits it reaches: coverage.py reads the file.
#include <iostream>

#include "model/rtl/array_gates.h"
#include "tests/support/array_traffic.h"

namespace tahoma::rtl {
std::unique_ptr<ArrayGates> make_covered();
}

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: rtl_coverage FILE\n";
    return 2;
  }
  constexpr std::uint64_t kRows = 20'000;
  const auto gates = tahoma::rtl::make_covered();
  tahoma::tests::ArrayTraffic(*gates, 3).run(kRows);
  gates->write_coverage(argv[1]);
}
