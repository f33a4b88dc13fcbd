// SPDX-License-Identifier: Apache-2.0
// Contention between engines in PSUM banks and at the port of SBUF that two of them share.
#include <catch2/catch.hpp>

#include "model/engine/pipeline/shared_use.h"
#include "model/memory/scratchpad/psum_banks.h"
#include "model/memory/scratchpad/shared_port.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::StallReason, base::Duration, base::EngineKind, base::Time;
using tests::engine_of, tests::named;

namespace {

constexpr Time at_ns(std::int64_t ns) { return {ns * 1'000'000}; }

base::RunMeasurement run_contention(const std::string& text, const model::MachineParams& machine) {
  model::System system(machine, model::Mode::kTiming);
  system.load(0, tests::text_program(text), tests::tensor_arguments());
  return system.run();
}

const std::string kHead = ".program test\n.args in\n";

std::string copies(const std::string& vector_bank, const std::string& scalar_bank) {
  return kHead + "vector:\n  tensor_copy shape=128x512 dst=sbuf[0, 0x0]:fp32 src=psum[0, " + vector_bank +
         "]:fp32\nscalar:\n  tensor_copy shape=128x512 dst=sbuf[0, 0x4000]:fp32 src=psum[0, " + scalar_bank +
         "]:fp32\n";
}

// The stream of the scalar engine's copy of 512 elements from PSUM: 60 + 512 cycles of 1.2 GHz.
constexpr double kScalarStream = 572 / 1.2;

}  // namespace

TEST_CASE("PSUM banks: the later engine bears the delay, in the same bank only, and never because of itself",
          "[timing]") {
  model::PsumBanks banks;
  CHECK(banks.reserve(0b0001, 1, at_ns(100), at_ns(200)) == 0_ns);
  CHECK(banks.reserve(0b0010, 2, at_ns(100), at_ns(200)) == 0_ns);   // another bank
  CHECK(banks.reserve(0b0001, 1, at_ns(150), at_ns(300)) == 0_ns);   // the same engine
  CHECK(banks.reserve(0b0001, 2, at_ns(400), at_ns(500)) == 0_ns);   // later
  CHECK(banks.reserve(0b0011, 0, at_ns(180), at_ns(220)) == 60_ns);  // [180, 200] and [180, 220] of user 1
  CHECK(banks.reserve(0b0010, 1, at_ns(150), at_ns(250)) ==
        120_ns);  // [150, 200] of 2; [180, 250] of 0, prolonged
}

TEST_CASE("shared port: streams that fit run without delay, the excess is served afterwards", "[timing]") {
  model::SharedPort port({10'000'000'000, false});                                // 10 bytes a nanosecond
  CHECK(port.reserve(1, base::Bytes{600}, at_ns(0), at_ns(100)) == 0_ns);         // 60 % of it
  CHECK(port.reserve(3, base::Bytes{400}, at_ns(0), at_ns(100)) == 0_ns);         // and 40 %
  CHECK(port.reserve(3, base::Bytes{900}, at_ns(200), at_ns(300)) == 0_ns);       // no other user
  CHECK(port.reserve(1, base::Bytes{1000}, at_ns(250), at_ns(350)) == 45_ns);     // 50 of 90 % and 50 of all
  CHECK(port.reserve(1, base::Bytes{2000}, at_ns(1000), at_ns(1100)) == 100_ns);  // wider than the port
  model::SharedPort ideal({0, true});
  ideal.reserve(1, base::Bytes{1 << 20}, at_ns(0), at_ns(1));
  CHECK(ideal.reserve(3, base::Bytes{1 << 20}, at_ns(0), at_ns(1)) == 0_ns);
}

TEST_CASE("shared use: a tile's banks, from its first byte to its last, strides of either sign", "[timing]") {
  const auto core = tests::default_machine().chip.core;
  isa::Instruction i;
  i.op = isa::Opcode::kTensorCopy;
  i.shape = {128, {1, 1, 1, 512}};
  i.src0 = {isa::Space::kPsum, isa::DType::kFp32, 0, 0x800, {0, 0, 0, 1}};
  i.dst = {isa::Space::kSbuf, isa::DType::kBf16, 0, 0, {0, 0, 0, 1}};
  CHECK(shared_use(i, EngineKind::kScalar, core).banks == 0b0010);
  i.src0.offset = 0x804;
  CHECK(shared_use(i, EngineKind::kScalar, core).banks == 0b0110);
  i.src0.offset = 0x1800;
  i.src0.stride[3] = -2;
  CHECK(shared_use(i, EngineKind::kScalar, core).banks == 0b1110);
  // The port: only engines that share it count, by bytes of a partition in the direction that moves more.
  CHECK(shared_use(i, EngineKind::kScalar, core).through_port.count == 0);
  CHECK(shared_use(i, EngineKind::kVector, core).through_port.count == 1024U);
  i.src0 = {isa::Space::kSbuf, isa::DType::kFp32, 0, 0x800, {0, 0, 0, 1}};
  CHECK(shared_use(i, EngineKind::kVector, core).through_port.count == 2048U);
  CHECK(shared_use(i, EngineKind::kGpSimd, core).through_port.count == 2048U);
  CHECK_FALSE(shares(i, EngineKind::kScalar, core));
  CHECK(shares(i, EngineKind::kGpSimd, core));
}

TEST_CASE("PSUM banks: two engines in one bank take as long as one after the other", "[system]") {
  const auto m = tests::machine_of(1, 1, 1);
  const auto r = run_contention(copies("0x0", "0x0"), m);
  // Both start at once: the vector engine is first in the order of the queues.
  CHECK(named(engine_of(r, 0, EngineKind::kVector), StallReason::kBankConflict) == 0_ns);
  CHECK(named(engine_of(r, 0, EngineKind::kScalar), StallReason::kBankConflict).ns() ==
        Approx(kScalarStream).margin(0.001));
  CHECK((engine_of(r, 0, EngineKind::kScalar).last_end - Time{0}).ns() ==
        Approx((512 + 191) / 1.2 + kScalarStream).margin(0.001));
}

TEST_CASE("PSUM banks: engines in different banks do not affect each other", "[system]") {
  const auto r = run_contention(copies("0x0", "0x800"), tests::machine_of(1, 1, 1));
  CHECK(named(engine_of(r, 0, EngineKind::kScalar), StallReason::kBankConflict) == 0_ns);
}

TEST_CASE("PSUM banks: without turns engines do not conflict in a bank", "[system]") {
  auto m = tests::machine_of(1, 1, 1);
  m.chip.core.psum.bank_turns = false;
  const auto r = run_contention(copies("0x0", "0x0"), m);
  CHECK(named(engine_of(r, 0, EngineKind::kScalar), StallReason::kBankConflict) == 0_ns);
}

TEST_CASE("PSUM banks: a matmul waits for the reader of its bank, not of another one", "[system]") {
  const auto conflict = [](const std::string& bank) {
    return tests::in_child([&] {
      const auto r =
          run_contention(kHead +
                             "tensor:\n  load_weights shape=128x128 src=sbuf[0, 0x8000]:bf16\n"
                             "  matmul shape=128x512 columns=128 dst=psum[0, " +
                             bank +
                             "]:fp32 src=sbuf[0, 0x9000]:bf16\nscalar:\n"
                             "  tensor_copy shape=128x512 dst=sbuf[0, 0x0]:fp32 src=psum[0, 0x0]:fp32\n",
                         tests::machine_of(1, 1, 1));
      return std::to_string(named(engine_of(r, 0, EngineKind::kTensor), StallReason::kBankConflict).fs);
    });
  };
  CHECK(std::stoll(conflict("0x0")) > 0);
  CHECK(std::stoll(conflict("0x800")) == 0);
}

TEST_CASE("shared port: GpSimd beside the vector engine's 4x mode streams behind it", "[system]") {
  const auto r = run_contention(kHead +
                                    "vector:\n  tensor_copy shape=128x16384 dst=sbuf[0, 0x0]:fp16 "
                                    "src=sbuf[0, 0x8000]:fp16\ngpsimd:\n  tensor_copy shape=128x4096 "
                                    "dst=sbuf[0, 0x10000]:fp32 src=sbuf[0, 0x14000]:fp32\n",
                                tests::machine_of(1, 1, 1));
  // Both stream in 4246 cycles of 1.2 GHz, of which the vector engine needs 4096 of 4144 parts.
  const double both = 4246 / 1.2, needed = 16384 / 7.68;
  CHECK(named(engine_of(r, 0, EngineKind::kGpSimd), StallReason::kPortConflict).ns() ==
        Approx(needed + both * 4096 / 4144 - both).margin(1 / 1.2));
  CHECK(named(engine_of(r, 0, EngineKind::kVector), StallReason::kPortConflict) == 0_ns);
}

TEST_CASE("shared port: fp16 on GpSimd beside fp32 on the vector engine fits", "[system]") {
  const auto r = run_contention(kHead +
                                    "vector:\n  tensor_copy shape=128x4096 dst=sbuf[0, 0x0]:fp32 "
                                    "src=sbuf[0, 0x8000]:fp32\ngpsimd:\n  tensor_copy shape=128x4096 "
                                    "dst=sbuf[0, 0x10000]:fp16 src=sbuf[0, 0x14000]:fp16\n",
                                tests::machine_of(1, 1, 1));
  CHECK(named(engine_of(r, 0, EngineKind::kGpSimd), StallReason::kPortConflict) == 0_ns);
}

TEST_CASE("contention: run-ahead and values change no time", "[system]") {
  // Engines that conflict in banks and at the port repeatedly and out of step.
  std::string text = kHead + "vector:\n  reg_set d=r0 imm=20\nv:\n" +
                     "  tensor_copy shape=128x300 dst=sbuf[0, 0x0]:fp32 src=psum[0, 0x0]:fp32\n"
                     "  tensor_copy shape=128x512 dst=sbuf[0, 0x1000]:fp16 src=sbuf[0, 0x2000]:fp16\n"
                     "  reg_alu d=r0 a=r0 op=subtract imm=1\n  branch a=r0 compare=gt imm=0 target=v\n"
                     "scalar:\n  reg_set d=r0 imm=20\ns:\n"
                     "  tensor_copy shape=128x200 dst=sbuf[0, 0x3000]:fp32 src=psum[0, 0x400]:fp32\n"
                     "  tensor_copy shape=128x100 dst=sbuf[0, 0x4000]:fp32 src=sbuf[0, 0x5000]:fp32\n"
                     "  reg_alu d=r0 a=r0 op=subtract imm=1\n  branch a=r0 compare=gt imm=0 target=s\n"
                     "gpsimd:\n  reg_set d=r0 imm=20\ng:\n"
                     "  tensor_copy shape=128x256 dst=sbuf[0, 0x6000]:fp32 src=sbuf[0, 0x7000]:fp32\n"
                     "  reg_alu d=r0 a=r0 op=subtract imm=1\n  branch a=r0 compare=gt imm=0 target=g\n";
  const auto times = [&](model::Mode mode, bool run_ahead) {
    return tests::in_child([&] {
      model::System system(tests::machine_of(1, 1, 1), mode, run_ahead);
      system.load(0, tests::text_program(text), tests::tensor_arguments());
      const auto r = system.run();
      const bool met = named(engine_of(r, 0, EngineKind::kScalar), StallReason::kBankConflict).fs +
                               named(engine_of(r, 0, EngineKind::kVector), StallReason::kBankConflict).fs >
                           0 &&
                       named(engine_of(r, 0, EngineKind::kGpSimd), StallReason::kPortConflict).fs +
                               named(engine_of(r, 0, EngineKind::kVector), StallReason::kPortConflict).fs >
                           0;
      return tests::times_of(r) + (met ? "met" : "never met");
    });
  };
  const std::string ahead = times(model::Mode::kTiming, true);
  CHECK(ahead.find("never") == std::string::npos);
  CHECK(ahead == times(model::Mode::kTiming, false));
  CHECK(ahead == times(model::Mode::kFunctional, true));
}
