// SPDX-License-Identifier: Apache-2.0
// The elaborated machine against closed forms: latencies, rates, sharing, links, deadlock.
#include <catch2/catch.hpp>
#include <cstring>

#include "model/base/error.h"
#include "model/system/system.h"
#include "tests/support/bench/idle_transfer.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/tiny_programs.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::Duration;
using isa::Queue;
using model::Mode;

namespace {

using Args = std::array<std::uint64_t, isa::kArguments>;

std::uint64_t at(std::uint32_t chip, std::uint32_t stack, std::uint64_t offset) {
  return isa::GlobalAddress{chip, stack, offset}.bits();
}

std::shared_ptr<const isa::Program> shared(isa::Program p) {
  return std::make_shared<isa::Program>(std::move(p));
}

// Time at which the last semaphore of one transfer is visible.
Duration run_alone(const model::MachineParams& m, isa::Program p, const Args& args) {
  model::System system(m, Mode::kTiming);
  system.load(0, shared(std::move(p)), args);
  return system.run().elapsed;
}

}  // namespace

TEST_CASE("machine: an idle load takes doorbell, start-up, skew, its elements, read latency and completion",
          "[system]") {
  const auto m = flat_chip();
  isa::Program p;
  auto i = load_rows(p, 0, 128, 2048, 0);
  p.stream(Queue::kSync).edit() = {i};
  // two elements of 4 rows, and a semaphore. A packet's data follow its read: the latency is added to the
  // last packet of the share
  const Duration expected = idle_read(m, 2 * (8192 / 32 + 3 + 1) + 1) + semaphore_behind(m);
  CHECK(run_alone(m, p, {}).ns() == Approx(expected.ns()).epsilon(0.01));
}

TEST_CASE("machine: a long stream of 4 KiB rows reaches the rate of 16 DMA engines", "[system]") {
  const auto m = machine_of(1, 1, 1);
  isa::Program p;
  for (int n = 0; n < 50; ++n) p.stream(Queue::kSync).push_back(load_rows(p, 0, 128, 4096, 0));
  const double ns = run_alone(m, p, {}).ns();
  const double rate = 50 * 128 * 4096 / (ns - (idle_read(m, 0) + semaphore_behind(m)).ns());
  CHECK(rate == Approx(16 * 27.2 * 512 / 516).epsilon(0.02));
}

TEST_CASE("machine: two cores on one stack share it and together reach its rate", "[system]") {
  auto m = machine_of(1, 1, 1);
  m.chip.hbm.bandwidth = {400'000'000'000, false};
  isa::Program p;
  for (int n = 0; n < 100; ++n) p.stream(Queue::kSync).push_back(load_rows(p, 0, 128, 4096, 0));
  model::System system(m, Mode::kTiming);
  const auto program = shared(p);
  system.load(0, program, Args{});
  system.load(1, program, Args{});
  const auto run = system.run();
  const double total = 2.0 * 100 * 128 * 4096;
  CHECK(total / run.elapsed.ns() == Approx(400).epsilon(0.04));
  const auto& a = run.dma[0];
  const auto& b = run.dma[1];
  CHECK(a.active.ns() == Approx(b.active.ns()).epsilon(0.02));
}

TEST_CASE("machine: hand-over from one engine to another takes the time of silicon", "[system]") {
  const auto m = machine_of(1, 1, 1);
  isa::Program p;
  auto producer = elementwise(isa::Opcode::kTensorCopy, 96);
  producer.update = {isa::Update::Kind::kAdd, 4, 1};
  auto consumer = elementwise(isa::Opcode::kTensorCopy, 96);
  consumer.wait = {isa::Wait::Kind::kGe, 4, 1};
  p.stream(Queue::kVector).edit() = {producer};
  p.stream(Queue::kScalar).edit() = {consumer};
  model::System system(m, Mode::kTiming);
  system.load(0, shared(p), Args{});
  const auto run = system.run();
  const auto& vector = run.engines[1];
  const auto& scalar = run.engines[2];
  REQUIRE(vector.kind == base::EngineKind::kVector);
  REQUIRE(scalar.kind == base::EngineKind::kScalar);
  // DVE 10.42..11.25 ns to the value, 22.5 ns to the scalar engine's start
  const double ns = (scalar.first_start - vector.last_end).ns();
  CHECK(ns > 10.41 + 22.5);
  CHECK(ns < 11.26 + 22.5);
  CHECK(scalar.time[static_cast<std::size_t>(base::StallReason::kWaitVector)] > Duration{0});
}

TEST_CASE("machine: a register loop runs as often as its count", "[system]") {
  const auto m = machine_of(1, 1, 1);
  isa::Program p;
  isa::Instruction set, add, branch;
  set.op = isa::Opcode::kRegSet;
  set.reg_d = 1;
  set.imm = 0;
  add.op = isa::Opcode::kRegAlu;
  add.op0 = isa::AluOp::kAdd;
  add.reg_d = add.reg_a = 1;
  add.imm = 1;
  branch.op = isa::Opcode::kBranch;
  branch.reg_a = 1;
  branch.compare = isa::CompareOp::kLt;
  branch.imm = 1000;
  branch.target = 1;
  p.stream(Queue::kGpSimd).edit() = {set, add_to(7), add, branch};
  p.stream(Queue::kSync).edit() = {wait_ge(7, 1000)};
  model::System system(m, Mode::kTiming);
  system.load(0, shared(p), Args{});
  const auto run = system.run();
  CHECK(run.instructions == 1 + 3 * 1000 + 1);
  const auto& q = m.chip.core.sequencer;
  const auto& g = q.gpsimd;
  // All but the last branch are taken.
  const std::int64_t cycles =
      g.step.count + 1000 * (g.update.count + g.gap.count + g.step.count) + 999 * g.jump.count + g.step.count;
  CHECK(run.elapsed == base::Clock(q.clock).length({cycles}));
}

TEST_CASE("machine: a write to a neighbour chip takes one hop, and its bytes are on that link alone",
          "[system][link]") {
  const auto m = machine_of(4, 4, 1);
  isa::Program p;
  auto copy = hbm_copy(p, 1, 0, 1 << 20, 0);
  copy.notify_arg = 2;
  p.stream(Queue::kSync).edit() = {copy};
  isa::Program waiting;
  waiting.stream(Queue::kSync).edit() = {wait_ge(0, 16)};
  model::System system(m, Mode::kTiming);
  Args args{};
  args[0] = at(0, 0, 0);
  args[1] = at(1, 0, 0);
  args[2] = 8;  // first core of chip 1
  system.load(0, shared(p), args);
  system.load(8, shared(waiting), Args{});
  const auto run = system.run();
  std::uint64_t payload = 0, links = 0;
  for (const auto& l : run.links) {
    payload += l.payload_bytes;
    if (l.packets > 0) {
      ++links;
      CHECK(l.from_chip == 0);
      CHECK(l.to_chip == 1);
    }
  }
  CHECK(links == 1);
  CHECK(payload == (1 << 20));
  // 16 engines feed the link faster than it drains: serialisation of all packets, then the path of one
  const double wire = (1 << 20) * (4096.0 + 32) / 4096 / 128;
  const auto& d = m.chip.core.dma;
  const double cold = d.cold_read.ns(), one_packet = 154;
  const double head = (d.doorbell_sync + d.first_doorbell + d.start_up).ns() + cold + one_packet +
                      unloaded_read(m).ns() + 2 * m.link.router.ns() + m.link.wire.ns() +
                      (d.semaphore_write - d.semaphore_return).ns();
  CHECK(run.elapsed.ns() == Approx(wire + head).epsilon(0.02));
}

TEST_CASE("machine: traffic over several hops and turns arrives, and an unused link carries no byte",
          "[system][link]") {
  const auto m = machine_of(4, 4, 4);
  model::System system(m, Mode::kTiming);
  // every chip sends 64 KiB to the chip opposite in all three axes
  for (std::uint32_t chip = 0; chip < 64; ++chip) {
    isa::Program p;
    auto copy = hbm_copy(p, 1, 0, 65536, 0);
    copy.notify_arg = 2;
    p.stream(Queue::kCc0).edit() = {copy};
    p.stream(Queue::kSync).edit() = {wait_ge(0, 16)};
    const std::uint32_t to = 63 - chip;
    Args args{};
    args[0] = at(chip, 0, 0);
    args[1] = at(to, 0, 1 << 20);
    args[2] = to * 8;
    system.load(chip * 8, shared(p), args);
  }
  const auto run = system.run();
  std::uint64_t written = 0, hops = 0, payload = 0;
  for (const auto& h : run.hbm) written += h.write_bytes;
  const auto distance = [](std::uint32_t a,
                           std::uint32_t b) {  // 63 - chip mirrors each coordinate c to 3 - c
    std::uint32_t n = 0;
    for (int axis = 0; axis < 3; ++axis, a /= 4, b /= 4)
      n += (a % 4 + 4 - b % 4) % 4 == 2 ? 2 : (a % 4 != b % 4);
    return n;
  };
  for (std::uint32_t chip = 0; chip < 64; ++chip) hops += distance(chip, 63 - chip);
  for (const auto& l : run.links) payload += l.payload_bytes;
  CHECK(written == 64 * 65536);
  CHECK(payload == hops * 65536);
}

TEST_CASE("machine: halving the link rate doubles a link-bound transfer", "[system][link]") {
  auto m = machine_of(4, 1, 1);
  m.link.x = {16'000'000'000, false};
  isa::Program p;
  auto copy = hbm_copy(p, 1, 0, 4 << 20, 0);
  copy.notify_arg = 2;
  p.stream(Queue::kSync).edit() = {copy};
  Args args{};
  args[1] = at(1, 0, 0);
  args[2] = 0;
  const double ns = run_alone(m, p, args).ns();
  CHECK(ns == Approx((4 << 20) * (4096.0 + 32) / 4096 / 16 + 1700).epsilon(0.01));
}

TEST_CASE("machine: a wait that cannot be satisfied ends the run and is named", "[system]") {
  const auto m = machine_of(1, 1, 1);
  isa::Program p;
  p.stream(Queue::kScalar).edit() = {wait_ge(5, 1), add_to(6)};
  p.stream(Queue::kVector).edit() = {wait_ge(6, 1), add_to(5)};
  model::System system(m, Mode::kTiming);
  system.load(3, shared(p), Args{});
  try {
    system.run();
    FAIL("a cycle of waits ended");
  } catch (const base::UserError& e) {
    CHECK(e.status == base::ExitStatus::kNoProgress);
    const std::string text = e.what();
    CHECK(text.find("core3.vector") != std::string::npos);
    CHECK(text.find("semaphore 5 >= 1") != std::string::npos);
    CHECK(text.find("would be raised by: vector") != std::string::npos);
  }
}

TEST_CASE("machine: a full DMA ring delays its doorbell and nothing is lost", "[system]") {
  auto m = machine_of(1, 1, 1);
  m.chip.core.dma.ring_depth = 2;
  isa::Program p;
  for (int n = 0; n < 20; ++n) p.stream(Queue::kSync).push_back(load_rows(p, 0, 128, 4096, 0));
  p.stream(Queue::kVector).edit() = {wait_ge(0, 20 * 16)};
  model::System system(m, Mode::kTiming);
  system.load(0, shared(p), Args{});
  const auto run = system.run();
  CHECK(run.dma[0].transfers == 20);
  CHECK(run.dma[0].bytes == 20 * 128 * 4096);
  const auto& sync = run.engines[4];
  REQUIRE(sync.kind == base::EngineKind::kSync);
  CHECK(sync.time[static_cast<std::size_t>(base::StallReason::kQueueFull)] > Duration{0});
}

TEST_CASE("machine: functional mode moves values between chips and takes the same time", "[system][link]") {
  const auto m = machine_of(2, 2, 1);
  isa::Program p;
  auto copy = hbm_copy(p, 1, 0, 4096, 0);
  copy.notify_arg = 2;
  p.stream(Queue::kCc1).edit() = {copy};
  Args args{};
  args[0] = at(0, 1, 64);
  args[1] = at(3, 2, 128);
  args[2] = 24;
  model::System system(m, Mode::kFunctional);
  for (int n = 0; n < 1024; ++n) {
    const float v = static_cast<float>(n);
    std::memcpy(system.hbm(args[0], 4096) + 4 * n, &v, 4);
  }
  system.load(0, shared(p), args);
  system.run();
  for (int n = 0; n < 1024; ++n) {
    float v = -1;
    std::memcpy(&v, system.hbm(args[1], 4096) + 4 * n, 4);
    REQUIRE(v == static_cast<float>(n));
  }
}

TEST_CASE("machine: cores and stacks need not divide, every core has a stack", "[system]") {
  auto m = machine_of(1, 1, 1);
  m.chip.hbm.stacks = 6;
  m.check();
  const model::System system(m, Mode::kTiming);
  std::array<unsigned, 6> cores_of{};
  for (std::uint32_t core = 0; core < system.cores(); ++core) ++cores_of.at(system.stack_of(core));
  for (const unsigned n : cores_of) CHECK((n == 1 || n == 2));
}
