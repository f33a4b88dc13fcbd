// SPDX-License-Identifier: Apache-2.0
// Overlapping operands: they are refused if the result would depend on the order of elements; in-place use is
// accepted.
#include <catch2/catch.hpp>

#include "isa/text/assembler.h"
#include "isa/validate/validate.h"
#include "tests/support/program/refused.h"

using namespace tahoma::isa;
using tahoma::tests::check_accepted, tahoma::tests::check_refused;

namespace {

std::string copy(const std::string& dst, const std::string& src) {
  return "vector:\ntensor_copy shape=8x4x8 dst=" + dst + " src=" + src;
}

}  // namespace

TEST_CASE("overlap: one tile for destination and source is in place, tiles apart are apart", "[isa]") {
  const char* const legal[] = {
      "sbuf[0, 0x0]:bf16|sbuf[0, 0x0]:bf16",                        // in place
      "sbuf[0, 0x40]:bf16|sbuf[0, 0x0]:bf16",                       // next to each other
      "sbuf[32, 0x10]:bf16|sbuf[0, 0x0]:bf16",                      // other partitions
      "psum[0, 0x10]:bf16|sbuf[0, 0x0]:bf16",                       // another memory
      "sbuf[0, 0x2]:bf16:(0,0,16,2)|sbuf[0, 0x0]:bf16:(0,0,16,2)",  // interleaved
  };
  for (const std::string tiles : legal) {
    INFO(tiles);
    const std::size_t gap = tiles.find('|');
    CHECK_NOTHROW(validate(assemble(copy(tiles.substr(0, gap), tiles.substr(gap + 1)), "t"), {}));
  }
}

TEST_CASE("overlap: anything else is refused, byte by byte", "[isa]") {
  const char* const illegal[] = {
      "sbuf[0, 0x2]:bf16|sbuf[0, 0x0]:bf16",                         // one element further on
      "sbuf[0, 0x0]:fp32|sbuf[0, 0x0]:bf16",                         // another dtype
      "sbuf[0, 0x0]:bf16:(0,0,1,4)|sbuf[0, 0x0]:bf16",               // another order
      "sbuf[0, 0x0]:bf16:(0,0,8,0)|sbuf[0, 0x400]:bf16",             // several elements at one place
      "sbuf[0, 0xe]:bf16:(0,0,16,-1)|sbuf[0, 0x0]:bf16:(0,0,16,2)",  // strided, sharing some
  };
  for (const std::string tiles : illegal) {
    INFO(tiles);
    const std::size_t gap = tiles.find('|');
    check_refused(copy(tiles.substr(0, gap), tiles.substr(gap + 1)), "E-ISA-044", "vector[0] tensor_copy",
                  "expected");
  }
  check_refused(
      "scalar:\nactivation_reduce shape=8x16 dst=sbuf[0, 0x0]:fp32 sum=sbuf[0, 0x3c]:fp32 src=sbuf[0, "
      "0x400]:fp32 func=exp scale=1",
      "E-ISA-044", "scalar[0] activation_reduce", "two destinations");
}

TEST_CASE("overlap: of two results, one may be discarded into a single element", "[isa]") {
  const std::string reduce =
      "scalar:\nactivation_reduce shape=8x16 src=sbuf[0, 0x400]:fp32 func=exp scale=1 dst=sbuf[0, "
      "0x0]:fp32:(0,0,0,0) ";
  check_accepted(reduce + "sum=sbuf[0, 0x40]:fp32");
  check_refused(reduce + "sum=sbuf[0, 0x0]:fp32", "E-ISA-044", "scalar[0] activation_reduce",
                "two destinations");
}

TEST_CASE("overlap: a result may take the place of a source that the instruction has read by then", "[isa]") {
  const std::string reduce =
      "vector:\ntensor_reduce op=max axes=1 src=sbuf[0, 0x0]:fp32 dst=sbuf[0, 0x4]:fp32 shape=";
  check_accepted(reduce + "8x16");
  check_refused(reduce + "8x2x8", "E-ISA-044", "vector[0] tensor_reduce", "overlap");  // two results
}
