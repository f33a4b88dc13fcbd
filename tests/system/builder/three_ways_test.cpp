// SPDX-License-Identifier: Apache-2.0
// The C++ side of tests/nki/three_ways: the same kernel in NKI, in assembler and with runtime::Kernel.
#include <catch2/catch.hpp>
#include <string>

#include "isa/text/assembler.h"
#include "runtime/builder/kernel.h"
#include "runtime/host/text/whole_file.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;

TEST_CASE("three ways: a kernel in C++ gives the instructions of its assembler text", "[kernel]") {
  constexpr std::size_t kRows = 128, kColumns = 1000;
  runtime::Kernel kernel("vector_add", tests::default_machine());
  const auto argument = [&](const char* name) {
    return kernel.argument(name, isa::DType::kFp32, kRows, kColumns);
  };
  const auto tile = [&](const char* name) {
    return kernel.take(kernel.sbuf(name, isa::DType::kFp32, kColumns, 1), kRows, kColumns);
  };
  const runtime::HbmView a = argument("a"), b = argument("b"), y = argument("y");
  const runtime::TileView a_tile = tile("a"), b_tile = tile("b"), y_tile = tile("y");
  kernel.load(a_tile, a, isa::Queue::kSync);
  kernel.load(b_tile, b, isa::Queue::kSync);
  kernel.tensor_tensor(y_tile, a_tile, b_tile, isa::AluOp::kAdd);
  kernel.store(y, y_tile, isa::Queue::kGpSimd);
  // The builder gives dimensions of one element the stride of a row; the text leaves dense strides out.
  const std::string dense = ":(1000,1000,1000,1)";
  std::string got = isa::disassemble(kernel.finish());
  for (std::size_t at = got.find(dense); at != std::string::npos; at = got.find(dense))
    got.erase(at, dense.size());
  const std::string file = TAHOMA_SOURCE_DIR "/tests/nki/three_ways/vector_add.tasm";
  CHECK(got == isa::disassemble(isa::assemble(runtime::read_file(file), file)));
}
