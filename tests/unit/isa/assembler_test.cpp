// SPDX-License-Identifier: Apache-2.0
#include "isa/text/assembler.h"

#include <bit>
#include <catch2/catch.hpp>
#include <cmath>

#include "isa/binary/container.h"
#include "isa/core/program_error.h"
#include "tests/support/random/random_program.h"

using namespace tahoma::isa;
using tahoma::tests::ProgramGenerator;

namespace {

ProgramError error_of(const std::string& text) {
  try {
    assemble(text, "t.tasm");
  } catch (const ProgramError& e) {
    return e;
  }
  FAIL("accepted: " << text);
  return {"", "", ""};
}

void check_error(const std::string& text, const std::string& code, const std::string& place,
                 const std::string& hint) {
  INFO(text);
  const ProgramError e = error_of(text);
  CHECK(e.code == code);
  CHECK(e.place == "t.tasm:" + place);
  CHECK_THAT(e.message, Catch::Contains(hint));
}

constexpr const char* kCopy =
    "vector:\n  tensor_copy shape=128x512 dst=sbuf[0, 0x800]:bf16 src=psum[0, 0]:fp32";

}  // namespace

namespace {

// Programs are compared as bytes: a NaN equals nothing.
void try_programs(std::uint64_t seed, unsigned count, unsigned length) {
  INFO("seed " << seed);
  ProgramGenerator generator(seed);
  for (unsigned n = 0; n < count; ++n) {
    const Program p = generator.program(length);
    const std::string text = disassemble(p);
    const Program again = assemble(text, "again");
    if (to_bytes(again) != to_bytes(p)) FAIL("program " << n << " changes in this text:\n" << text);
    if (disassemble(again) != text) FAIL("the text of program " << n << " changes:\n" << text);
  }
  SUCCEED();
}

}  // namespace

TEST_CASE("assembler: long valid programs survive text", "[isa]") { try_programs(42, 100, 40); }

// 10^5 short programs in four cases, so that none takes long.
TEST_CASE("assembler: valid programs 0 to 25000 survive text", "[isa]") { try_programs(100, 25000, 1); }
TEST_CASE("assembler: valid programs 25000 to 50000 survive text", "[isa]") { try_programs(101, 25000, 1); }
TEST_CASE("assembler: valid programs 50000 to 75000 survive text", "[isa]") { try_programs(102, 25000, 1); }
TEST_CASE("assembler: valid programs 75000 to 100000 survive text", "[isa]") { try_programs(103, 25000, 1); }

TEST_CASE("assembler: omitted operands have their defaults", "[isa]") {
  const Program p = assemble(kCopy, "t");
  REQUIRE(p.stream(Queue::kVector).size() == 1);
  Instruction expected;
  expected.op = Opcode::kTensorCopy;
  expected.shape = {128, {1, 1, 1, 512}};
  expected.dst = {Space::kSbuf, DType::kBf16, 0, 0x800, {0, 0, 0, 1}};
  expected.src0 = {Space::kPsum, DType::kFp32, 0, 0, {0, 0, 0, 1}};
  CHECK(p.stream(Queue::kVector)[0] == expected);
  CHECK(p.name == "program");
  CHECK(assemble("", "t") == Program{});
}

TEST_CASE("assembler: strides, waits, updates, labels and comments have their meaning", "[isa]") {
  const Program p = assemble(
      "# a comment\n"
      ".program loop.1\n"
      "vector: ; the stream\n"
      "  reg_set d=r1 imm=-0x10\n"
      "again:\n"
      "  tensor_copy shape=64x2x8 dst=sbuf[64, 0x10]:fp32:(0,0,-1,2) src=sbuf[0,0]:fp32 wait=s3>=r7 "
      "update=s255-=2@read\n"
      "  reg_alu d=r1 a=r1 op=add imm=1\n"
      "  branch a=r1 compare=lt imm=0 target=again\n"
      "  jump target=end\r\n"
      "end: sem_wait wait=s1==4294967295\n",
      "t");
  CHECK(p.name == "loop.1");
  const auto& s = p.stream(Queue::kVector);
  REQUIRE(s.size() == 6);
  CHECK(s[0].imm == -16);
  CHECK(s[1].shape == Shape{64, {1, 1, 2, 8}});
  CHECK(s[1].dst.stride == std::array<std::int16_t, 4>{0, 0, -1, 2});
  CHECK(s[1].src0.stride == std::array<std::int16_t, 4>{0, 0, 8, 1});
  CHECK(s[1].wait == Wait{Wait::Kind::kGeReg, 3, 7});
  CHECK(s[1].update == Update{Update::Kind::kSubtract, 255, 2, true});
  CHECK(s[3].compare == CompareOp::kLt);
  CHECK(s[3].target == 1);
  CHECK(s[4].target == 5);
  CHECK(s[5].wait == Wait{Wait::Kind::kEq, 1, 4294967295U});
}

TEST_CASE("assembler: a section that is opened again continues its stream", "[isa]") {
  const Program p = assemble("sync:\nnop\nvector:\nnop\nsync:\nnop", "t");
  CHECK(p.stream(Queue::kSync).size() == 2);
  CHECK(p.stream(Queue::kVector).size() == 1);
}

TEST_CASE("assembler: transfers are numbered in order of appearance", "[isa]") {
  const Program p = assemble(
      ".args a b\n"
      ".descriptor shape=1x16 dst=b+0x40:fp32 src=a:bf16 accumulate\n"
      "sync:\n"
      "  dma_copy shape=128x4x512 dst=sbuf[0, 0]:bf16 src=a+4096:bf16:(8192,0,512,1) ring=3 src_reg=r9\n"
      "  dma_copy descriptor=0 notify=b update=s9=1\n",
      "t");
  REQUIRE(p.descriptors.size() == 2);
  CHECK(p.descriptors[0].accumulate);
  CHECK(p.descriptors[0].count == std::array<std::uint32_t, 4>{1, 1, 1, 16});
  CHECK(p.descriptors[0].dst == DmaSide{Space::kHbm, DType::kFp32, 0, 1, 0, 0x40, {0, 0, 0, 1}});
  CHECK(p.descriptors[1].src == DmaSide{Space::kHbm, DType::kBf16, 0, 0, 0, 4096, {8192, 0, 512, 1}});
  CHECK(p.descriptors[1].dst == DmaSide{Space::kSbuf, DType::kBf16, 0, kNone, 0, 0, {0, 0, 512, 1}});
  const auto& s = p.stream(Queue::kSync);
  CHECK(s[0].descriptor == 1);
  CHECK(s[0].ring == 3);
  CHECK(s[0].src_reg == 9);
  CHECK(s[1].descriptor == 0);
  CHECK(s[1].notify_arg == 1);
}

TEST_CASE("assembler: a transfer counts its peers from one core, and tells one of them that it has read",
          "[isa]") {
  const Program p = assemble(
      ".args a me\n"
      ".descriptor shape=1x16 dst=a+-0x20000000000:fp32 src=a+0xffffffffffff:fp32\n"
      ".descriptor shape=1x16 dst=a+-0x20000000000:fp32 src=a:fp32\n"
      "cc0:\n"
      "  dma_compute descriptor=0 sources=2 op=max notify=me peer=-8 read_update=s7+=1 read_peer=8 "
      "update=s9+=1\n"
      "  dma_copy descriptor=1 read_update=s255=65535\n",
      "t");
  const auto& s = p.stream(Queue::kCc0);
  CHECK(s[0].fold == AluOp::kMax);
  CHECK(s[0].peer == -8);
  CHECK(s[0].read_peer == 8);
  CHECK(s[0].update == Update{Update::Kind::kAdd, 9, 1});
  CHECK(s[0].read_update == Update{Update::Kind::kAdd, 7, 1});
  CHECK(s[1].read_update == Update{Update::Kind::kSet, 255, 65535});
  CHECK(s[1].fold == AluOp::kAdd);
  CHECK(p.descriptors[0].dst.offset == 0 - (std::uint64_t{2} << 40));
  CHECK(p.descriptors[0].src.offset == kReach - 1);
  CHECK(assemble(disassemble(p), "t") == p);
  check_error(".args a\n.descriptor shape=1x1 dst=a+0x1000000000000:fp32 src=a:fp32", "E-ASM-005", "2:29",
              "byte offset");
  check_error("cc0:\ndma_copy descriptor=0 read_update=s1+=1@read", "E-ASM-004", "2:40", "operand");
  check_error("cc0:\ndma_copy descriptor=0 peer=32768", "E-ASM-005", "2:28", "peer");
}

TEST_CASE("assembler: an optional operand that is absent stays absent", "[isa]") {
  const auto read = [](const std::string& text, Queue queue) {
    const Program p = assemble(text, "t");
    CHECK(to_bytes(assemble(disassemble(p), "t")) == to_bytes(p));
    return p.stream(queue).back();
  };
  const Instruction dense = read("tensor:\nload_weights shape=4x8 src=sbuf[0,0]:bf16", Queue::kTensor);
  CHECK(dense.src1 == Tile{});
  const Instruction sparse =
      read("tensor:\nload_weights shape=4x8 src=sbuf[0,0]:bf16 mode=sparse_1_2 tags=sbuf[0,16]:uint16",
           Queue::kTensor);
  CHECK(sparse.src1.stride == std::array<std::int16_t, 4>{0, 0, 0, 1});
  const std::string replace =
      "vector:\nmatch_replace8 shape=1x8 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 values=sbuf[0,0]:fp32 "
      "value=-0 ";
  CHECK(std::signbit(read(replace, Queue::kVector).value));
  CHECK(read(replace, Queue::kVector).result == Column{});
  CHECK(read(replace + "index=psum[32, 8]:uint16", Queue::kVector).result ==
        Column{true, Space::kPsum, DType::kUint16, 32, 8});
  const std::string activation =
      "scalar:\nactivation shape=1x1 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 func=exp scale=1";
  CHECK(read(activation, Queue::kScalar).scalar1 == Scalar{});
  CHECK(std::signbit(read(activation + " bias=-0", Queue::kScalar).scalar1.imm));
  CHECK(std::signbit(read(activation + " alpha=-0", Queue::kScalar).value));
}

TEST_CASE("assembler: an operation of two operands has its scalar, zero or not", "[isa]") {
  const std::string head = "vector:\n  tensor_scalar shape=1x1 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 ";
  check_error(head + "op0=mult", "E-ASM-008", "2:3", "lacks its operand 'scalar0'");
  check_error(head + "op0=mult scalar0=2 op1=add", "E-ASM-008", "2:3", "lacks its operand 'scalar1'");
  for (const std::string rest : {"op0=mult scalar0=0", "op0=mult scalar0=-0 op1=add scalar1=0", "op0=abs"}) {
    const Program p = assemble(head + rest, "t");
    CHECK_THAT(disassemble(p), Catch::Contains(rest + "\n"));
    CHECK(to_bytes(assemble(disassemble(p), "t")) == to_bytes(p));
  }
}

TEST_CASE("assembler: masks, words, modes and sums have their meaning", "[isa]") {
  std::string mask = "(5";
  for (unsigned n = 1; n < 32; ++n) mask += n % 2 == 0 ? ",*" : "," + std::to_string(31 - n);
  const Program p = assemble(
      ".args a\nvector:\nstream_shuffle shape=32x1 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 mask=" + mask +
          ")\nreg_load d=r1 src=a+8:uint16 src_reg=r2\nreg_store a=r1 dst=sbuf[77, 4]:int8\n"
          "sendrecv shape=2x2 dst=sbuf[0,0]:fp32 src=sbuf[0,0]:fp32 pipe=3 gpsimd_dma\n",
      "t");
  const auto& s = p.stream(Queue::kVector);
  CHECK(s[0].mask[0] == 5);
  CHECK(s[0].mask[2] == kKeep);
  CHECK(s[0].mask[31] == 0);
  CHECK(s[1].word == DmaSide{Space::kHbm, DType::kUint16, 0, 0, 0, 8, {}});
  CHECK(s[1].src_reg == 2);
  CHECK(s[2].word == DmaSide{Space::kSbuf, DType::kInt8, 77, kNone, 0, 4, {}});
  CHECK(s[3].pipe == 3);
  CHECK(s[3].gpsimd_dma);
  check_error("vector:\nstream_shuffle mask=(32", "E-ASM-005", "2:22", "0..31");
  check_error("tensor:\nload_weights mode=sparse_4_17", "E-ASM-006", "2:19", "did you mean 'sparse_4_16'");
  check_error("vector:\nselect_reduce command=reset_redce", "E-ASM-006", "2:23",
              "did you mean 'reset_reduce'");
  check_error(".args a\nsync:\ndma_copy indirect=gathr", "E-ASM-006", "3:19", "did you mean 'gather'");
  check_error("vector:\nmatch_replace8 index=hbm[0,0]:uint16", "E-ASM-006", "2:22",
              "expected one of sbuf, psum");
}

TEST_CASE("assembler: control arguments are some of the arguments", "[isa]") {
  const Program p = assemble(".args a routes b pages\n.control pages routes\n", "t");
  CHECK(p.control.to_ulong() == 0b1010);
  CHECK(p.is_control(1));
  CHECK_FALSE(p.is_control(2));
  CHECK_FALSE(p.is_control(kNone));
  CHECK(disassemble(p) == ".program program\n.args a routes b pages\n.control routes pages\n");
  CHECK(assemble(disassemble(p), "t") == p);
  check_error(".args pages\n.control page", "E-ASM-009", "2:10", "did you mean 'pages'");
  check_error(".control a\n.args a", "E-ASM-009", "1:10", "there is none");
  check_error(".args a b\n.control a\n.control b", "E-ASM-013", "3:2", "occurs twice");
  check_error(".args a b\n.control a b a", "E-ASM-013", "2:14", "distinct names");
}

TEST_CASE("assembler: a region contains the following instructions of its queue", "[isa]") {
  const std::string text =
      ".program p\n.regions load scale\n\nvector:\n  .region scale\n  nop\n  nop\n  .region load\n  nop\n";
  const Program p = assemble(text, "t");
  CHECK(p.regions == std::vector<std::string>{"load", "scale"});
  CHECK(p.marks[static_cast<std::size_t>(Queue::kVector)] == std::vector<RegionMark>{{0, 1}, {2, 0}});
  CHECK(disassemble(p) == text);
  CHECK(assemble("sync:\n nop\n .region b\n nop\n", "t").regions == std::vector<std::string>{"b"});
  check_error(".region a\nsync:\n nop", "E-ASM-012", "1:2", "outside a queue");
  check_error("sync:\n .region a\n .region b\n nop", "E-ASM-013", "3:3", "two regions");
  check_error("sync:\n nop\n .region a\n", "E-ASM-013", "3:3", "no instruction follows");
}

TEST_CASE("assembler: floats keep every bit", "[isa]") {
  const auto value = [](const std::string& text) {
    const Program p = assemble("vector:\nmemset shape=1x1 dst=sbuf[0,0]:fp32 value=" + text, "t");
    return std::bit_cast<std::uint32_t>(p.stream(Queue::kVector)[0].value);
  };
  CHECK(value("1.5") == 0x3fc00000);
  CHECK(value("-0") == 0x80000000);
  CHECK(value("0x1.8p3") == 0x41400000);
  CHECK(value("1e-45") == 1);
  CHECK(value("1e+10") == 0x501502f9);
  CHECK(value("-inf") == 0xff800000);
  CHECK(value("nan") == 0x7fc00000);
  CHECK(value("nan(0xff800001)") == 0xff800001);

  std::mt19937 random(3);
  Program p = assemble("vector:\nmemset shape=1x1 dst=sbuf[0,0]:fp32 value=0", "t");
  for (unsigned n = 0; n < 20000; ++n) {
    const auto bits = static_cast<std::uint32_t>(random());
    p.stream(Queue::kVector)[0].value = std::bit_cast<float>(bits);
    const Program again = assemble(disassemble(p), "t");
    if (std::bit_cast<std::uint32_t>(again.stream(Queue::kVector)[0].value) != bits)
      FAIL("bits " << bits << " change");
  }
}

TEST_CASE("assembler: an unknown name is reported at its place, with the nearest one", "[isa]") {
  check_error("\n .progrm x", "E-ASM-001", "2:3", "did you mean 'program'");
  check_error("vector:\n  tensor_cpy shape=1x1", "E-ASM-002", "2:3", "did you mean 'tensor_copy'");
  check_error(std::string(kCopy) + " source=1", "E-ASM-003", "2:73",
              "expected one of shape, dst, src, wait, update");
  check_error(std::string(kCopy) + " updat=s0+=1", "E-ASM-003", "2:73", "did you mean 'update'");
  check_error("vector:\nmemset shape=1x1 dst=sbuf[0,0]:fp3 value=0", "E-ASM-006", "2:32",
              "did you mean 'fp32'");
  check_error("vector:\nmemset shape=1x1 dst=sbf[0,0]:fp32 value=0", "E-ASM-006", "2:22",
              "did you mean 'sbuf'");
  check_error("scalar:\nactivation func=expp", "E-ASM-006", "2:17", "did you mean 'exp'");
  check_error(".args weights\nsync:\ndma_copy src=weihts:fp32", "E-ASM-009", "3:14",
              "did you mean 'weights'");
  check_error("sync:\nloop: nop\njump target=lop", "E-ASM-010", "3:13", "did you mean 'loop'");
  check_error("vector:\nloop: nop\nsync:\njump target=loop", "E-ASM-010", "4:13", "in queue sync");
}

TEST_CASE("assembler: an invalid form is reported at the place of the error", "[isa]") {
  check_error("vector:\nmemset shape=128 dst=sbuf[0,0]:fp32 value=0", "E-ASM-004", "2:14", "shape");
  check_error("vector:\nmemset shape=128x", "E-ASM-004", "2:14", "such as 128x512");
  check_error("vector:\nmemset shape=1x1x1x1x1x1", "E-ASM-004", "2:14", "2..5 numbers");
  check_error("vector:\nmemset shape 1x1", "E-ASM-004", "2:14", "expected '='");
  check_error("vector:\nmemset dst=sbuf(0,0)", "E-ASM-004", "2:16", "expected '[', got '('");
  check_error("vector:\nmemset dst=sbuf[0 0]:fp32", "E-ASM-004", "2:19", "byte offset");
  check_error("vector:\nmemset dst=sbuf[0,0]:fp32:(1,2,3)", "E-ASM-004", "2:33", "expected ','");
  check_error("vector:\nmemset dst=sbuf[0,0]", "E-ASM-004", "2:21", "the end of the line");
  check_error("vector:\nmemset value=fast", "E-ASM-004", "2:14", "as a number");
  check_error("vector:\nreg_set imm=many", "E-ASM-004", "2:13", "as an integer");
  check_error("vector:\nreg_set d=5", "E-ASM-004", "2:11", "r0..r63");
  check_error("vector:\nnop wait=s1<3", "E-ASM-004", "2:12", "'>=' or '=='");
  check_error("vector:\nnop update=s1*3", "E-ASM-004", "2:14", "'+=', '-=' or '='");
  check_error("vector:\n=", "E-ASM-004", "2:1", "an instruction, a label or a queue");
  check_error(".program a b", "E-ASM-004", "1:12", "the end of the line");
}

TEST_CASE("assembler: a number beyond its range is shown with the range", "[isa]") {
  check_error("vector:\nmemset shape=0x1", "E-ASM-005", "2:14", "expected 1..512");
  check_error("vector:\nmemset shape=1x65536", "E-ASM-005", "2:14", "expected 1..65535");
  check_error("vector:\nmemset dst=sbuf[512, 0]:fp32", "E-ASM-005", "2:17", "expected 0..511");
  check_error("vector:\nmemset dst=sbuf[0, 0x40000]:fp32", "E-ASM-005", "2:20", "expected 0..262143");
  check_error("vector:\nmemset dst=sbuf[0, 0]:fp32:(0,0,0,40000)", "E-ASM-005", "2:35", "-32768..32767");
  check_error("vector:\nmemset value=1e39", "E-ASM-005", "2:14", "fp32");
  check_error("vector:\nmemset value=nan(0x3f800000)", "E-ASM-005", "2:18", "not a NaN");
  check_error("vector:\nreg_set imm=3000000000", "E-ASM-005", "2:13", "2147483647");
  check_error("vector:\nreg_set imm=99999999999999999999", "E-ASM-005", "2:13", "out of range");
  check_error("vector:\nreg_set d=r64", "E-ASM-005", "2:11", "r0..r63");
  check_error("vector:\nnop wait=s256>=1", "E-ASM-005", "2:10", "s0..s255");
  check_error("vector:\nnop update=s1+=65536", "E-ASM-005", "2:16", "0..65535");
}

TEST_CASE("assembler: operands occur at most once, and all required ones occur", "[isa]") {
  check_error("vector:\nnop wait=s1>=1 wait=s2>=1", "E-ASM-007", "2:16", "'wait' of nop is given twice");
  check_error("vector:\nreg_set d=r1 d=r2", "E-ASM-007", "2:14", "given twice");
  check_error(
      ".args a\n.descriptor shape=1x1 dst=a:fp32 src=a:fp32\nsync:\n  dma_copy descriptor=0 accumulate",
      "E-ASM-007", "4:3", "by 'accumulate'");
  check_error("vector:\n  tensor_copy shape=1x1 dst=sbuf[0,0]:fp32", "E-ASM-008", "2:3",
              "lacks its operand 'src'");
  check_error(".args a\nsync:\n  dma_copy shape=1x1 dst=a:fp32", "E-ASM-008", "3:3",
              "lacks its operand 'src'");
  check_error(".args a\n .descriptor dst=a:fp32 src=a:fp32", "E-ASM-008", "2:3", "lacks its operand 'shape'");
  check_error("vector:\n  tensor_copy shape=1x2x40000 dst=sbuf[0,0]:uint8 src=sbuf[0,0]:uint8", "E-ASM-014",
              "2:3", "'dst'");
  check_error(".args a\n.descriptor shape=2x65536x65536 dst=a:fp32 src=a:fp32", "E-ASM-014", "2:2", "'dst'");
}

TEST_CASE("assembler: programs, arguments, labels and streams are declared once and in place", "[isa]") {
  check_error("nop", "E-ASM-012", "1:1", "outside a queue");
  check_error("loop:", "E-ASM-012", "1:1", "outside a queue");
  check_error("sync:\na: nop\na: nop", "E-ASM-011", "3:1", "defined twice in queue sync");
  check_error(".program a\n.program b", "E-ASM-013", "2:2", "occurs twice");
  check_error(".args a\n.args b", "E-ASM-013", "2:2", "occurs twice");
  check_error(".args a b a", "E-ASM-013", "1:11", "distinct names");
  check_error(".program " + std::string(256, 'x'), "E-ASM-013", "1:10", "1 to 255");
  check_error("sync:\n" + std::string(256, 'x') + ":", "E-ASM-013", "2:1", "1 to 255");
  std::string many = ".args";
  for (unsigned n = 0; n <= kArguments; ++n) many += " a" + std::to_string(n);
  check_error(many, "E-ASM-013", "1:" + std::to_string(many.size() - 3), "at most 128");
}

TEST_CASE("disassembler: a single instruction can be printed alone", "[isa]") {
  const Program p = assemble(kCopy, "t");
  CHECK(disassemble(p.stream(Queue::kVector)[0], p) ==
        "tensor_copy shape=128x512 dst=sbuf[0, 0x800]:bf16 src=psum[0, 0x0]:fp32");
}

TEST_CASE("disassembler: references to missing objects are shown, not followed", "[isa]") {
  Program p;
  Instruction i;
  i.op = Opcode::kDmaCopy;
  i.descriptor = 7;
  i.notify_arg = 3;
  p.stream(Queue::kSync).push_back(i);
  p.descriptors.push_back({});
  const std::string text = disassemble(p);
  CHECK_THAT(text, Catch::Contains("descriptor=7") && Catch::Contains("notify=?arg3") &&
                       Catch::Contains("src=?arg255"));
}

TEST_CASE("assembler: damaged text is refused or means something, and never breaks the assembler", "[isa]") {
  constexpr std::uint64_t kSeed = 5;
  INFO("seed " << kSeed);
  ProgramGenerator generator(kSeed);
  static constexpr std::string_view kPieces = " =:,.[]()+-x0r9s#\n\t\0\xff";
  unsigned refused = 0;
  for (unsigned n = 0; n < 2000; ++n) {
    std::string text = disassemble(generator.program(3));
    for (std::uint64_t damage = 1 + generator.below(4); damage > 0; --damage) {
      const std::size_t at = generator.below(text.size());
      if (generator.chance(30))
        text.erase(at, 1 + generator.below(5));
      else
        text[at] = kPieces[generator.below(kPieces.size())];
      if (text.empty()) text = ".";
    }
    try {
      const Program p = assemble(text, "t");
      if (!(assemble(disassemble(p), "t") == p)) FAIL(text);
    } catch (const ProgramError& e) {
      ++refused;
      if (!e.code.starts_with("E-ASM-") || !e.place.starts_with("t:")) FAIL(e.what() << "\n" << text);
    }
  }
  CHECK(refused > 1000);
}

TEST_CASE("assembler: an instruction in full includes its transfer, wherever that is used first", "[isa]") {
  const Program p = assemble(
      ".args a\nsync:\n  dma_copy shape=4x8 dst=sbuf[0, 0x0]:bf16 src=a:bf16 update=s1+=1\n"
      "  dma_copy descriptor=0 update=s2+=1\n",
      "t");
  const Instruction& again = p.stream(Queue::kSync)[1];
  CHECK(disassemble(again, p) == "dma_copy descriptor=0 update=s2+=1");
  CHECK(disassemble_in_full(again, p) == "dma_copy shape=4x8 dst=sbuf[0, 0x0]:bf16 src=a:bf16 update=s2+=1");
}
