// SPDX-License-Identifier: Apache-2.0
// The entry points of libFuzzer. TAHOMA_FUZZ_PARSER names the parser (parsers.cpp).
#include <cstdint>
#include <cstdlib>
#include <iostream>

#include "tests/fuzz/parsers/parsers.h"

namespace {
const tahoma::fuzz::Parser* chosen = nullptr;
}  // namespace

extern "C" int sc_main(int, char**) { return EXIT_FAILURE; }  // libsystemc refers to it

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  const char* name = std::getenv("TAHOMA_FUZZ_PARSER");
  chosen = name == nullptr ? nullptr : tahoma::fuzz::parser_called(name);
  if (chosen != nullptr) return 0;
  std::cerr << "TAHOMA_FUZZ_PARSER: expected one of";
  for (const auto& parser : tahoma::fuzz::parsers()) std::cerr << ' ' << parser.name;
  std::cerr << '\n';
  std::exit(2);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static_cast<void>(tahoma::fuzz::is_refused(*chosen, {reinterpret_cast<const char*>(data), size}));
  return 0;
}
