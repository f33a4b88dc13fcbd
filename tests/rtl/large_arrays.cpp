// SPDX-License-Identifier: Apache-2.0
// Random traffic through arrays of the sizes that only `scripts/test --full` builds, in lock-step with the
// law.
#include <iostream>

#include "model/rtl/array/array_gates.h"
#include "tests/support/bench/array_traffic.h"

namespace tahoma::rtl {
#define TAHOMA_ARRAY(rows, columns) std::unique_ptr<ArrayGates> make_array_##rows##x##columns();
#include "large_array_sizes.inc"
#undef TAHOMA_ARRAY
}  // namespace tahoma::rtl

extern "C" int sc_main(int, char**) { return 1; }  // libsystemc refers to it

int main() {
  using namespace tahoma;
  constexpr std::uint64_t kRows = 2'000;
  const std::vector<std::unique_ptr<rtl::ArrayGates> (*)()> arrays{
#define TAHOMA_ARRAY(rows, columns) rtl::make_array_##rows##x##columns,
#include "large_array_sizes.inc"
#undef TAHOMA_ARRAY
  };
  try {
    for (const auto make : arrays) {
      const auto gates = make();
      tests::ArrayTraffic traffic(*gates, 11);
      traffic.run(kRows);
      std::cout << gates->rows() << " x " << gates->columns() << ": " << traffic.rows_compared()
                << " rows in " << traffic.cycles() << " cycles, none differs\n";
    }
  } catch (const std::exception& difference) {
    std::cerr << difference.what() << '\n';
    return 1;
  }
}
