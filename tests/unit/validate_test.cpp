// SPDX-License-Identifier: Apache-2.0
#include "isa/validate.h"

#include <catch2/catch.hpp>

#include "isa/assembler.h"
#include "isa/error.h"
#include "tests/support/random_program.h"

using namespace tahoma::isa;
using tahoma::tests::ProgramGenerator;

namespace {

void check_refused(const Program& p, const std::string& code, const std::string& place,
                   const std::string& hint, const Limits& limits = {}) {
  INFO(disassemble(p));
  try {
    validate(p, limits);
    FAIL("accepted; expected " << code);
  } catch (const ProgramError& e) {
    CHECK(e.code == code);
    CHECK(e.place == place);
    CHECK_THAT(e.message, Catch::Contains(hint));
  }
}

void check_refused(const std::string& text, const std::string& code, const std::string& place,
                   const std::string& hint, const Limits& limits = {}) {
  check_refused(assemble(text, "t"), code, place, hint, limits);
}

void check_accepted(const std::string& text, const Limits& limits = {}) {
  INFO(text);
  CHECK_NOTHROW(validate(assemble(text, "t"), limits));
}

// A program of one instruction that breaks nothing until `change` has been at it.
template <class Change>
Program changed(const std::string& text, Queue queue, Change&& change) {
  Program p = assemble(text, "t");
  change(p, p.stream(queue).back());
  return p;
}

const std::string kCopy = "vector:\ntensor_copy shape=128x512 dst=sbuf[0, 0]:bf16 src=psum[0, 0]:fp32\n";
const std::string kAdd =
    "vector:\ntensor_scalar shape=64x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 0]:fp32 op0=add scalar0=1\n";
const std::string kWeights = "tensor:\nload_weights shape=128x64 src=sbuf[0, 0]:bf16\n";
const std::string kMatmul = "matmul shape=128x512 columns=64 dst=psum[0, 0]:fp32 src=sbuf[0, 0x100]:bf16\n";

}  // namespace

TEST_CASE("validator: programs that keep the rules of the table pass", "[isa]") {
  constexpr std::uint64_t kSeed = 77;
  INFO("seed " << kSeed);
  ProgramGenerator generator(kSeed);
  for (unsigned n = 0; n < 200; ++n) REQUIRE_NOTHROW(validate(generator.program(25), Limits{}));
}

TEST_CASE("validator: an opcode that does not exist is refused", "[isa]") {
  Program p;
  p.stream(Queue::kSync).resize(2);
  p.stream(Queue::kSync)[1].op = static_cast<Opcode>(250);
  try {
    validate(p, {});
    FAIL("accepted");
  } catch (const ProgramError& e) {
    CHECK(e.code == "E-ISA-001");
    CHECK(e.place == "sync[1]");
  }
}

TEST_CASE("validator: an instruction that the machine lacks is refused", "[isa]") {
  OpRow row = row_of(Opcode::kNop);
  CHECK_NOTHROW(require_runs_on(row, Queue::kSync, "sync[0] nop"));
  row.availability = Availability::kUnavailable;
  CHECK_THROWS_WITH(require_runs_on(row, Queue::kSync, "sync[0] nop"), Catch::Contains("E-ISA-002"));
}

TEST_CASE("validator: every pair of queue and instruction follows the table", "[isa]") {
  for (const OpRow& row : all_rows())
    for (std::size_t q = 0; q < kQueueCount; ++q) {
      INFO(row.mnemonic << " on " << name_of(static_cast<Queue>(q)));
      if ((row.queues >> q) & 1)
        CHECK_NOTHROW(require_runs_on(row, static_cast<Queue>(q), "here"));
      else
        CHECK_THROWS_WITH(require_runs_on(row, static_cast<Queue>(q), "here"), Catch::Contains("E-ISA-003"));
    }
  check_refused("gpsimd:\nreciprocal shape=1x1 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32", "E-ISA-003",
                "gpsimd[0] reciprocal", "expected one of vector");
}

TEST_CASE("validator: slots of other instructions keep their defaults", "[isa]") {
  const std::string place = "vector[0] tensor_copy";
  check_refused(changed(kCopy, Queue::kVector, [](Program&, Instruction& i) { i.axes = 2; }), "E-ISA-004",
                place, "innermost free dimensions");
  check_refused(changed(kCopy, Queue::kVector, [](Program&, Instruction& i) { i.src1.stride[3] = 1; }),
                "E-ISA-004", place, "second source");
  check_refused(changed(kCopy, Queue::kVector, [](Program&, Instruction& i) { i.wait.value = 3; }),
                "E-ISA-004", place, "kind none");
  check_refused(changed(kAdd, Queue::kVector, [](Program&, Instruction& i) { i.scalar0.offset = 4; }),
                "E-ISA-004", "vector[0] tensor_scalar", "both a constant and a column");
}

TEST_CASE("validator: choices are those of the instruction and of the engine", "[isa]") {
  const std::string tile = " dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 ";
  check_refused("vector:\ntensor_reduce shape=1x4" + tile + "op=subtract axes=1", "E-ISA-005",
                "vector[0] tensor_reduce", "expected add, mult, max, min");
  check_refused(
      changed(kAdd, Queue::kVector, [](Program&, Instruction& i) { i.op0 = static_cast<AluOp>(7); }),
      "E-ISA-005", "vector[0] tensor_scalar", "'op0'");
  check_refused(changed("scalar:\nactivation shape=1x4" + tile + "func=exp scale=1", Queue::kScalar,
                        [](Program&, Instruction& i) { i.func = static_cast<ActFn>(99); }),
                "E-ISA-005", "scalar[0] activation", "no meaning");
  check_refused("scalar:\ntensor_scalar shape=1x4" + tile + "op0=max scalar0=0", "E-ISA-006",
                "scalar[0] tensor_scalar", "expected add, mult, bypass");
  check_accepted("scalar:\ntensor_scalar shape=1x4" + tile +
                 "op0=mult scalar0=2 op1=add scalar1=sbuf[0, 64]");
}

TEST_CASE("validator: shapes stay within partitions and elements", "[isa]") {
  const std::string place = "vector[0] memset";
  check_refused("vector:\nmemset shape=129x1 dst=sbuf[0,0]:fp32 value=0", "E-ISA-007", place, "1..128");
  check_refused("vector:\nmemset shape=65x1 dst=sbuf[0,0]:fp32 value=0", "E-ISA-007", place, "1..64",
                {.partitions = 64});
  check_refused("vector:\nmemset shape=1x2x40000 dst=sbuf[0,0]:uint8:(0,0,0,1) value=0", "E-ISA-007", place,
                "65536");
  check_refused(changed(kCopy, Queue::kVector, [](Program&, Instruction& i) { i.shape.count[0] = 0; }),
                "E-ISA-007", "vector[0] tensor_copy", "at least 1");
  check_refused(changed(kCopy, Queue::kVector,
                        [](Program&, Instruction& i) {
                          i.shape.count = {65535, 65535, 65535, 65535};
                        }),
                "E-ISA-007", "vector[0] tensor_copy", "65536");
}

TEST_CASE("validator: partitions start where the hardware lets them", "[isa]") {
  const auto memset = [](unsigned first, unsigned count) {
    return "vector:\nmemset shape=" + std::to_string(count) + "x1 dst=sbuf[" + std::to_string(first) +
           ", 0]:fp32 value=0";
  };
  // Trainium2: more than 64 at 0, 33..64 at 0 or 64, up to 32 at 0, 32, 64 or 96.
  for (const unsigned count : {1U, 32U, 33U, 64U, 65U, 128U})
    for (unsigned first = 0; first < 128; ++first) {
      const bool allowed = count > 64 ? first == 0 : count > 32 ? first % 64 == 0 : first % 32 == 0;
      INFO(count << " at " << first);
      if (allowed)
        check_accepted(memset(first, count));
      else if (first + count <= 128)
        check_refused(memset(first, count), "E-ISA-008", "vector[0] memset", "expected");
      else
        check_refused(memset(first, count), "E-ISA-009", "vector[0] memset", "below 128");
    }
  const Limits small{.partitions = 32};
  check_accepted(memset(8, 8), small);
  check_refused(memset(4, 8), "E-ISA-008", "vector[0] memset", "multiple of 8", small);
}

TEST_CASE("validator: tiles stay inside their memory, whichever way they walk", "[isa]") {
  const std::string place = "vector[0] memset", head = "vector:\nmemset value=0 shape=";
  check_accepted(head + "1x512 dst=psum[0, 0x3800]:fp32");
  check_refused(head + "1x513 dst=psum[0, 0x3800]:fp32", "E-ISA-010", place, "psum has 0..16383");
  check_accepted(head + "1x57344 dst=sbuf[0, 0]:fp32");
  check_refused(head + "1x57345 dst=sbuf[0, 0]:fp32", "E-ISA-010", place, "sbuf has 0..229375");
  check_accepted(head + "1x5 dst=sbuf[0, 16]:fp32:(0,0,0,-1)");
  check_refused(head + "1x6 dst=sbuf[0, 16]:fp32:(0,0,0,-1)", "E-ISA-010", place, "bytes -4..19");
  check_refused(head + "1x1 dst=sbuf[0, 1024]:fp32", "E-ISA-010", place, "0..1023", {.sbuf_bytes = 1024});
  check_refused(
      "scalar:\nactivation shape=1x1 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 func=exp scale=psum[0, 0x4000]",
      "E-ISA-010", "scalar[0] activation", "'scale'");
}

TEST_CASE("validator: elements are aligned", "[isa]") {
  check_refused("vector:\nmemset value=0 shape=1x1 dst=sbuf[0, 2]:fp32", "E-ISA-011", "vector[0] memset",
                "multiple of 4");
  check_accepted("vector:\nmemset value=0 shape=1x1 dst=sbuf[0, 2]:bf16");
  check_refused(
      "vector:\ntensor_scalar shape=1x1 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 op0=add scalar0=sbuf[0, 6]",
      "E-ISA-011", "vector[0] tensor_scalar", "multiple of 4");
  check_refused(".args a\n.descriptor shape=1x1 dst=a:fp32 src=sbuf[0, 2]:fp32", "E-ISA-011", "descriptor 0",
                "multiple of 4");
}

TEST_CASE("validator: operands lie in memories that instruction and engine reach", "[isa]") {
  check_refused("gpsimd:\niota shape=1x1 dst=psum[0,0]:int32", "E-ISA-012", "gpsimd[0] iota",
                "expected sbuf");
  check_refused(kWeights + "matmul shape=128x1 columns=64 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:bf16", "E-ISA-012",
                "tensor[1] matmul", "expected psum");
  check_refused("gpsimd:\ntensor_copy shape=1x1 dst=sbuf[0,0]:fp32 src=psum[0,0]:fp32", "E-ISA-013",
                "gpsimd[0] tensor_copy", "queue gpsimd cannot reach");
  check_refused(
      "gpsimd:\ntensor_scalar shape=1x1 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 op0=add scalar0=psum[0,0]",
      "E-ISA-013", "gpsimd[0] tensor_scalar", "'scalar0'");
  check_refused(changed(kCopy, Queue::kVector, [](Program&, Instruction& i) { i.dst.space = Space::kHbm; }),
                "E-ISA-012", "vector[0] tensor_copy", "expected sbuf, psum");
}

TEST_CASE("validator: operands have dtypes that the instruction takes", "[isa]") {
  check_refused("tensor:\nload_weights shape=1x1 src=sbuf[0,0]:int32", "E-ISA-014", "tensor[0] load_weights",
                "expected fp32, bf16, fp16");
  check_refused(kWeights + "matmul shape=128x1 columns=64 dst=psum[0,0]:bf16 src=sbuf[0,0]:bf16", "E-ISA-014",
                "tensor[1] matmul", "expected fp32");
  check_refused(
      changed(kCopy, Queue::kVector, [](Program&, Instruction& i) { i.dst.dtype = static_cast<DType>(6); }),
      "E-ISA-014", "vector[0] tensor_copy", "uint8");
}

TEST_CASE("validator: a matmul's destination stays inside one bank", "[isa]") {
  check_accepted(kWeights + kMatmul);
  check_accepted(kWeights + "matmul shape=128x256 columns=64 dst=psum[64, 0xc00]:fp32 src=sbuf[0,0]:bf16");
  check_refused(kWeights + "matmul shape=128x257 columns=64 dst=psum[64, 0xc00]:fp32 src=sbuf[0,0]:bf16",
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

TEST_CASE("validator: a matmul meets the weights that it names", "[isa]") {
  const std::string place = "tensor[1] matmul";
  check_refused("tensor:\n" + kMatmul, "E-ISA-019", "tensor[0] matmul", "no weights are loaded");
  check_refused(kWeights + "matmul shape=64x1 columns=64 dst=psum[0,0]:fp32 src=sbuf[0,0]:bf16", "E-ISA-019",
                place, "loaded");
  check_refused(kWeights + "matmul shape=128x1 columns=32 dst=psum[0,0]:fp32 src=sbuf[0,0]:bf16", "E-ISA-019",
                place, "loaded");
  check_refused(kWeights + "matmul shape=128x1 columns=64 dst=psum[0,0]:fp32 src=sbuf[0,0]:fp32", "E-ISA-019",
                place, "expected fp32 or tf32 with");
  check_accepted(kWeights + "matmul shape=128x1 columns=64 dst=psum[0,0]:fp32 src=sbuf[0,0]:fp16");
  // Where paths meet the loaded weights are not known: the program is given the benefit of the doubt.
  check_accepted("tensor:\njump target=there\nthere: " + kMatmul);
}

TEST_CASE("validator: a transpose writes the dtype that it moves, or fp32", "[isa]") {
  const auto transpose = [](const std::string& dtype) {
    return kWeights + "transpose shape=128x128 columns=64 dst=psum[0,0]:" + dtype + " src=sbuf[0,0]:bf16";
  };
  check_accepted(transpose("bf16"));
  check_accepted(transpose("fp32"));
  check_refused(transpose("fp16"), "E-ISA-020", "tensor[1] transpose", "fp32");
}

TEST_CASE("validator: a reduction reduces one to four dimensions", "[isa]") {
  const std::string head =
      "vector:\ntensor_reduce shape=1x2x3x4x5 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 op=add axes=";
  for (const char* axes : {"1", "2", "3", "4"}) check_accepted(head + axes);
  check_refused(head + "0", "E-ISA-021", "vector[0] tensor_reduce", "1..4");
  check_refused(head + "5", "E-ISA-021", "vector[0] tensor_reduce", "1..4");
}

TEST_CASE("validator: numbers of registers, rings, arguments, descriptors and targets exist", "[isa]") {
  const std::string dma = ".args a\nsync:\ndma_copy shape=1x1 dst=sbuf[0,0]:fp32 src=a:fp32 update=s0+=1";
  const std::string place = "sync[0] dma_copy";
  const auto with = [&](const std::string& text, auto&& change) {
    return changed(text, Queue::kSync, change);
  };
  check_accepted(dma);
  check_refused(with("sync:\nreg_set d=r0 imm=1", [](Program&, Instruction& i) { i.reg_d = 64; }),
                "E-ISA-022", "sync[0] reg_set", "r0..r63");
  check_refused(with("sync:\nreg_set d=r0 imm=1", [](Program&, Instruction& i) { i.reg_d = kNone; }),
                "E-ISA-022", "sync[0] reg_set", "r0..r63");
  check_refused(with("sync:\nnop wait=s0>=r1", [](Program&, Instruction& i) { i.wait.value = 64; }),
                "E-ISA-022", "sync[0] nop", "r0..r63");
  check_refused(dma + " ring=16", "E-ISA-023", place, "0..15");
  check_refused(with(dma, [](Program&, Instruction& i) { i.notify_arg = 1; }), "E-ISA-024", place,
                "the program has 1");
  check_refused(with(dma, [](Program& p, Instruction&) { p.descriptors[0].src.arg = 1; }), "E-ISA-024",
                "descriptor 0", "the program has 1");
  check_refused("sync:\ndma_copy descriptor=0", "E-ISA-025", place, "the program has 0");
  check_refused(with("sync:\nl: jump target=l", [](Program&, Instruction& i) { i.target = 2; }), "E-ISA-026",
                "sync[0] jump", "0..1");
  check_accepted("sync:\njump target=end\nend:");
}

TEST_CASE("validator: a wait without a wait and an update without an update do nothing", "[isa]") {
  check_refused("sync:\nsem_wait", "E-ISA-027", "sync[0] sem_wait", "expected one such as wait=");
  check_refused("sync:\nsem_set", "E-ISA-027", "sync[0] sem_set", "expected one such as update=");
}

TEST_CASE("validator: a register or an immediate, not both", "[isa]") {
  check_refused("sync:\nreg_add d=r1 a=r1 b=r2 imm=3", "E-ISA-028", "sync[0] reg_add", "one of them");
  check_refused("sync:\nl: branch a=r1 compare=lt b=r2 imm=3 target=l", "E-ISA-028", "sync[0] branch",
                "one of them");
}

TEST_CASE("validator: transfers stay inside on-chip memories", "[isa]") {
  const std::string head = ".args a\n.descriptor src=a:fp32 ";
  const auto count_of_zero =
      changed(head + "shape=1x1 dst=sbuf[0,0]:fp32\nsync:\ndma_copy descriptor=0", Queue::kSync,
              [](Program& p, Instruction&) { p.descriptors[0].count[2] = 0; });
  check_refused(count_of_zero, "E-ISA-029", "descriptor 0", "at least 1");
  check_accepted(head + "shape=28x57344 dst=sbuf[100, 0]:fp32");
  check_refused(head + "shape=29x1 dst=sbuf[100, 0]:fp32", "E-ISA-030", "descriptor 0", "below 128");
  check_refused(head + "shape=1x57345 dst=sbuf[0, 0]:fp32", "E-ISA-030", "descriptor 0", "0..229375");
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
  check_refused(with([](Program& p, Instruction&) { p.descriptors[0].dst.dtype = static_cast<DType>(9); }),
                "E-ISA-014", "descriptor 0", "no dtype");
}

TEST_CASE("validator: transfers accumulate floats", "[isa]") {
  check_accepted(".args a\n.descriptor shape=1x1 dst=a:fp32 src=a:bf16 accumulate");
  check_refused(".args a\n.descriptor shape=1x1 dst=a:int32 src=a:int32 accumulate", "E-ISA-032",
                "descriptor 0", "expected fp32, bf16 or fp16");
}

TEST_CASE("validator: a core is notified of something", "[isa]") {
  check_refused(".args a c\nsync:\ndma_copy shape=1x1 dst=sbuf[0,0]:fp32 src=a:fp32 notify=c", "E-ISA-033",
                "sync[0] dma_copy", "expected an update");
}

TEST_CASE("validator: names can be written down", "[isa]") {
  Program p;
  p.name = "a b";
  check_refused(p, "E-ISA-034", "program", "1 to 255");
  p.name = "a";
  p.args = {"x", "x"};
  check_refused(p, "E-ISA-034", "program", "distinct names");
  p.args = {""};
  check_refused(p, "E-ISA-034", "program", "1 to 255");
  p.args.assign(33, "x");
  check_refused(p, "E-ISA-034", "program", "at most 32");
}
