// SPDX-License-Identifier: Apache-2.0
// Tests which core has which instruction and operand: E-ISA-002 names what is missing and both cores.
#include "tests/support/program/refused.h"

using namespace tahoma::isa;
using tahoma::tests::check_accepted;
using tahoma::tests::check_refused;

namespace {

constexpr Limits kV2{.core = CoreVersion::kV2}, kV3{}, kV4{.core = CoreVersion::kV4, .moving_columns = 4096};

struct Later {
  std::string text, place, hint;
};

const Later kSinceV3[] = {
    {"vector:\nrange_select shape=1x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 64]:fp32 compare0=ge bound0=1 "
     "compare1=lt bound1=4 "
     "result=sbuf[0, 128]:fp32",
     "vector[0] range_select", "range_select needs NeuronCore-v3; the machine has NeuronCore-v2"},
    {"tensor:\nload_weights shape=128x2x1x8 src=sbuf[0, 0]:fp8_e4m3 mode=double_row\nmatmul shape=128x2x1x8 "
     "columns=8 "
     "dst=psum[0, 0]:fp32 src=sbuf[0, 0]:fp8_e4m3 mode=double_row",
     "tensor[0] load_weights", "mode double_row needs NeuronCore-v3"},
    {"scalar:\ntensor_copy shape=1x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 64]:fp32", "scalar[0] tensor_copy",
     "tensor_copy on queue scalar needs NeuronCore-v3"},
    {"sync:\ndma_copy shape=1x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 64]:fp32 dge=hw", "sync[0] dma_copy",
     "generation of descriptors (dge hw) needs NeuronCore-v3"},
    {"sync:\ncore_barrier", "sync[0] core_barrier", "core_barrier needs NeuronCore-v3"},
};
const Later kSinceV4[] = {
    {"vector:\nexponential shape=1x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 64]:fp32 maximum=0",
     "vector[0] exponential", "exponential needs NeuronCore-v4"},
    {"vector:\ntensor_copy shape=1x8 dst=sbuf[0, 0]:fp8_e4m3fn src=sbuf[0, 64]:fp32", "vector[0] tensor_copy",
     "operand 'dst' of fp8_e4m3fn needs NeuronCore-v4; the machine has NeuronCore-v3"},
    {"sync:\ndma_copy shape=1x8 dst=sbuf[0, 0]:fp8_e4m3fn src=sbuf[0, 64]:fp8_e4m3fn", "sync[0] dma_copy",
     "operand 'dst' of fp8_e4m3fn needs NeuronCore-v4"},
    {"tensor:\nload_weights shape=128x8 src=sbuf[0, 0]:bf16\nmatmul shape=128x8 columns=8 dst=psum[0, "
     "0]:bf16 src=sbuf[0, "
     "64]:bf16",
     "tensor[1] matmul", "a sum in bf16 needs NeuronCore-v4"},
    {"sync:\ndma_copy shape=1x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 64]:fp32 service=3", "sync[0] dma_copy",
     "class of service 3 needs NeuronCore-v4"},
    {"vector:\ntensor_tensor shape=1x8 dst=sbuf[0, 0]:fp32 src0=sbuf[0, 64]:fp32 src1=sbuf[0, 128]:fp32 "
     "op=abs_max",
     "vector[0] tensor_tensor", "operand 'op' abs_max needs NeuronCore-v4"},
    {"scalar:\ngather_columns shape=16x1 dst=psum[0, 0]:fp32 src=sbuf[0, 64]:fp32 index=sbuf[0, 128]:uint16 "
     "extent=8 valid=3",
     "scalar[0] gather_columns", "gather_columns needs NeuronCore-v4"},
};

}  // namespace

TEST_CASE("validator: what NeuronCore-v2 lacks is refused there by name and accepted by later cores",
          "[isa]") {
  for (const Later& later : kSinceV3) {
    check_refused(later.text, "E-ISA-002", later.place, later.hint, kV2);
    Program p = assemble(later.text, "t");
    p.core = CoreVersion::kV2;
    check_refused(p, "E-ISA-002", later.place, "the program is for NeuronCore-v2", kV3);
    check_accepted(later.text, kV3);
    check_accepted(".core v3\n" + later.text, kV4);
  }
}

TEST_CASE("validator: what only NeuronCore-v4 has is refused by name elsewhere", "[isa]") {
  for (const Later& later : kSinceV4) {
    Program p = assemble(".core v4\n" + later.text, "t");
    check_accepted(".core v4\n" + later.text, kV4);
    p.core = std::nullopt;
    check_refused(p, "E-ISA-002", later.place, later.hint, kV3);
    p.core = CoreVersion::kV3;
    check_refused(p, "E-ISA-002", later.place, "the program is for NeuronCore-v3", kV4);
  }
}

TEST_CASE("validator: a program for a later core than the machine's is refused", "[isa]") {
  const std::string copy = "vector:\ntensor_copy shape=1x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 64]:fp32";
  check_refused(".core v4\n" + copy, "E-ISA-046", "program",
                "is for NeuronCore-v4; the machine has NeuronCore-v3", kV3);
  check_refused(".core v3\n" + copy, "E-ISA-046", "program", "the machine has NeuronCore-v2", kV2);
  check_accepted(".core v2\n" + copy, kV4);
}

TEST_CASE("validator: NeuronCore-v4 writes all banks of PSUM, 4096 columns of fp32 and 8192 of bf16",
          "[isa]") {
  const auto matmul = [](unsigned columns, const char* dst) {
    return ".core v4\ntensor:\nload_weights shape=128x8 src=sbuf[0, 0x8000]:bf16\nmatmul shape=128x" +
           std::to_string(columns) + " columns=8 dst=psum[0, 0]:" + dst + " src=sbuf[0, 0]:bf16";
  };
  check_accepted(matmul(4096, "fp32"), kV4);
  check_accepted(matmul(8192, "bf16"), kV4);
  check_refused(matmul(4097, "fp32"), "E-ISA-018", "tensor[1] matmul", "expected 1..4096", kV4);
  check_refused(matmul(8193, "bf16"), "E-ISA-018", "tensor[1] matmul", "expected 1..8192", kV4);
  check_refused(
      "tensor:\nload_weights shape=128x8 src=sbuf[0, 0x8000]:bf16\nmatmul shape=128x512 columns=8 "
      "dst=psum[0, "
      "4]:fp32 src=sbuf[0, 0]:bf16",
      "E-ISA-015", "tensor[1] matmul", "one PSUM bank", kV3);
}

TEST_CASE("validator: operands of MXFP8 have quads, scales at their partition and one bank of columns",
          "[isa]") {
  const auto quantise = [](const std::string& shape, const std::string& strides, const std::string& scales) {
    return ".core v4\nvector:\nquantize_mx shape=" + shape + " dst=sbuf[0, 0x1000]:fp8_e4m3fn" + strides +
           " scales=sbuf[" + scales + ", 0x2000]:uint8 src=sbuf[0, 0]:bf16" + strides;
  };
  check_accepted(quantise("64x4x1x8", ":(0,1,0,4)", "0"), kV4);
  check_refused(quantise("64x2x1x8", ":(0,1,0,4)", "0"), "E-ISA-039", "vector[0] quantize_mx", "quads of 4",
                kV4);
  check_refused(quantise("64x4x1x8", "", "0"), "E-ISA-039", "vector[0] quantize_mx", "not adjacent", kV4);
  check_refused(quantise("32x4x1x8", ":(0,1,0,4)", "32"), "E-ISA-008", "vector[0] quantize_mx",
                "expected that of src", kV4);
  check_refused(quantise("40x4x1x8", ":(0,1,0,4)", "0"), "E-ISA-037", "vector[0] quantize_mx",
                "a multiple of 32", kV4);
  const std::string load =
      ".core v4\ntensor:\nload_weights_mx shape=128x4x1x8 src=sbuf[0, 0]:fp8_e5m2:(0,1,0,4) scales=sbuf[0, "
      "64]:uint8\n";
  check_refused(
      load +
          "matmul_mx shape=128x4x1x513 columns=8 dst=psum[0, 0]:fp32 src=sbuf[0, 0x1000]:fp8_e5m2:(0,1,0,4) "
          "scales=sbuf[0, 0x2000]:uint8",
      "E-ISA-018", "tensor[1] matmul_mx", "expected 1..512", kV4);
  check_refused(load + "matmul shape=128x8 columns=8 dst=psum[0, 0]:fp32 src=sbuf[0, 0x1000]:fp8_e5m2",
                "E-ISA-019", "tensor[1] matmul", "expected one mode", kV4);
  Program p = assemble("tensor:\nload_weights shape=128x8 src=sbuf[0, 0]:fp8_e5m2", "t");
  p.stream(Queue::kTensor).edit()[0].mode = MatmulMode::kMx;
  check_refused(p, "E-ISA-039", "tensor[0] load_weights", "mx is the mode of", kV4);
}

TEST_CASE("assembler: .core states the core once, before the instructions", "[isa]") {
  CHECK(assemble(".core v4\n", "t").core == CoreVersion::kV4);
  CHECK_FALSE(assemble("sync:\n", "t").core);
  const auto refused = [](const std::string& text, const std::string& code) {
    try {
      assemble(text, "t");
      FAIL("accepted: " << text);
    } catch (const ProgramError& e) {
      CHECK(e.code == code);
    }
  };
  refused(".core v5\n", "E-ASM-006");
  refused(".core v3\n.core v4\n", "E-ASM-013");
  refused("sync:\nnop\n.core v4\n", "E-ASM-013");
  refused("vector:\nexponential shape=1x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 64]:fp32 maximum=0\n", "E-ISA-002");
}
