// SPDX-License-Identifier: Apache-2.0
#include "isa/validate/validate.h"

#include <catch2/catch.hpp>

#include "isa/binary/container.h"
#include "tests/support/program/refused.h"
#include "tests/support/random/random_program.h"

using namespace tahoma::isa;
using tahoma::tests::changed;
using tahoma::tests::check_accepted;
using tahoma::tests::check_refused;
using tahoma::tests::ProgramGenerator;

namespace {

const std::string kCopy = "vector:\ntensor_copy shape=128x512 dst=sbuf[0, 0]:bf16 src=psum[0, 0]:fp32\n";
const std::string kAdd =
    "vector:\ntensor_scalar shape=64x8 dst=sbuf[0, 0]:fp32 src=sbuf[0, 0]:fp32 op0=add scalar0=1\n";
const std::string kWeights = "tensor:\nload_weights shape=128x64 src=sbuf[0, 0]:bf16\n";

}  // namespace

TEST_CASE("validator: programs that keep the rules of the table pass", "[isa]") {
  constexpr std::uint64_t kSeed = 77;
  INFO("seed " << kSeed);
  ProgramGenerator generator(kSeed);
  for (unsigned n = 0; n < 2000; ++n) {
    const Program p = generator.program(25);
    try {
      validate(p, Limits{});
    } catch (const ProgramError& e) {
      FAIL(e.what() << "\nin program " << n << ":\n" << disassemble(p));
    }
  }
  SUCCEED();
}

TEST_CASE("validator: an opcode that does not exist is refused", "[isa]") {
  Program p;
  p.stream(Queue::kSync).edit().resize(2);
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
  CHECK_NOTHROW(require_available(row, "sync[0] nop", CoreVersion::kV2));
  row.since = CoreVersion::kV4;
  CHECK_NOTHROW(require_available(row, "sync[0] nop", CoreVersion::kV4));
  CHECK_THROWS_WITH(require_available(row, "sync[0] nop", CoreVersion::kV3), Catch::Contains("E-ISA-002"));
  // The text refuses it already, with or without operands; the validator refuses it in a program from a
  // container.
  for (const OpRow& later : all_rows()) {
    if (later.since < CoreVersion::kV4) continue;
    Program p;
    p.streams[later.queues == 1 ? 0 : later.queues == 2 ? 1 : 2].edit().resize(1);
    for (auto& stream : p.streams)
      for (Instruction& i : stream) i.op = later.op;
    CHECK_THROWS_WITH(validate(from_bytes(to_bytes(p)), {}),
                      Catch::Contains("E-ISA-002") && Catch::Contains("needs NeuronCore-v4"));
    CHECK_THROWS_WITH(assemble("vector:\n  " + std::string(later.mnemonic) + " shape=1x1", "t"),
                      Catch::Contains("t:2:3: error[E-ISA-002]"));
  }
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
  check_refused(changed(kCopy, Queue::kVector, [](Program&, Instruction& i) { i.value = -0.0F; }),
                "E-ISA-004", place, "fp32 constant");
  const std::string stats =
      "vector:\nmatch_replace8 shape=1x8 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 "
      "values=sbuf[0,0]:fp32 value=0";
  check_accepted(stats);
  check_refused(changed(stats, Queue::kVector, [](Program&, Instruction& i) { i.result.offset = 4; }),
                "E-ISA-004", "vector[0] match_replace8", "'index' is absent but has a place");
  check_refused(changed(kCopy, Queue::kVector, [](Program&, Instruction& i) { i.wait.value = 3; }),
                "E-ISA-004", place, "kind none");
  check_refused(changed(kAdd, Queue::kVector, [](Program&, Instruction& i) { i.scalar0.offset = 4; }),
                "E-ISA-004", "vector[0] tensor_scalar", "both a constant and a column");
}

TEST_CASE("validator: choices are those of the instruction and of the engine", "[isa]") {
  const std::string tile = " dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 ";
  check_refused("vector:\ntensor_reduce shape=1x4" + tile + "op=divide axes=1", "E-ISA-005",
                "vector[0] tensor_reduce", "expected add, subtract, mult, max, min");
  check_refused(
      changed(kAdd, Queue::kVector, [](Program&, Instruction& i) { i.op0 = static_cast<AluOp>(99); }),
      "E-ISA-005", "vector[0] tensor_scalar", "'op0'");
  check_refused(changed("scalar:\nactivation shape=1x4" + tile + "func=exp scale=1", Queue::kScalar,
                        [](Program&, Instruction& i) { i.func = static_cast<ActFn>(99); }),
                "E-ISA-005", "scalar[0] activation", "no meaning");
  check_refused("scalar:\ntensor_scalar shape=1x4" + tile + "op0=max scalar0=0", "E-ISA-006",
                "scalar[0] tensor_scalar", "expected add, mult, bypass");
  check_refused("vector:\ntensor_scalar shape=1x4" + tile + "op0=power scalar0=2", "E-ISA-006",
                "vector[0] tensor_scalar", "'op0' is power");
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
  check_accepted(head + "1x57342 dst=sbuf[0, 0]:fp32");
  check_refused(head + "1x57343 dst=sbuf[0, 0]:fp32", "E-ISA-036", place, "keeps 229368..229375");
  check_refused(head + "1x57345 dst=sbuf[0, 0]:fp32", "E-ISA-010", place, "sbuf has 0..229375");
  check_accepted(head + "1x57344 dst=sbuf[0, 0]:fp32", {.sbuf_reserved = 0});
  check_refused(head + "1x4097 dst=psum[0, 0]:bf16", "E-ISA-007", place, "at most 4096 in psum");
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

TEST_CASE("validator: operands are in memories that instruction and engine reach", "[isa]") {
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
  check_refused("vector:\nrng shape=1x1 dst=sbuf[0,0]:bf16", "E-ISA-014", "vector[0] rng", "expected int32");
  check_refused(kWeights + "matmul shape=128x1 columns=64 dst=psum[0,0]:fp16 src=sbuf[0,0]:bf16", "E-ISA-014",
                "tensor[1] matmul", "expected fp32");
  check_refused(changed(kCopy, Queue::kVector,
                        [](Program&, Instruction& i) { i.dst.dtype = static_cast<DType>(kDTypeCount); }),
                "E-ISA-014", "vector[0] tensor_copy", "uint8");
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
  check_refused("sync:\ncore_barrier pipe=16", "E-ISA-023", "sync[0] core_barrier", "0..15");
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
  check_refused("sync:\nreg_alu d=r1 a=r1 op=add b=r2 imm=3", "E-ISA-028", "sync[0] reg_alu", "one of them");
  check_refused("sync:\nl: branch a=r1 compare=lt b=r2 imm=3 target=l", "E-ISA-028", "sync[0] branch",
                "one of them");
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
  p.args.assign(kArguments + 1, "x");
  check_refused(p, "E-ISA-034", "program", "at most 128");
  p.args.assign(1, "x");
  p.control = 2;
  check_refused(p, "E-ISA-024", "program", "the program has 1");
}
