// SPDX-License-Identifier: Apache-2.0
#include "tests/support/refused.h"

using namespace tahoma::isa;
using tahoma::tests::changed;
using tahoma::tests::check_accepted;
using tahoma::tests::check_refused;

TEST_CASE("validator: transfers stay inside on-chip memories", "[isa]") {
  const std::string head = ".args a\n.descriptor src=a:fp32 ";
  const auto count_of_zero =
      changed(head + "shape=1x1 dst=sbuf[0,0]:fp32\nsync:\ndma_copy descriptor=0", Queue::kSync,
              [](Program& p, Instruction&) { p.descriptors[0].count[2] = 0; });
  check_refused(count_of_zero, "E-ISA-029", "descriptor 0", "at least 1");
  check_accepted(head + "shape=28x57342 dst=sbuf[100, 0]:fp32");
  check_refused(head + "shape=29x1 dst=sbuf[100, 0]:fp32", "E-ISA-030", "descriptor 0", "below 128");
  check_refused(head + "shape=1x57343 dst=sbuf[0, 0]:fp32", "E-ISA-030", "descriptor 0", "0..229367");
  check_refused(head + "shape=1x2 dst=sbuf[0, 0]:fp32:(0,0,0,-1)", "E-ISA-030", "descriptor 0",
                "bytes -4..3");
  check_refused(head + "shape=1x1 dst=psum[0, 0x4000]:fp32", "E-ISA-030", "descriptor 0", "below 16384");
  check_refused(
      ".args a\n.descriptor shape=1x4294967295x4294967295 dst=sbuf[0, 0]:fp32:(0,0,2147483647,2147483647) "
      "src=a:fp32:(0,0,0,0)",
      "E-ISA-030", "descriptor 0", "4294967295 elements");
}

TEST_CASE("validator: each side of a transfer has only what its memory needs", "[isa]") {
  const std::string dma = ".args a\nsync:\ndma_copy shape=1x1 dst=sbuf[0,0]:fp32 src=a:fp32";
  const auto with = [&](auto&& change) { return changed(dma, Queue::kSync, change); };
  check_refused(with([](Program& p, Instruction&) { p.descriptors[0].src.partition = 1; }), "E-ISA-031",
                "descriptor 0", "expected 0");
  check_refused(with([](Program& p, Instruction&) { p.descriptors[0].src.offset = std::uint64_t{1} << 40; }),
                "E-ISA-031", "descriptor 0", "2^40");
  check_refused(with([](Program& p, Instruction&) { p.descriptors[0].dst.arg = 0; }), "E-ISA-031",
                "descriptor 0", "expected none");
  check_refused(dma + " dst_reg=r1", "E-ISA-031", "sync[0] dma_copy", "expected an HBM side");
  check_accepted(dma + " src_reg=r1");
  check_refused(with([](Program& p, Instruction&) { p.descriptors[0].dst.space = static_cast<Space>(3); }),
                "E-ISA-012", "descriptor 0", "no memory");
  check_refused(
      with([](Program& p, Instruction&) { p.descriptors[0].dst.dtype = static_cast<DType>(kDTypeCount); }),
      "E-ISA-014", "descriptor 0", "no dtype");
}

TEST_CASE("validator: transfers accumulate floats", "[isa]") {
  check_accepted(".args a\n.descriptor shape=1x1 dst=a:fp32 src=a:bf16 accumulate");
  check_refused(".args a\n.descriptor shape=1x1 dst=a:int32 src=a:int32 accumulate", "E-ISA-032",
                "descriptor 0", "expected a float dtype");
}

TEST_CASE("validator: a core is notified of something", "[isa]") {
  check_refused(".args a c\nsync:\ndma_copy shape=1x1 dst=sbuf[0,0]:fp32 src=a:fp32 notify=c", "E-ISA-033",
                "sync[0] dma_copy", "expected an update");
}

TEST_CASE("validator: an indirect transfer names rows of HBM for partitions of SBUF", "[isa]") {
  const std::string gather =
      ".args a\nsync:\ndma_copy shape=64x8 dst=sbuf[0,0]:bf16 src=a:bf16 indirect=gather ";
  const std::string rows = "rows=sbuf[64, 16]:int32 ", place = "sync[0] dma_copy";
  check_accepted(gather + rows + "bound=100");
  check_accepted(gather + rows + "bound=100 skip");
  check_accepted(
      ".args a\nsync:\ndma_copy shape=8x8 dst=a:bf16 src=sbuf[0,0]:bf16 indirect=scatter "
      "rows=sbuf[5,0]:uint32 "
      "bound=1");
  check_refused(gather + "bound=100", "E-ISA-035", place, "both or neither");
  check_refused(".args a\nsync:\ndma_copy shape=64x8 dst=sbuf[0,0]:bf16 src=a:bf16 " + rows, "E-ISA-035",
                place, "both or neither");
  check_refused(gather + rows, "E-ISA-040", place, "'bound' is 0");
  check_refused(".args a\nsync:\ndma_copy shape=64x8 dst=sbuf[0,0]:bf16 src=a:bf16 skip", "E-ISA-040", place,
                "names none");
  check_refused(
      ".args a\nsync:\ndma_copy shape=8x8 dst=a:bf16 src=sbuf[0,0]:bf16 indirect=gather bound=1 " + rows,
      "E-ISA-031", place, "gathers rows of HBM");
  check_refused(gather + "rows=sbuf[65, 0]:int32 bound=1", "E-ISA-009", place, "partition 128");
  check_refused(gather + "rows=sbuf[0, 229376]:int32 bound=1", "E-ISA-010", place, "'rows' covers");
  check_refused(gather + "rows=sbuf[0, 229372]:int32 bound=1", "E-ISA-036", place, "'rows' covers");
  check_refused(gather + "rows=sbuf[0, 2]:int32 bound=1", "E-ISA-011", place, "multiple of 4");
  check_refused(gather + "rows=sbuf[0, 0]:uint16 bound=1", "E-ISA-014", place, "expected int32, uint32");
  check_refused(gather + "rows=psum[0, 0]:int32 bound=1", "E-ISA-012", place, "expected sbuf");
}

TEST_CASE("validator: the sources of a sum have one destination", "[isa]") {
  const std::string head = ".args a b\n.descriptor shape=8x8 dst=sbuf[0,0]:bf16 src=a:bf16\n",
                    sum = "sync:\ndma_compute descriptor=0 sources=2 ", place = "sync[0] dma_compute";
  const std::string second = ".descriptor shape=8x8 dst=sbuf[0,0]:bf16 src=b+64:fp32\n";
  check_accepted(head + second + sum + "src_reg=r1");
  check_refused(head + sum, "E-ISA-025", place, "expected 1..16 that exist");
  for (const char* count : {"0", "17"})
    check_refused(head + "sync:\ndma_compute descriptor=0 sources=" + count, "E-ISA-025", place, "1..16");
  check_refused(head + ".descriptor shape=8x8 dst=sbuf[0,64]:bf16 src=b:bf16\n" + sum, "E-ISA-025", place,
                "another destination or shape");
  check_refused(head + ".descriptor shape=8x1x8 dst=sbuf[0,0]:bf16 src=b:bf16 accumulate\n" + sum,
                "E-ISA-025", place, "accumulates");
  check_refused(head + ".descriptor shape=8x8 dst=sbuf[0,0]:bf16 src=sbuf[0,64]:bf16\n" + sum + "src_reg=r1",
                "E-ISA-031", place, "source 1 on chip");
  std::string sixteen = ".args a\n";
  for (unsigned n = 0; n < 16; ++n) sixteen += ".descriptor shape=1x1 dst=a:fp32 src=a:fp32\n";
  check_accepted(sixteen + "sync:\ndma_compute descriptor=0 sources=16");
}

TEST_CASE("validator: the transposing path has its own limits", "[isa]") {
  const auto turn = [](const std::string& shape, const std::string& sides) {
    return ".args a\nsync:\ndma_transpose shape=" + shape + " " + sides;
  };
  const std::string place = "sync[0] dma_transpose";
  const std::string sides = "dst=sbuf[0,0]/3:bf16:(1,0,0,0) src=a:bf16";
  check_accepted(turn("16x128", sides));
  check_accepted(turn("64x2x128", "dst=sbuf[0,0]/3:bf16:(2,0,1,0) src=a:bf16"));
  check_refused(turn("15x128", sides), "E-ISA-037", place, "multiple of 16");
  check_refused(turn("16x129", "dst=sbuf[0,0]:bf16 src=a:bf16"), "E-ISA-037", place, "at most 128");
  check_refused(turn("16x16", "dst=a:bf16 src=a:bf16"), "E-ISA-037", place, "into SBUF");
  check_refused(turn("16x16", "dst=sbuf[0,0]:bf16 src=a:bf16:(16,0,0,2)"), "E-ISA-037", place, "contiguous");
  check_refused(turn("16x16", "dst=sbuf[0,0]:uint8 src=a:uint8"), "E-ISA-032", place, "2 or 4 bytes");
  check_refused(turn("16x16", "dst=sbuf[0,0]:fp16 src=a:bf16"), "E-ISA-032", place, "one dtype");
  check_refused(turn("16x16", "dst=sbuf[0,0]:bf16 src=a:bf16 accumulate"), "E-ISA-032", place, "accumulates");
}
