// SPDX-License-Identifier: Apache-2.0
// The times of sequencers against the records of device profiles, and the order that they keep.
#include "model/engine/sequencer/sequencer_laws.h"

#include <catch2/catch.hpp>

#include "isa/table/table.h"
#include "tests/support/bench/machine_fixture.h"

using namespace tahoma;
using namespace tahoma::base::literals;
using base::EngineKind, base::Time;
using model::Executor;

namespace {

const model::CoreParams& sequencer_core() {
  static const model::MachineParams machine = tests::default_machine();
  return machine.chip.core;
}

model::SequencerLaws laws(EngineKind kind) { return {kind, sequencer_core()}; }

// Edge `n` of the base clock, at which new values appear.
Time base_edge(std::int64_t n) { return base::Clock(sequencer_core().sequencer.clock).edge({n}); }

// Smallest and largest over every phase of the vector engine's clock against the base clock.
template <class F>
std::pair<double, double> spread(F&& f) {
  std::pair<double, double> s{1e9, 0};
  for (std::int64_t n = 0; n < 100; ++n) {
    const double ns = f(n);
    s = {std::min(s.first, ns), std::max(s.second, ns)};
  }
  return s;
}

}  // namespace

TEST_CASE("sequencer laws: from an engine's end to the semaphore's value takes the time of silicon",
          "[timing]") {
  const Time end = base_edge(1000);
  const auto ns = [&](EngineKind kind, Executor by) { return (laws(kind).new_value(end, by) - end).ns(); };
  CHECK(ns(EngineKind::kTensor, Executor::kEngine) == Approx(14.17).margin(0.01));
  CHECK(ns(EngineKind::kScalar, Executor::kEngine) == Approx(9.17).margin(0.01));
  CHECK(ns(EngineKind::kTensor, Executor::kSequencer) == Approx(12.5).margin(0.01));
  CHECK(ns(EngineKind::kScalar, Executor::kSequencer) == Approx(7.5).margin(0.01));
  CHECK(ns(EngineKind::kGpSimd, Executor::kSequencer) == Approx(8.33).margin(0.01));
  CHECK(ns(EngineKind::kSync, Executor::kSequencer) == 0);
}

TEST_CASE("sequencer laws: vector times spread by one cycle of the other clock, as on silicon", "[timing]") {
  const model::SequencerLaws vector = laws(EngineKind::kVector);
  const base::Clock own(sequencer_core().vector.clock);
  const auto raise = spread([&](std::int64_t n) {
    return (vector.new_value(own.edge({n}), Executor::kEngine) - own.edge({n})).ns();
  });
  CHECK(raise.first == Approx(10.42).margin(0.01));
  CHECK(raise.second == Approx(11.25).margin(0.22));  // the records show steps of 0.2083 ns
  const auto wake = spread(
      [&](std::int64_t n) { return (vector.woken(base_edge(n), Executor::kEngine) - base_edge(n)).ns(); });
  CHECK(wake.first == Approx(22.92).margin(0.01));
  CHECK(wake.second == Approx(23.96).margin(0.22));
}

TEST_CASE("sequencer laws: from the value to the start of a waiting instruction takes the time of silicon",
          "[timing]") {
  const Time value = base_edge(1000);
  const auto ns = [&](EngineKind kind, Executor by) { return (laws(kind).woken(value, by) - value).ns(); };
  CHECK(ns(EngineKind::kScalar, Executor::kEngine) == Approx(22.5).margin(0.01));
  CHECK(ns(EngineKind::kTensor, Executor::kEngine) == Approx(41.67).margin(0.01));
  CHECK(ns(EngineKind::kTensor, Executor::kSequencer) == Approx(28.33).margin(0.01));
  CHECK(ns(EngineKind::kScalar, Executor::kSequencer) == Approx(20.83).margin(0.01));
  CHECK(ns(EngineKind::kGpSimd, Executor::kSequencer) == Approx(24.17).margin(0.01));
  CHECK(ns(EngineKind::kSync, Executor::kSequencer) == Approx(16.67).margin(0.01));
}

TEST_CASE(
    "sequencer laws: an update that waited ends a comparison after its start, one that did not after its "
    "time",
    "[timing]") {
  const model::SequencerLaws tensor = laws(EngineKind::kTensor);
  const Time ready = base_edge(500);
  CHECK((tensor.end_of_update(ready, ready) - ready).ns() == Approx(54.17).margin(0.01));
  const Time value = base_edge(1000), start = tensor.woken(value, Executor::kSequencer);
  CHECK((tensor.end_of_update(ready, start) - value).ns() == Approx(35.83).margin(0.01));
  // The end is neither before its own time nor before the comparison.
  for (std::int64_t n = 500; n < 600; ++n) {
    const Time at = base_edge(n), end = tensor.end_of_update(ready, at);
    CHECK(end >= tensor.end_of_update(ready, ready));
    CHECK(end >= at + base_edge(sequencer_core().sequencer.compare.count));
  }
}

TEST_CASE("sequencer laws: a later event is never answered earlier", "[timing]") {
  for (std::size_t k = 0; k < base::kEngineKinds; ++k) {
    const model::SequencerLaws law = laws(static_cast<EngineKind>(k));
    CAPTURE(k);
    for (const auto by : {Executor::kSequencer, Executor::kEngine})
      for (std::int64_t fs = 0; fs < 3'000'000; fs += 130'000) {
        const Time a{fs}, b{fs + 130'000};
        CHECK(law.new_value(a, by) <= law.new_value(b, by));
        CHECK(law.woken(a, by) <= law.woken(b, by));
        CHECK(law.start(a) >= a);
        CHECK(law.behind_semaphore(a, by) >= a);
        CHECK(law.behind_dispatch(a, b, by) >= a);
      }
  }
}

TEST_CASE("engine queue: an instruction beyond its depth waits until the first one has started", "[timing]") {
  for (const std::int64_t depth : {1, 2, 33}) {
    model::EngineQueue queue(static_cast<std::uint64_t>(depth));
    for (std::int64_t n = 0; n < 100; ++n) {
      const Time room = queue.hand_over(base_edge(1000 + 10 * n));
      CHECK(room == (n + 1 < depth ? Time{0} : base_edge(1000 + 10 * (n + 1 - depth))));
    }
  }
}

TEST_CASE(
    "executor: instructions with a timing law on an engine go to its queue, all others to the sequencer",
    "[timing]") {
  for (const isa::OpRow& row : isa::all_rows()) {
    isa::Instruction i;
    i.op = row.op;
    const bool control = row.cost == isa::CostClass::kNone || row.cost == isa::CostClass::kSemaphore ||
                         row.cost == isa::CostClass::kRegister ||
                         row.cost == isa::CostClass::kRegisterMemory || row.cost == isa::CostClass::kBranch ||
                         row.cost == isa::CostClass::kDoorbell || row.cost == isa::CostClass::kRendezvous;
    CAPTURE(row.mnemonic);
    CHECK((model::executor_of(i) == Executor::kSequencer) == control);
  }
}
