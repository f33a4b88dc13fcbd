// SPDX-License-Identifier: Apache-2.0
#include "tests/support/program/refused.h"

using namespace tahoma::isa;
using tahoma::tests::changed;
using tahoma::tests::check_accepted;
using tahoma::tests::check_refused;

namespace {

const std::string kWeights = "tensor:\nload_weights shape=128x64 src=sbuf[0, 0]:bf16\n";
const std::string kMatmul = "matmul shape=128x512 columns=64 dst=psum[0, 0]:fp32 src=sbuf[0, 0x100]:bf16\n";

}  // namespace

TEST_CASE("validator: a matmul's destination stays inside one bank", "[isa]") {
  const std::string there = "tensor:\nload_weights shape=128x64 src=sbuf[0, 0]:bf16 column=64\n";
  check_accepted(kWeights + kMatmul);
  check_accepted(there + "matmul shape=128x256 columns=64 dst=psum[64, 0xc00]:fp32 src=sbuf[0,0]:bf16");
  check_refused(there + "matmul shape=128x257 columns=64 dst=psum[64, 0xc00]:fp32 src=sbuf[0,0]:bf16",
                "E-ISA-015", "tensor[1] matmul", "one PSUM bank of 2048");
  check_refused(kWeights + kMatmul, "E-ISA-015", "tensor[1] matmul", "1024", {.psum_bank_bytes = 1024});
}

TEST_CASE("validator: the array's rows, columns and moving columns are limits", "[isa]") {
  const Limits half{.array_rows = 64, .array_columns = 64, .moving_columns = 256};
  check_refused("tensor:\nload_weights shape=32x129 src=sbuf[0,0]:bf16", "E-ISA-016",
                "tensor[0] load_weights", "1..128");
  check_refused("tensor:\nload_weights shape=32x65 src=sbuf[0,0]:bf16", "E-ISA-016", "tensor[0] load_weights",
                "1..64", half);
  check_refused(changed(kWeights + kMatmul, Queue::kTensor, [](Program&, Instruction& i) { i.columns = 0; }),
                "E-ISA-016", "tensor[1] matmul", "1..128");
  check_refused("tensor:\nload_weights shape=65x1 src=sbuf[0,0]:bf16", "E-ISA-017", "tensor[0] load_weights",
                "1..64", half);
  check_refused(kWeights + "matmul shape=128x513 columns=64 dst=psum[0,0]:fp32:(0,0,0,0) src=sbuf[0,0]:bf16",
                "E-ISA-018", "tensor[1] matmul", "1..512");
  check_refused(
      "tensor:\nload_weights shape=64x64 src=sbuf[0,0]:bf16\n"
      "matmul shape=64x257 columns=64 dst=psum[0,0]:fp32 src=sbuf[0,0]:bf16",
      "E-ISA-018", "tensor[1] matmul", "1..256", half);
}

TEST_CASE("validator: a matmul uses the weights that it names", "[isa]") {
  const std::string place = "tensor[1] matmul";
  check_refused("tensor:\n" + kMatmul, "E-ISA-019", "tensor[0] matmul", "no weights are loaded");
  check_refused(kWeights + "matmul shape=64x1 columns=64 dst=psum[0,0]:fp32 src=sbuf[0,0]:bf16", "E-ISA-019",
                place, "loaded there are rows 0..127, columns 0..63");
  check_refused(kWeights + "matmul shape=128x1 columns=32 dst=psum[0,0]:fp32 src=sbuf[0,0]:bf16", "E-ISA-019",
                place, "loaded there are rows 0..127, columns 0..63");
  check_refused(kWeights + "matmul shape=128x1 columns=64 dst=psum[0,0]:fp32 src=sbuf[0,0]:fp32", "E-ISA-019",
                place, "expected fp32 or tf32 with fp32 or tf32");
  check_accepted(kWeights + "matmul shape=128x1 columns=64 dst=psum[0,0]:fp32 src=sbuf[0,0]:fp16");
  // Where paths join, the loaded weights are unknown: the validator accepts the program.
  check_accepted("tensor:\njump target=there\nthere: " + kMatmul);
}

TEST_CASE("validator: tiles of the array hold weights of their own", "[isa]") {
  const std::string two =
      "tensor:\nload_weights shape=32x32 src=sbuf[0,0]:bf16\n"
      "load_weights shape=32x64 src=sbuf[32,0]:fp8_e4m3 column=64\n";
  const std::string first = "matmul shape=32x8 columns=32 dst=psum[0,0]:fp32 src=sbuf[0,0]:bf16\n";
  const std::string second = "matmul shape=32x8 columns=64 dst=psum[64,0]:fp32 src=sbuf[32,0]:bf16\n";
  check_accepted(two + first + second);
  check_refused(two + "matmul shape=32x8 columns=32 dst=psum[32,0]:fp32 src=sbuf[0,0]:bf16", "E-ISA-019",
                "tensor[2] matmul", "no weights are loaded in rows 0..31, columns 32..63");
  // A load occupies all tiles that it overlaps and discards their previous weights.
  check_refused(two + "load_weights shape=1x1 src=sbuf[0,0]:bf16\n" + first, "E-ISA-019", "tensor[3] matmul",
                "loaded there are rows 0..0, columns 0..0");
  check_accepted(two + "load_weights shape=1x1 src=sbuf[0,0]:bf16\n" + second);
  check_refused(two + "load_weights shape=40x1 src=sbuf[0,0]:bf16 column=64\n" + second, "E-ISA-019",
                "tensor[3] matmul", "loaded there are rows 0..39");
  // Where paths join, only weights loaded afterwards are known.
  const std::string meet = "there: load_weights shape=32x32 src=sbuf[0,0]:fp32\n";
  check_accepted("tensor:\njump target=there\n" + meet + second);
  check_refused("tensor:\njump target=there\n" + meet + first, "E-ISA-019", "tensor[2] matmul",
                "moves bf16 past weights of fp32");
}

TEST_CASE("validator: weights are placed where tiles of the array begin", "[isa]") {
  const auto load = [](unsigned columns, unsigned first) {
    return "tensor:\nload_weights shape=128x" + std::to_string(columns) +
           " src=sbuf[0,0]:bf16 column=" + std::to_string(first);
  };
  for (const unsigned count : {1U, 32U, 33U, 64U, 65U, 128U})
    for (const unsigned first : {0U, 16U, 32U, 64U, 96U}) {
      INFO(count << " at " << first);
      if (count > 64 ? first == 0 : count > 32 ? first % 64 == 0 : first % 32 == 0)
        check_accepted(load(count, first));
      else
        check_refused(load(count, first), "E-ISA-016", "tensor[0] load_weights", "expected");
    }
  const Limits small{.array_rows = 48, .array_columns = 64};
  const std::string place = "tensor[0] load_weights";
  check_refused("tensor:\nload_weights shape=32x32 src=sbuf[0,0]:bf16 column=64", "E-ISA-016", place,
                "columns 64..95; the array has 64", small);
  check_refused("tensor:\nload_weights shape=32x32 src=sbuf[32,0]:bf16", "E-ISA-017", place,
                "occupies rows 32..63", small);
  check_refused("tensor:\nload_weights shape=32x2x2x2x2 src=sbuf[0,0]:bf16", "E-ISA-007", place,
                "at most three");
}

TEST_CASE("validator: wide operands combine with wide operands, and integers are never multiplied", "[isa]") {
  static constexpr std::string_view kWide[] = {"fp32", "tf32"};
  static constexpr std::string_view kNarrow[] = {"bf16", "fp16", "fp8_e4m3", "fp8_e5m2", "fp8_e3m4"};
  const auto product = [](std::string_view weights, std::string_view moving) {
    return "tensor:\nload_weights shape=4x4 src=sbuf[0,0]:" + std::string(weights) +
           "\nmatmul shape=4x4 columns=4 dst=psum[0,0]:fp32 src=sbuf[0,0]:" + std::string(moving);
  };
  for (const auto wide : kWide) {
    for (const auto other : kWide) check_accepted(product(wide, other));
    for (const auto narrow : kNarrow) {
      check_refused(product(wide, narrow), "E-ISA-019", "tensor[1] matmul", "past weights of");
      check_refused(product(narrow, wide), "E-ISA-019", "tensor[1] matmul", "past weights of");
      for (const auto other : kNarrow) check_accepted(product(narrow, other));
    }
  }
  check_refused(product("int8", "bf16"), "E-ISA-019", "tensor[1] matmul",
                "expected weights of a float dtype");
  check_refused(product("bf16", "int8"), "E-ISA-014", "tensor[1] matmul", "'src' is int8");
}

TEST_CASE("validator: each mode of the array has the operands that it needs", "[isa]") {
  const std::string load = "tensor:\nload_weights src=sbuf[0,0]:", place = "tensor[0] load_weights";
  const auto moves = [](const std::string& rest) {
    return "\nmatmul columns=32 dst=psum[0,0]:fp32 src=sbuf[0,0]:" + rest;
  };
  const std::string pair = load + "fp8_e4m3 shape=128x2x1x32 mode=double_row";
  check_accepted(pair + moves("fp8_e5m2 shape=128x2x1x512 mode=double_row"));
  check_refused(pair + moves("fp8_e5m2 shape=128x512 mode=double_row"), "E-ISA-039", "tensor[1] matmul",
                "takes 2 slices");
  check_refused(pair + moves("fp8_e3m4 shape=128x2x1x8 mode=double_row"), "E-ISA-039", "tensor[1] matmul",
                "expected fp8_e4m3, fp8_e5m2");
  check_refused(pair + moves("fp8_e5m2 shape=128x512"), "E-ISA-019", "tensor[1] matmul",
                "loaded as double_row");
  check_refused(load + "fp8_e4m3 shape=128x64 mode=double_row", "E-ISA-039", place, "takes 2 slices");
  check_refused(load + "bf16 shape=128x2x1x32 mode=double_row", "E-ISA-039", place, "double_row of bf16");
  check_refused(pair + " column=32", "E-ISA-039", place, "column tiles");
  check_refused(pair + "\ntranspose shape=128x8 columns=32 dst=psum[0,0]:uint16 src=sbuf[0,0]:bf16",
                "E-ISA-019", "tensor[1] transpose", "loaded as double_row");
  check_refused(load + "bf16 shape=128x32 mode=onezero_stationary", "E-ISA-039", place, "expected fp32");
  check_accepted(load + "fp32 shape=128x32" + moves("fp32 shape=128x8 mode=onezero_moving"));
}

TEST_CASE("validator: sparse weights come compressed, with tags, and move as many slices as they skip",
          "[isa]") {
  const std::string place = "tensor[0] load_weights";
  struct Mode {
    std::string name;
    unsigned kept, group;
  };
  for (const Mode& mode : std::initializer_list<Mode>{{"4_16", 4, 16},
                                                      {"4_12", 4, 12},
                                                      {"4_8", 4, 8},
                                                      {"2_8", 2, 8},
                                                      {"2_4", 2, 4},
                                                      {"1_4", 1, 4},
                                                      {"1_2", 1, 2}}) {
    INFO(mode.name);
    const std::string with = " mode=sparse_" + mode.name, tags = " tags=sbuf[0, 0x800]:uint16";
    const std::string load = "tensor:\nload_weights src=sbuf[0,0]:bf16 shape=", dense = load + "128x128";
    const auto matmul = [&](unsigned slices) {
      return "\nmatmul columns=128 dst=psum[0,0]:fp32 src=sbuf[0,0]:bf16 shape=128x" +
             std::to_string(slices) + "x1x512" + with;
    };
    check_accepted(dense + with + tags + matmul(mode.group / mode.kept));
    check_refused(dense + with + tags + matmul(mode.group / mode.kept + 1), "E-ISA-039", "tensor[1] matmul",
                  "slices");
    check_refused(dense + with, "E-ISA-035", place, "needs its tags");
    check_refused(dense + tags, "E-ISA-035", place, "has no tags");
    check_refused(dense + matmul(mode.group / mode.kept), "E-ISA-019", "tensor[1] matmul", "loaded as dense");
    if (mode.kept > 1)
      check_refused(load + "127x128" + with + tags, "E-ISA-039", place, "127 rows are not a multiple");
  }
  check_refused("tensor:\nload_weights shape=1x1 src=sbuf[0,0]:bf16 mode=sparse_1_2 tags=sbuf[0,0]:uint8",
                "E-ISA-014", place, "expected uint16");
}

TEST_CASE("validator: a transpose writes the dtype of the weights, or fp32", "[isa]") {
  const auto transpose = [](const std::string& weights, const std::string& dst, unsigned columns = 128) {
    return "tensor:\nload_weights shape=128x64 src=sbuf[0, 0]:" + weights + "\ntranspose shape=128x" +
           std::to_string(columns) + " columns=64 dst=psum[0,0]:" + dst +
           " src=sbuf[0,0]:" + (weights == "int32" ? "fp32" : "fp16");
  };
  const std::string place = "tensor[1] transpose";
  check_accepted(transpose("bf16", "bf16"));
  check_accepted(transpose("bf16", "fp32"));
  check_accepted(transpose("int32", "int32"));
  check_accepted(transpose("fp8_e4m3", "uint16"));
  check_refused(transpose("bf16", "fp16"), "E-ISA-020", place, "transpose of bf16 writes fp16");
  check_refused(transpose("int16", "fp32"), "E-ISA-020", place, "transpose of int16 writes fp32");
  check_refused(transpose("fp8_e4m3", "fp8_e4m3"), "E-ISA-020", place, "no single bytes to psum");
  check_accepted(
      "tensor:\nload_weights shape=128x64 src=sbuf[0, 0]:fp8_e4m3\ntranspose shape=128x128 columns=64 "
      "dst=psum[0,0]:fp8_e4m3:(0,0,0,2) src=sbuf[0,0]:fp16");
  check_refused(transpose("bf16", "bf16", 129), "E-ISA-037", place, "1..128");
}
