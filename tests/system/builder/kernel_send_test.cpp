// SPDX-License-Identifier: Apache-2.0
// Sends, folds and credits between the programs of several cores.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>

#include "isa/validate/validate.h"
#include "runtime/builder/kernel.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/in_child.h"
#include "tests/support/reference/interpreter.h"
#include "tests/support/reference/reference_gemm.h"

using namespace tahoma;
using isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::Signal;

namespace {

constexpr std::uint32_t kRanks = 4, kSlots = 2, kSteps = 7;
constexpr std::uint64_t kSentColumns = 96;

// Every rank sends its rows, one per step, into two slots of the next rank, which folds each with its own
// row.
struct Neighbour {
  std::int64_t distance;  // from the own slots to the next rank's
  int next, previous;     // core distances
};

isa::Program ring_program(const model::MachineParams& machine, const Neighbour& place,
                          bool waits_for_credit) {
  Kernel kernel("ring", machine);
  const HbmView x = kernel.argument("x", DType::kFp32, kSteps, kSentColumns),
                y = kernel.argument("y", DType::kFp32, kSteps, kSentColumns),
                slots = kernel.argument("slots", DType::kFp32, kSlots, kSentColumns);
  const std::uint8_t core = kernel.own_core("core");
  std::array<Signal, kSlots> landed{}, credit{};
  for (std::uint32_t s = 0; s < kSlots; ++s) {
    landed[s] = kernel.signal();
    credit[s] = kernel.signal();
  }
  for (std::uint32_t step = 0; step < kSteps; ++step) {
    const std::uint32_t slot = step % kSlots, round = step / kSlots;
    const HbmView row = x.window(step, 0, 1, kSentColumns), mine = slots.window(slot, 0, 1, kSentColumns);
    if (round > 0 && waits_for_credit) kernel.wait(Queue::kCc0, credit[slot], isa::kDmaEngines * round);
    kernel.send(mine.of_peer(place.distance), row, Queue::kCc0, {core, landed[slot], place.next});
    kernel.wait(Queue::kCc1, landed[slot], isa::kDmaEngines * (round + 1));
    kernel.fold(y.window(step, 0, 1, kSentColumns), {{row, mine}, isa::AluOp::kMax}, Queue::kCc1,
                runtime::Delivery{core, credit[slot], place.previous});
  }
  return kernel.finish();
}

Neighbour neighbour(std::uint32_t rank, const std::vector<std::uint64_t>& slots) {
  const std::uint32_t next = (rank + 1) % kRanks, previous = (rank + kRanks - 1) % kRanks;
  return {static_cast<std::int64_t>(slots[next] - slots[rank]),
          static_cast<int>(next) - static_cast<int>(rank),
          static_cast<int>(previous) - static_cast<int>(rank)};
}

std::vector<float> values_of(std::uint32_t rank) {
  return tests::random_values(kSteps * kSentColumns, DType::kFp32, 50 + rank);
}

std::size_t wrong(std::uint32_t rank, const std::vector<float>& got) {
  const auto own = values_of(rank), sent = values_of((rank + kRanks - 1) % kRanks);
  std::size_t count = 0;
  for (std::size_t i = 0; i < got.size(); ++i) count += got[i] == std::max(own[i], sent[i]) ? 0 : 1;
  return count;
}

// The findings of the checker on a machine of one chip, or "wrong" if a value is wrong.
std::string found_on_machine(model::Mode mode, bool waits_for_credit) {
  return tests::in_child([&] {
    runtime::Machine machine(tests::machine_of(1, 1, 1), mode, {true, true});
    std::vector<std::uint64_t> slots;
    std::vector<runtime::Tensor> x, y;
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      x.push_back(machine.allocate(r, "x", DType::kFp32, {kSteps, kSentColumns}));
      y.push_back(machine.allocate(r, "y", DType::kFp32, {kSteps, kSentColumns}));
      slots.push_back(machine.allocate(r, "slots", DType::kFp32, {kSlots, kSentColumns}).address);
      const auto values = values_of(r);
      if (machine.functional()) machine.write(x.back(), std::as_bytes(std::span(values)));
      machine.declare_input(x.back());
    }
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      auto program = std::make_shared<const isa::Program>(
          ring_program(machine.params(), neighbour(r, slots), waits_for_credit));
      isa::validate(*program, runtime::limits_of(machine.params()));
      machine.load(r, program, {x[r].address, y[r].address, slots[r], r});
    }
    machine.run();
    std::string text;
    for (const std::string& finding : machine.findings().first()) text += finding + "\n";
    for (std::uint32_t r = 0; r < kRanks && machine.functional(); ++r) {
      std::vector<float> got(kSteps * kSentColumns);
      machine.read(y[r], std::as_writable_bytes(std::span(got)));
      if (waits_for_credit && wrong(r, got) > 0) text += "wrong\n";
    }
    return text;
  });
}

}  // namespace

TEST_CASE("kernel: slots that are refilled after a credit give the same result for every order of events",
          "[kernel]") {
  const model::MachineParams machine = tests::default_machine();
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    tests::Interpreter interpreter(machine, seed);
    std::vector<std::uint64_t> x, y, slots;
    for (std::uint32_t r = 0; r < kRanks; ++r) {
      const auto values = values_of(r);
      x.push_back(interpreter.allocate(values.size() * 4));
      tests::store_all(interpreter.at(x[r]), values, DType::kFp32);
      y.push_back(interpreter.allocate(values.size() * 4));
      slots.push_back(interpreter.allocate(kSlots * kSentColumns * 4));
    }
    for (std::uint32_t r = 0; r < kRanks; ++r)
      interpreter.load(r,
                       std::make_shared<const isa::Program>(ring_program(machine, neighbour(r, slots), true)),
                       {x[r], y[r], slots[r], r});
    interpreter.run();
    INFO("seed " << seed);
    for (std::uint32_t r = 0; r < kRanks; ++r)
      REQUIRE(wrong(r, tests::load_all(interpreter.at(y[r]), kSteps * kSentColumns, DType::kFp32)) == 0);
  }
}

TEST_CASE(
    "kernel: the checker proves the protocol of credits and finds where a program does not wait for them",
    "[kernel][check]") {
  for (const model::Mode mode : {model::Mode::kTiming, model::Mode::kFunctional}) {
    CHECK(found_on_machine(mode, true) == "");
    CHECK_THAT(found_on_machine(mode, false), Catch::Contains("E-CHK-001 race"));
  }
}

TEST_CASE("kernel: a send may fold several sources in transit, and a plain one is a copy", "[kernel]") {
  Kernel kernel("sends", tests::default_machine());
  const HbmView a = kernel.argument("a", DType::kBf16, 8, 64);
  const std::uint8_t core = kernel.own_core("core");
  const Signal landed = kernel.signal(), credit = kernel.signal();
  kernel.send(a.of_peer(1 << 20), {{a, a.of_peer(-4096), a}, isa::AluOp::kMin}, Queue::kCc0,
              {core, landed, 3}, runtime::Delivery{core, credit, -3});
  kernel.send(a.of_peer(-(std::int64_t{3} << 40)), a, Queue::kCc1, {core, landed});
  const isa::Program program = kernel.finish();
  CHECK_NOTHROW(isa::validate(program, {}));
  const isa::Instruction &fold = program.stream(Queue::kCc0).front(),
                         &copy = program.stream(Queue::kCc1).front();
  CHECK(fold.op == isa::Opcode::kDmaCompute);
  CHECK(fold.sources == 3);
  CHECK(fold.fold == isa::AluOp::kMin);
  CHECK(fold.notify_arg == core);
  CHECK(fold.peer == 3);
  CHECK(fold.update == isa::Update{isa::Update::Kind::kAdd, landed.semaphore, 1});
  CHECK(fold.read_peer == -3);
  CHECK(fold.read_update == isa::Update{isa::Update::Kind::kAdd, credit.semaphore, 1});
  CHECK(copy.op == isa::Opcode::kDmaCopy);
  CHECK(program.descriptors[fold.descriptor + 1].src.offset == 0 - std::uint64_t{4096});
  CHECK(program.descriptors[copy.descriptor].dst.offset == 0 - (std::uint64_t{3} << 40));
}

TEST_CASE("kernel: deliveries that cannot be made are refused", "[kernel]") {
  Kernel kernel("wrong", tests::default_machine());
  const HbmView a = kernel.argument("a", DType::kBf16, 8, 64), b = kernel.argument("b", DType::kBf16, 8, 64);
  const std::uint8_t other = kernel.core_argument("other"), own = kernel.own_core("own");
  const Signal signal = kernel.signal();
  const auto refused = Catch::Contains("E-RUN-021");
  CHECK_THROWS_WITH(kernel.fold(a, b, Queue::kCc0, runtime::Delivery{other, signal}), refused);
  CHECK_THROWS_WITH(kernel.send(a, b, Queue::kCc0, {own, signal}, runtime::Delivery{other, signal}), refused);
  CHECK_THROWS_WITH(kernel.send(a, b, Queue::kCc0, {own, signal, 32768}), refused);
  CHECK_THROWS_WITH(kernel.fold(a, {{}, isa::AluOp::kAdd}, Queue::kCc0), refused);
  CHECK_THROWS_WITH(kernel.fold(a, {std::vector<HbmView>(17, b), isa::AluOp::kAdd}, Queue::kCc0), refused);
  CHECK_THROWS_WITH(kernel.wait(Queue::kCc0, a.of_peer(64)), refused);
}

// Windows of one long row, as in a collective on a flat tensor: each is folded and sent in turn, for some
// rounds.
isa::Program long_ring(const model::MachineParams& machine, std::uint64_t chunks, std::uint32_t rounds) {
  Kernel kernel("long", machine);
  const HbmView x = kernel.argument("x", DType::kBf16, 1, chunks * 2048),
                slots = kernel.argument("slots", DType::kBf16, 2, 2048);
  const std::uint8_t core = kernel.own_core("core");
  const std::array<Signal, 4> s{kernel.signal(), kernel.signal(), kernel.signal(), kernel.signal()};
  for (std::uint32_t round = 0; round < rounds; ++round)
    for (std::uint64_t n = 0; n < chunks; ++n) {
      const std::uint64_t slot = n % 2, turn = (round * chunks + n) / 2;
      const Queue on = slot == 0 ? Queue::kCc0 : Queue::kCc1;
      const HbmView chunk = x.window(0, n * 2048, 1, 2048), staged = slots.window(slot, 0, 1, 2048);
      kernel.wait(on, s[slot], static_cast<std::uint32_t>(16 * (turn + 1)));
      if (round == 0)
        kernel.fold(chunk, {{chunk, staged}, isa::AluOp::kAdd}, on, runtime::Delivery{core, s[2 + slot], -1});
      kernel.send(staged.of_peer(1 << 20), chunk, on, {core, s[slot], 1});
    }
  return kernel.finish();
}

TEST_CASE("kernel: ten thousand sends and waits are scheduled", "[kernel]") {
  const model::MachineParams machine = tests::default_machine();
  for (const auto& [chunks, rounds] : {std::pair{10000U, 1U}, std::pair{100U, 100U}}) {
    const isa::Program program = long_ring(machine, chunks, rounds);
    CHECK(program.stream(Queue::kCc0).size() >= 10'000);
  }
}
