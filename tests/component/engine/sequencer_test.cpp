// SPDX-License-Identifier: Apache-2.0
// Registers, branches and addresses, compared with arithmetic on wide integers and plain memory.
#include "model/engine/sequencer/sequencer.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <random>

#include "isa/core/program_error.h"
#include "isa/text/assembler.h"

using namespace tahoma;
using Catch::Contains;

namespace {

constexpr std::size_t kStride = 4096, kHbmBytes = 4096;

struct Chip : sim::ScratchpadIf {
  std::vector<std::byte> memory = std::vector<std::byte>(128 * kStride);
  sim::KnownBytes set;
  std::byte* bytes() override { return memory.data(); }
  std::size_t stride() const override { return kStride; }
  sim::KnownBytes& known() override { return set; }
};

struct Hbm : sim::BackdoorIf {
  std::vector<std::byte> memory = std::vector<std::byte>(kHbmBytes);
  sim::KnownBytes set;
  void check(std::uint64_t address, std::uint64_t bytes) const override {
    if (address + bytes > memory.size()) throw isa::ProgramError("E-RUN-042", "", "outside");
  }
  std::byte* at(std::uint64_t address, std::uint64_t) override { return &memory.at(address); }
  sim::KnownBytes& known() override { return set; }
};

// A sequencer with its memories and one stream.
struct Rig {
  isa::Program program;
  model::Arguments arguments{};
  Chip sbuf, psum;
  Hbm hbm;
  model::Sequencer sequencer;

  explicit Rig(const std::string& lines, bool functional = true)
      : program(isa::assemble(".program p\n.args counts other\n.control counts\nvector:\n" + lines, "p")),
        sequencer({"core", isa::Queue::kVector, 0, functional}) {
    arguments[1] = 1024;
    hbm.set.add(0, 64);  // the control tensor
    sequencer.load(program, arguments);
  }
  model::CoreMemories memories() { return {sbuf, psum, hbm}; }
  void step() {
    const isa::Instruction& i = sequencer.current();
    sequencer.execute(i, memories());
    sequencer.advance(i);
  }
  void run(int most = 1000) {
    for (; !sequencer.done(); step()) REQUIRE(most-- > 0);
  }
  template <class T>
  void put(std::byte* at, T value) {
    std::memcpy(at, &value, sizeof value);
  }
};

}  // namespace

TEST_CASE("reg_set and reg_alu: arithmetic is that of integers modulo 2^32, signed where it compares",
          "[sequencer]") {
  constexpr unsigned kSeed = 5;
  INFO("seed " << kSeed);
  std::mt19937 random(kSeed);
  for (int n = 0; n < 200; ++n) {
    const auto a = static_cast<std::int32_t>(random()), b = static_cast<std::int32_t>(random());
    const std::string text =
        "reg_set d=r1 imm=" + std::to_string(a) + "\nreg_set d=r63 imm=" + std::to_string(b);
    const auto result = [&](const std::string& op) {
      Rig rig(text + "\nreg_alu d=r0 a=r1 op=" + op + " b=r63");
      rig.run();
      return rig.sequencer.reg(0);
    };
    const auto low = [](std::int64_t wide) {
      return static_cast<std::int64_t>(
          static_cast<std::int32_t>(static_cast<std::uint32_t>(wide & 0xFFFFFFFF)));
    };
    const std::int64_t x = a, y = b, ux = static_cast<std::uint32_t>(a);
    CAPTURE(a, b);
    CHECK(result("add") == low(x + y));
    CHECK(result("subtract") == low(x - y));
    CHECK(result("mult") == low(x * y));
    CHECK(result("max") == (x > y ? x : y));
    CHECK(result("min") == (x < y ? x : y));
    CHECK(result("bypass") == x);
    CHECK(result("bitwise_and") == low(x & y));
    CHECK(result("bitwise_or") == low(x | y));
    CHECK(result("bitwise_xor") == low(x ^ y));
    CHECK(result("shift_left") == low(ux << (y & 31)));
    CHECK(result("shift_right") == low(ux >> (y & 31)));
  }
}

TEST_CASE("branch: is taken exactly when signed values compare so", "[sequencer]") {
  const std::vector<std::int32_t> values{INT32_MIN, -2, -1, 0, 1, 2, INT32_MAX};
  for (const auto a : values)
    for (const auto b : values) {
      const std::pair<const char*, bool> cases[] = {{"eq", a == b}, {"ne", a != b}, {"lt", a < b},
                                                    {"le", a <= b}, {"gt", a > b},  {"ge", a >= b}};
      for (const auto& [compare, taken] : cases) {
        Rig rig("reg_set d=r1 imm=" + std::to_string(a) + "\nbranch a=r1 compare=" + compare +
                " imm=" + std::to_string(b) + " target=end\nreg_set d=r2 imm=1\nend:");
        rig.run();
        CAPTURE(a, b, compare);
        CHECK(rig.sequencer.reg(2) == (taken ? 0 : 1));
      }
    }
}

TEST_CASE("jump: continues at its label, forwards and backwards", "[sequencer]") {
  Rig rig(
      "jump target=b\na:\nreg_set d=r1 imm=1\njump target=end\nb:\nreg_set d=r2 imm=2\njump target=a\n"
      "reg_set d=r3 imm=3\nend:");
  rig.run();
  CHECK(rig.sequencer.reg(1) == 1);
  CHECK(rig.sequencer.reg(2) == 2);
  CHECK(rig.sequencer.reg(3) == 0);
}

TEST_CASE("nop: changes no register and continues", "[sequencer]") {
  Rig rig("reg_set d=r1 imm=7\nnop\nreg_alu d=r2 a=r1 op=add imm=1");
  rig.run();
  for (std::uint8_t r = 0; r < isa::kRegisters; ++r) {
    const std::int64_t expected = r == 1 ? 7 : r == 2 ? 8 : 0;
    CHECK(rig.sequencer.reg(r) == expected);
  }
}

TEST_CASE("reg_load: words load with their sign, from the place that the register adds", "[sequencer]") {
  Rig rig(R"(reg_set d=r1 imm=8
reg_load d=r2 src=sbuf[3, 0x10]:int8 src_reg=r1
reg_load d=r3 src=sbuf[3, 0x10]:uint8 src_reg=r1
reg_load d=r4 src=sbuf[3, 0x18]:int16
reg_load d=r5 src=sbuf[3, 0x18]:uint16
reg_load d=r6 src=sbuf[3, 0x18]:int32
reg_load d=r7 src=other+0x4:uint32 src_reg=r1)");
  rig.put(rig.sbuf.bytes() + 3 * kStride + 24, std::uint32_t{0x8001FFFE});
  rig.put(rig.hbm.memory.data() + 1024 + 12, std::uint32_t{0xFFFFFFFD});
  rig.run();
  CHECK(rig.sequencer.reg(2) == -2);
  CHECK(rig.sequencer.reg(3) == 254);
  CHECK(rig.sequencer.reg(4) == -2);
  CHECK(rig.sequencer.reg(5) == 65534);
  CHECK(rig.sequencer.reg(6) == static_cast<std::int32_t>(0x8001FFFE));
  CHECK(rig.sequencer.reg(7) == -3);
}

TEST_CASE("reg_store: a store writes the low bytes and nothing else", "[sequencer]") {
  for (const auto& [dtype, bytes] :
       {std::pair{"int8", 1}, {"uint8", 1}, {"int16", 2}, {"uint16", 2}, {"int32", 4}}) {
    Rig rig(std::string("reg_set d=r1 imm=-559038737\nreg_store a=r1 dst=sbuf[1, 0x40]:") + dtype +
            "\nreg_store a=r1 dst=other:" + dtype);
    std::fill(rig.sbuf.memory.begin(), rig.sbuf.memory.end(), std::byte{0x55});
    rig.run();
    const std::uint32_t value = 0xDEADBEEF;
    const std::byte* at = rig.sbuf.bytes() + kStride + 64;
    CAPTURE(dtype);
    CHECK(std::memcmp(at, &value, static_cast<std::size_t>(bytes)) == 0);
    CHECK(at[bytes] == std::byte{0x55});
    CHECK(std::memcmp(&rig.hbm.memory[1024], &value, static_cast<std::size_t>(bytes)) == 0);
  }
}

TEST_CASE("registers: a word outside its memory or between its multiples is refused", "[sequencer]") {
  const auto refuses = [](int offset, const char* word) {
    Rig rig("reg_set d=r1 imm=" + std::to_string(offset) + "\nreg_load d=r2 src_reg=r1 src=" + word);
    rig.step();
    rig.step();
  };
  CHECK_NOTHROW(refuses(kStride - 8 - 4, "sbuf[0, 0x0]:int32"));  // the last 8 bytes belong to the runtime
  CHECK_THROWS_WITH(refuses(kStride - 8, "sbuf[0, 0x0]:int32"),
                    Contains("E-RUN-044") && Contains("4088..4091"));
  CHECK_THROWS_WITH(refuses(-4, "sbuf[0, 0x0]:int32"), Contains("E-RUN-044"));
  CHECK_THROWS_WITH(refuses(2, "sbuf[0, 0x0]:int32"), Contains("E-RUN-044"));
  CHECK_NOTHROW(refuses(2, "sbuf[0, 0x0]:int16"));
  CHECK_THROWS_WITH(refuses(4096, "counts:int32"), Contains("E-RUN-042"));
}

TEST_CASE("registers: a word on another chip is refused", "[sequencer]") {
  Rig rig("reg_load d=r2 src=other:int32");
  rig.arguments[1] = isa::GlobalAddress{1, 0, 0}.bits();
  CHECK_THROWS_WITH(rig.step(), Contains("E-RUN-040"));
}

TEST_CASE("control: timing mode knows the values of control tensors, constants and arithmetic on them",
          "[sequencer]") {
  Rig rig(R"(reg_load d=r1 src=counts+0x4:int32
reg_alu d=r2 a=r1 op=mult imm=3
reg_store a=r2 dst=sbuf[0, 0x20]:int32
reg_load d=r3 src=sbuf[0, 0x20]:int32
branch a=r3 compare=eq imm=21 target=end
reg_set d=r4 imm=1
end:)",
          false);
  rig.put(&rig.hbm.memory[4], std::int32_t{7});
  rig.run();
  CHECK(rig.sequencer.reg(4) == 0);
}

TEST_CASE("control: a branch on anything else is refused in timing mode, by name", "[sequencer]") {
  const std::string text = R"(reg_load d=r1 src=other+0x8:int32
reg_alu d=r2 a=r1 op=add imm=3
branch a=r2 compare=eq imm=21 target=end
end:)";
  Rig timing(text, false);
  CHECK_THROWS_WITH(timing.run(), Contains("core[2] branch") && Contains("E-RUN-052") && Contains("r2") &&
                                      Contains("vector[0] reg_load") && Contains("other+0x8:int32"));
  Rig functional(text, true);
  CHECK_NOTHROW(functional.run());
}

TEST_CASE("control: unknown waits, addresses and row numbers are refused in timing mode", "[sequencer]") {
  Rig wait("reg_load d=r1 src=sbuf[5, 0x0]:int32\nsem_wait wait=s0>=r1", false);
  wait.step();
  CHECK_THROWS_WITH(wait.sequencer.wait_value(wait.sequencer.current().wait),
                    Contains("E-RUN-052") && Contains("sbuf[5, 0x0]:int32"));
  Rig address(
      "reg_load d=r1 src=other:int32\ndma_copy shape=1x4 dst=sbuf[0, 0x0]:fp32 src=other:fp32 src_reg=r1",
      false);
  address.step();
  CHECK_THROWS_WITH(address.sequencer.request(address.sequencer.current(), address.memories()),
                    Contains("E-RUN-052"));
  Rig rows(
      "dma_copy shape=2x4 dst=sbuf[0, 0x0]:fp32 src=other:fp32 indirect=gather rows=sbuf[0, 0x100]:int32 "
      "bound=8",
      false);
  rows.sbuf.set.add(0x100, 4);  // only partition 0
  CHECK_THROWS_WITH(rows.sequencer.request(rows.sequencer.current(), rows.memories()),
                    Contains("E-RUN-053") && Contains("sbuf[1, 0x100]"));
  rows.sbuf.set.add(kStride + 0x100, 4);
  CHECK(rows.sequencer.request(rows.sequencer.current(), rows.memories()).rows.size() == 2);
}

TEST_CASE("control: a store of an unknown value makes its place unknown", "[sequencer]") {
  Rig rig(R"(reg_load d=r1 src=other:int32
reg_store a=r1 dst=counts:int32
reg_load d=r2 src=counts:int32
branch a=r2 compare=eq imm=0 target=end
end:)",
          false);
  CHECK_THROWS_WITH(rig.run(), Contains("E-RUN-052") && Contains("src=counts:int32"));
}

TEST_CASE("dynamic copy: registers move the tiles, inside their memories", "[sequencer]") {
  const auto resolved = [](int dst, int src) {
    Rig rig("reg_set d=r1 imm=" + std::to_string(dst) + "\nreg_set d=r2 imm=" + std::to_string(src) +
            "\ntensor_copy_dynamic shape=128x2x8 dst=sbuf[0, 0x100]:bf16:(0,0,-8,1) "
            "src=psum[0, 0x40]:fp32 dst_reg=r1 src_reg=r2");
    rig.step();
    rig.step();
    return rig.sequencer.resolve(rig.sequencer.current(), rig.memories());
  };
  const isa::Instruction i = resolved(64, -32);
  CHECK(i.dst.offset == 0x100 + 64);
  CHECK(i.src0.offset == 0x40 - 32);
  CHECK_NOTHROW(resolved(16 - 0x100, 0));  // reaches back 8 elements of 2 bytes
  CHECK_THROWS_WITH(resolved(14 - 0x100, 0), Contains("E-RUN-044") && Contains("'dst' starts at byte 14"));
  CHECK_THROWS_WITH(resolved(1, 0), Contains("E-RUN-044"));
  CHECK_NOTHROW(resolved(0, kStride - 64 - 0x40));  // 16 elements of 4 bytes to the end of PSUM
  CHECK_THROWS_WITH(resolved(0, kStride - 60 - 0x40), Contains("E-RUN-044") && Contains("'src'"));
}

TEST_CASE("indirect: row numbers at or beyond the bound are refused, or skipped if the program requests it",
          "[sequencer]") {
  const auto rows = [](const std::string& dtype, const std::string& skip) {
    Rig rig("dma_copy shape=4x8 dst=sbuf[0, 0x0]:fp32 src=other:fp32 indirect=gather rows=sbuf[32, 0x100]:" +
            dtype + " bound=10 " + skip);
    const std::int32_t numbers[] = {9, -1, 10, 0};
    for (unsigned p = 0; p < 4; ++p) rig.put(rig.sbuf.bytes() + (32 + p) * kStride + 0x100, numbers[p]);
    return rig.sequencer.request(rig.sequencer.current(), rig.memories()).rows;
  };
  CHECK(rows("int32", "skip") == std::vector<isa::IndirectRow>{{0, 9}, {3, 0}});
  CHECK_THROWS_WITH(rows("int32", ""), Contains("E-RUN-043") && Contains("row number -1 in sbuf[33, 0x100]"));
  CHECK_THROWS_WITH(rows("uint32", ""), Contains("E-RUN-043") && Contains("4294967295"));
}

TEST_CASE("bound: rows that a register selects beyond it are refused, or skipped if the program requests it",
          "[sequencer]") {
  // 4 rows of 8 fp32 from the row that r1 selects, of a tensor of 10 rows; the side starts in its row 1.
  const auto request = [](const std::string& side, std::int32_t row, const std::string& skip) {
    const std::string tile = "sbuf[0, 0x0]:fp32", rows = "other+0x20:fp32:(8,0,0,1)";
    const bool loads = side == "src";
    Rig rig("reg_set d=r1 imm=" + std::to_string(32 * row) +
            "\n dma_copy shape=4x8 dst=" + (loads ? tile : rows) + " src=" + (loads ? rows : tile) + " " +
            side + "_reg=r1 bound=10 " + skip);
    rig.sequencer.execute(rig.sequencer.current(), rig.memories());
    rig.sequencer.advance(rig.sequencer.current());
    return rig.sequencer.request(rig.sequencer.current(), rig.memories());
  };
  using Rows = std::vector<isa::IndirectRow>;
  for (const std::string side : {"src", "dst"}) {
    for (const std::int32_t inside : {-1, 0, 5}) {
      CHECK(request(side, inside, "skip").indirect == isa::Indirection::kNone);
      CHECK(request(side, inside, "").indirect == isa::Indirection::kNone);
    }
    const auto address = [&](const model::TransferRequest& r) { return side == "src" ? r.src : r.dst; };
    const model::TransferRequest beyond = request(side, 7, "skip"), before = request(side, -3, "skip");
    CHECK(beyond.indirect == (side == "src" ? isa::Indirection::kGather : isa::Indirection::kScatter));
    CHECK(beyond.rows == Rows{{0, 8}, {1, 9}});
    CHECK(before.rows == Rows{{2, 0}, {3, 1}});
    CHECK(address(beyond) == address(before));  // of row 0
    CHECK(address(beyond) == address(request(side, -1, "")));
    CHECK(request(side, 9, "skip").rows.empty());
    CHECK_THROWS_WITH(request(side, 6, ""),
                      Contains("E-RUN-043") && Contains("rows 7..10; expected rows within 0..9"));
    CHECK_THROWS_WITH(request(side, -2, ""), Contains("E-RUN-043") && Contains("rows -1..2"));
  }
}
