// SPDX-License-Identifier: Apache-2.0
// Random traffic through blocks that count the lines and bits that it reaches: coverage.py reads the file.
#include <Vcovered_numbers.h>
#include <verilated_cov.h>

#include <iostream>

#include "model/rtl/array/array_gates.h"
#include "tests/support/bench/array_traffic.h"

extern "C" int sc_main(int, char**) { return 1; }  // libsystemc refers to it

namespace tahoma::rtl {
std::unique_ptr<ArrayGates> make_covered();
}

namespace {

using namespace tahoma;

void write_numbers(const std::string& path) {
  constexpr int kNumbers = 100'000;
  VerilatedContext context;
  Vcovered_numbers gates(&context, "numbers");
  tests::RandomElements random(5);
  for (int i = 0; i < kNumbers; ++i) {
    const rtl::Format a = random.format(), b = random.format();
    gates.present = !random.one_in(8);
    gates.turn = random.one_in(8);
    gates.is_double = !gates.turn && tests::is_fp8(a) && tests::is_fp8(b);
    gates.a_format = static_cast<std::uint8_t>(gates.turn ? rtl::Format::kBits : a);
    gates.b_format = static_cast<std::uint8_t>(b);
    const tests::Pattern pattern = random.pattern();
    gates.a_bits = random.element(a, pattern);
    gates.b_bits = random.element(b, pattern);
    gates.addend_bits = random.element_of(tests::bits_of(rtl::Format::kFp32Half), random.pattern());
    gates.eval();
  }
  context.coveragep()->write(path.c_str());
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: rtl_coverage FILE-OF-THE-ARRAY FILE-OF-THE-NUMBERS\n";
    return 2;
  }
  constexpr std::uint64_t kRows = 20'000;
  const auto gates = tahoma::rtl::make_covered();
  tahoma::tests::ArrayTraffic(*gates, 3).run(kRows);
  gates->write_coverage(argv[1]);
  write_numbers(argv[2]);
}
