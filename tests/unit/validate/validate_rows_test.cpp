// SPDX-License-Identifier: Apache-2.0
// Requirements of rows on shapes, and on combinations of operands. Limits as AWS publishes them.
#include "tests/support/program/refused.h"

using namespace tahoma::isa;
using tahoma::tests::changed;
using tahoma::tests::check_accepted;
using tahoma::tests::check_refused;

namespace {

const std::string kTiles = " dst=sbuf[0,0]:fp32:(0,0,0,0) src=sbuf[0,0]:fp32:(0,0,0,0) ";

// Accepts one shape, and refuses the other with E-ISA-037 and this expectation.
void check_shapes(const std::string& queue, const std::string& mnemonic, const std::string& rest,
                  const std::string& accepted, const std::string& refused, const std::string& hint) {
  const std::string head = queue + ":\n" + mnemonic + rest + " shape=";
  check_accepted(head + accepted);
  check_refused(head + refused, "E-ISA-037", queue + "[0] " + mnemonic, hint);
}

}  // namespace

TEST_CASE("validator: shapes are those that the instruction takes", "[isa]") {
  const std::string find = " dst=sbuf[0,0]:uint32 src=sbuf[0,0]:fp32:(0,0,0,0) values=sbuf[0,0]:fp32";
  check_shapes("vector", "max8", kTiles, "128x8", "128x7", "8..16384");
  check_shapes("vector", "max8", kTiles, "128x16384", "128x16385", "8..16384");
  check_shapes("vector", "find_index8", find, "1x8", "1x7", "8..16384");
  check_shapes("vector", "match_replace8", kTiles + "value=0 values=sbuf[0,0]:fp32", "1x16384", "1x16385",
               "8..16384");
  check_shapes("vector", "bn_stats", kTiles, "128x512", "128x513", "1..512");
  check_shapes("vector", "bn_aggr", kTiles, "128x6", "128x7", "a multiple of 3");
  check_shapes("vector", "vector_transpose", kTiles, "32x32", "33x1", "at most 32");
  check_shapes("vector", "vector_transpose", kTiles, "1x32", "1x33", "1..32");
  check_shapes("vector", "rand_seed", " src=sbuf[0,0]:int32", "1x1", "2x1", "at most 1");
  check_shapes("gpsimd", "rand_set_state", " src=sbuf[0,0]:uint32", "128x6", "128x5", "6..6");
  check_shapes("gpsimd", "rand_get_state", " dst=sbuf[0,0]:uint32", "128x6", "128x7", "6..6");
  check_shapes("gpsimd", "sequence_bounds", kTiles, "1x100", "2x100", "at most 1");
  check_shapes("gpsimd", "nonzero_with_count", " dst=sbuf[0,0]:int32:(0,0,0,0) src=sbuf[0,0]:fp32:(0,0,0,0)",
               "32x65534", "32x65535", "65534");
  const std::string topk = " dst=sbuf[0,0]:bf16 index=sbuf[0,0]:uint32 src=sbuf[0,0]:bf16 n=8 k=1";
  check_shapes("gpsimd", "topk", topk, "16x4096", "16x4097", "1..4096");
  check_shapes("gpsimd", "topk", topk, "128x1", "17x1", "a multiple of 16");
  const std::string gather = " dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 index=sbuf[0,0]:uint16 extent=4 valid=4";
  check_shapes("gpsimd", "local_gather", gather, "32x256", "32x257", "1..256");
  check_shapes("gpsimd", "local_gather", gather, "32x1", "8x1", "a multiple of 16");
}

TEST_CASE("validator: through GpSimd's own DMA few bytes are swapped", "[isa]") {
  for (const std::string dtype : {"fp32", "bf16", "uint8"}) {
    INFO(dtype);
    const std::string swap = "sendrecv dst=sbuf[0,0]:" + dtype + " src=sbuf[0,0]:" + dtype + " shape=128x";
    // 1024, 512 and 256 bytes a partition.
    check_accepted("gpsimd:\n" + swap + "256 gpsimd_dma");
    check_refused("gpsimd:\n" + swap + "257 gpsimd_dma", "E-ISA-037", "gpsimd[0] sendrecv", "at most");
    check_accepted("vector:\n" + swap + "257");
    check_refused("vector:\n" + swap + "1 gpsimd_dma", "E-ISA-003", "vector[0] sendrecv",
                  "no DMA of its own");
  }
}

TEST_CASE("validator: instructions that move bits keep the dtype", "[isa]") {
  const std::string mask =
      "mask=(0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,*)";
  const std::string index = "index=sbuf[0,0]:uint16 extent=4 valid=1";
  for (const auto& [queue, line] : std::initializer_list<std::pair<std::string, std::string>>{
           {"vector", "tensor_copy_predicated predicate=sbuf[0,0]:uint8"},
           {"vector", "vector_transpose"},
           {"vector", "stream_shuffle " + mask},
           {"vector", "dropout probability=0.5"},
           {"gpsimd", "n_gather index=sbuf[0,0]:uint32 extent=4"},
           {"gpsimd", "local_gather " + index},
           {"sync", "sendrecv"}}) {
    const std::string text = queue + ":\n" + line + " shape=16x1 src=sbuf[0,0]:bf16 dst=sbuf[0,0]:";
    check_accepted(text + "bf16");
    check_refused(text + "fp16", "E-ISA-038", queue + "[0] " + line.substr(0, line.find(' ')),
                  "expected one dtype");
  }
}

TEST_CASE("validator: one of two sources may be in PSUM", "[isa]") {
  const std::string head = "vector:\n", tail = " shape=1x1 dst=psum[0,0]:uint8 ";
  const std::pair<std::string, std::string> rows[] = {{"tensor_tensor op=add", "src"},
                                                      {"scalar_tensor_tensor op0=abs op1=add", "src"},
                                                      {"tensor_tensor_scan op0=add op1=add initial=0", "src"},
                                                      {"select_reduce on_false=0", "predicate"},
                                                      {"tensor_copy_predicated", "predicate"}};
  for (const auto& [line, second] : rows) {
    const std::string name0 = second == "src" ? "src0" : "src", name1 = second == "src" ? "src1" : second;
    const auto text = [&](const char* space0, const char* space1) {
      return head + line + tail + name0 + "=" + space0 + "[0,0]:uint8 " + name1 + "=" + space1 +
             "[0,0]:uint8";
    };
    check_accepted(text("psum", "sbuf"));
    check_accepted(text("sbuf", "psum"));
    check_refused(text("psum", "psum"), "E-ISA-038", "vector[0] " + line.substr(0, line.find(' ')),
                  "at least one in sbuf");
  }
}

TEST_CASE("validator: bit operations work on integers and are not mixed with others", "[isa]") {
  const std::string place = "vector[0] tensor_scalar";
  const auto bits = [](const std::string& dtypes, const std::string& rest) {
    return "vector:\ntensor_scalar shape=1x1 dst=sbuf[0,0]:" + dtypes + " src=sbuf[0,0]:int32 " + rest;
  };
  check_accepted(bits("int32", "op0=bitwise_and scalar0=255 op1=shift_left scalar1=4"));
  check_accepted(bits("int32", "op0=bitwise_xor scalar0=-1"));
  check_accepted(bits("int32", "op0=bitwise_xor scalar0=sbuf[0,0]"));
  check_refused(bits("fp32", "op0=bitwise_not"), "E-ISA-041", place, "'dst' of fp32");
  check_refused(bits("int32", "op0=bitwise_and scalar0=1 op1=add scalar1=1"), "E-ISA-041", place, "mixes");
  for (const char* scalar : {"0.5", "nan", "inf", "4294967296", "-2147483904"})
    check_refused(bits("int32", std::string("op0=bitwise_or scalar0=") + scalar), "E-ISA-043", place,
                  "expected an integer of 32 bits");
  check_refused(bits("int32", "op0=bitwise_or scalar0=1 op1=shift_left scalar1=0.5"), "E-ISA-043", place,
                "'scalar1' of shift_left");
  const std::string tile = " shape=4x1 dst=sbuf[0,0]:int32 src=sbuf[0,0]:int32 ";
  check_refused("gpsimd:\ntensor_scalar" + tile + "op0=bitwise_or scalar0=1", "E-ISA-006",
                "gpsimd[0] tensor_scalar", "queue gpsimd does not have");
  check_accepted("gpsimd:\ntensor_partition_reduce" + tile + "op=bitwise_or");
  check_refused(
      "gpsimd:\ntensor_partition_reduce shape=4x1 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 op=bitwise_or",
      "E-ISA-041", "gpsimd[0] tensor_partition_reduce", "expected an integer dtype");
}

TEST_CASE("validator: an operation of one operand takes no other", "[isa]") {
  const std::string head = "vector:\ntensor_scalar shape=1x1" + kTiles, place = "vector[0] tensor_scalar";
  for (const std::string op : {"rsqrt", "reciprocal", "abs", "bypass"}) {
    check_accepted(head + "op0=" + op);
    check_refused(head + "op0=" + op + " scalar0=1", "E-ISA-042", place, "'scalar0'");
    check_refused(head + "op0=" + op + " scalar0=-0", "E-ISA-042", place, "'scalar0'");
    check_refused(head + "op0=" + op + " scalar0=sbuf[0,0]", "E-ISA-042", place, "'scalar0'");
    check_refused(head + "op0=" + op + " reverse0", "E-ISA-042", place, "'reverse0'");
    check_refused(head + "op0=add scalar0=1 op1=" + op + " scalar1=1", "E-ISA-042", place, "'scalar1'");
  }
  check_refused(head + "op0=add scalar0=1 reverse1", "E-ISA-042", place, "'reverse1'");
  check_accepted(head + "op0=subtract scalar0=1 reverse0");
}

TEST_CASE("validator: the scalar engine multiplies, adds, or does one after the other", "[isa]") {
  const std::string head = "scalar:\ntensor_scalar shape=1x1" + kTiles;
  check_accepted(head + "op0=mult scalar0=2");
  check_accepted(head + "op0=mult scalar0=2 op1=add scalar1=1");
  for (const std::string ops : {"op0=add scalar0=2 op1=mult scalar1=1", "op0=add scalar0=2 op1=add scalar1=1",
                                "op0=mult scalar0=2 op1=mult scalar1=1"})
    check_refused(head + ops, "E-ISA-006", "scalar[0] tensor_scalar", "mult then add");
}

TEST_CASE("validator: gathers and rankings count existing elements", "[isa]") {
  const std::string place = "gpsimd[0] local_gather";
  const auto local = [](const std::string& rest) {
    return "gpsimd:\nlocal_gather shape=16x4 dst=sbuf[0,0]:bf16 src=sbuf[0,0]:bf16 index=sbuf[0,0]:uint16 " +
           rest;
  };
  for (const char* per : {"1", "2", "4", "8", "16", "32"})
    check_accepted(local(std::string("extent=32 valid=64 per_index=") + per));
  for (const char* per : {"0", "3", "33", "63"})
    check_refused(local(std::string("extent=64 valid=1 per_index=") + per), "E-ISA-040", place,
                  "1, 2, 4, 8, 16 or 32");
  check_refused(local("extent=32 valid=65"), "E-ISA-040", place, "'valid' is 65; expected 1..64");
  check_refused(local("extent=32 valid=0"), "E-ISA-040", place, "'valid'");
  check_refused(local("extent=1 valid=1 per_index=2"), "E-ISA-040", place,
                "'extent' is 1; expected 2..65535");
  check_refused(local("extent=32769 valid=1"), "E-ISA-010", "gpsimd[0] local_gather", "",
                {.sbuf_bytes = 65536});
  const std::string gather =
      "gpsimd:\nn_gather shape=1x1 dst=sbuf[0,0]:bf16 src=sbuf[0,0]:bf16 index=sbuf[0,0]:uint32 extent=";
  check_accepted(gather + "65535");
  check_refused(gather + "0", "E-ISA-040", "gpsimd[0] n_gather", "1..65535");
  const std::string topk =
      "gpsimd:\ntopk shape=16x4096 dst=sbuf[0,0]:bf16 index=sbuf[0,0x4000]:uint32 src=sbuf[0,0x8000]:bf16 ";
  check_accepted(topk + "n=65535 k=32767");
  check_refused(topk + "n=65536 k=1", "E-ISA-040", "gpsimd[0] topk", "'n' is 65536; expected 8..65535");
  check_refused(topk + "n=7 k=1", "E-ISA-040", "gpsimd[0] topk", "8..65535");
  check_refused(topk + "n=65535 k=32768", "E-ISA-040", "gpsimd[0] topk", "1..32767");
  check_refused(topk + "n=8 k=9", "E-ISA-040", "gpsimd[0] topk", "1..8");
}

TEST_CASE("validator: a shuffle stays inside groups of 32 partitions", "[isa]") {
  std::string mask = " mask=(31";
  for (unsigned n = 1; n < 32; ++n) mask += ",*";
  const std::string head = "vector:\nstream_shuffle" + mask + ") shape=", place = "vector[0] stream_shuffle";
  check_accepted(head + "40x4 dst=sbuf[64,0]:fp32 src=sbuf[0,0]:fp32");
  // 70 partitions span three groups, so they start where 96 do.
  check_refused(head + "40x4 dst=sbuf[32,0]:fp32 src=sbuf[0,0]:fp32", "E-ISA-008", place, "64 partitions");
  check_refused(head + "8x4 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32", "E-ISA-009", place, "partition 31",
                {.partitions = 16});
  const auto wrong = changed(head + "32x4 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32", Queue::kVector,
                             [](Program&, Instruction& i) { i.mask[3] = 32; });
  try {
    validate(wrong, {});
    FAIL("accepted");
  } catch (const ProgramError& e) {
    CHECK(e.code == "E-ISA-040");
    CHECK_THAT(e.message, Catch::Contains("partition 32 of 32"));
  }
}

TEST_CASE("validator: an initial value is for accumulators that load it", "[isa]") {
  for (const std::string row : {"tensor_scalar_reduce", "tensor_scalar_cumulative"}) {
    const std::string fold = "vector:\n" + row + " shape=1x4" + kTiles + "op0=abs op1=add init=3 command=";
    check_accepted(fold + "load_reduce");
    for (const std::string command : {"reset_reduce", "reduce", "reset", "idle"})
      check_refused(fold + command, "E-ISA-035", "vector[0] " + row, "expected load_reduce");
  }
}

TEST_CASE("validator: a dynamic copy has a register", "[isa]") {
  const std::string copy = "vector:\ntensor_copy_dynamic shape=1x1" + kTiles;
  check_accepted(copy + "src_reg=r1");
  check_accepted(copy + "dst_reg=r1");
  check_refused(copy, "E-ISA-035", "vector[0] tensor_copy_dynamic", "has no register");
}

TEST_CASE("validator: words that registers load and store are one integer", "[isa]") {
  const std::string load = ".args a\nsync:\nreg_load d=r1 src=", place = "sync[0] reg_load";
  check_accepted(load + "a+0x10:int32 src_reg=r2");
  check_accepted(load + "sbuf[77, 0x10]:uint8");
  check_refused(load + "a:fp32", "E-ISA-014", place, "expected int32");
  check_refused(load + "psum[0,0]:int32", "E-ISA-012", place, "expected sbuf, hbm");
  check_refused(load + "sbuf[0, 2]:int32", "E-ISA-011", place, "multiple of 4");
  check_refused(load + "sbuf[0, 229368]:int32", "E-ISA-036", place, "runtime keeps");
  check_refused(load + "a:int32:(0,0,0,1)", "E-ISA-031", place, "one element");
  check_refused(load + "sbuf[0,0]/1:int32", "E-ISA-031", place, "one element");
}
