// SPDX-License-Identifier: Apache-2.0
#include "model/engine/sequencer/sequencer_laws.h"
#include "tests/support/bench/recorded_activity.h"
#include "tests/support/in_child.h"
#include "tests/support/witness/witness.h"

namespace tahoma::tests {
namespace {

using base::EngineKind, base::Time;
using model::Executor, model::MachineParams, model::SequencerLaws;

using Law = double (*)(const SequencerLaws& laws, Time value);

// Starts at an edge of the base clock that is not an edge of the vector engine's clock.
std::function<double(const MachineParams&)> of(EngineKind kind, Law law) {
  return [kind, law](const MachineParams& m) {
    const Time value = base::Clock({1'200'000'000}).edge({4});
    return law(SequencerLaws(kind, m.chip.core), value);
  };
}

double ns(Time from, Time to) { return (to - from).ns(); }

// The figures of one kind of engine, in the order of SequencerTiming.
struct Row {
  const char* name;
  EngineKind kind;
  double wake, wait, update, raise, gap, step, jump;
};
// Device profiles: the median of each kind of record. The vector engine's raise is measured from one of its
// own edges.
constexpr Row kRows[] = {
    {"tensor", EngineKind::kTensor, 28.333, 54.167, 54.167, 12.5, 74.167, 90.0, 262.5},
    {"vector", EngineKind::kVector, 27.917, 23.958, 54.167, 8.333, 53.125, 68.75, 309.375},
    {"scalar", EngineKind::kScalar, 20.833, 41.667, 55.0, 7.5, 50.833, 75.833, 259.167},
    {"gpsimd", EngineKind::kGpSimd, 24.167, 25.833, 61.667, 8.333, 42.5, 71.667, 251.667},
    {"sync", EngineKind::kSync, 16.667, 20.0, 33.333, 0.0, 35.833, 71.667, 272.5},
    {"collective", EngineKind::kCollective, 16.667, 20.0, 33.333, 0.0, 35.833, 71.667, 272.5},
};

void add_timing(std::vector<Witness>& all, const Row& row) {
  const auto add = [&](const char* name, double figure, Law law) {
    all.push_back(
        {std::string("sequencer.") + row.name + "." + name, of(row.kind, law), figure, "device profiles"});
  };
  add("wake", row.wake,
      [](const SequencerLaws& l, Time v) { return ns(v, l.woken(v, Executor::kSequencer)); });
  add("wait", row.wait, [](const SequencerLaws& l, Time) { return l.end_of_wait({0}).ns(); });
  add("update", row.update, [](const SequencerLaws& l, Time) { return l.end_of_update({0}, {0}).ns(); });
  add("raise", row.raise,
      [](const SequencerLaws& l, Time) { return l.new_value({0}, Executor::kSequencer).ns(); });
  add("gap", row.gap,
      [](const SequencerLaws& l, Time) { return l.behind_semaphore({0}, Executor::kSequencer).ns(); });
  add("step", row.step, [](const SequencerLaws& l, Time) { return l.behind_step({0}).ns(); });
  add("jump", row.jump, [](const SequencerLaws& l, Time) { return l.behind_jump({0}).ns(); });
}

struct QueueRow {
  const char* name;
  EngineKind kind;
  double wake, to_engine, from_engine;
};
constexpr QueueRow kQueues[] = {
    {"tensor_queue", EngineKind::kTensor, 41.667, 24.167, 65.0},  // 35.83 from the matmul's start
    {"vector_queue", EngineKind::kVector, 23.75, 6.25, 15.625},
    {"scalar_queue", EngineKind::kScalar, 22.5, 5.0, 39.167},
    {"gpsimd_queue", EngineKind::kGpSimd, 24.167, 5.0, 39.167},
};

// Number of instructions that the queue takes before the first of them has started.
double depth(const model::QueueTiming& queue) {
  model::EngineQueue waiting(queue.depth);
  for (int taken = 1;; ++taken)
    if (waiting.hand_over(Time{1}) == Time{1}) return taken;
}

void add_queue(std::vector<Witness>& all, const QueueRow& row,
               model::QueueTiming model::SequencerParams::*queue) {
  const std::string path = std::string("sequencer.") + row.name + ".";
  const auto add = [&](const char* name, double figure, Law law) {
    all.push_back({path + name, of(row.kind, law), figure, "device profiles; GpSimd's as its neighbours'"});
  };
  add("wake", row.wake, [](const SequencerLaws& l, Time v) { return ns(v, l.woken(v, Executor::kEngine)); });
  add("to_engine", row.to_engine,
      [](const SequencerLaws& l, Time) { return l.behind_semaphore({0}, Executor::kEngine).ns(); });
  add("from_engine", row.from_engine,
      [](const SequencerLaws& l, Time) { return l.behind_dispatch({0}, {0}, Executor::kSequencer).ns(); });
  all.push_back({path + "depth",
                 [queue](const MachineParams& m) { return depth(m.chip.core.sequencer.*queue); }, 33,
                 "device profiles: 33 wait behind the array"});
}

// Time of a register load of the sync engine, from its start to the next instruction.
double load(const MachineParams& m, const char* source) {
  return std::stod(in_child([&] {
    const std::string text = std::string(".program p\n.args a\n.control a\nsync:\n  reg_load d=r0 src=") +
                             source + ":int32\n  nop\n";
    const ActivityLog log = activity_of(text, m);
    return std::to_string(ns(log.at(isa::Queue::kSync, 0).start, log.at(isa::Queue::kSync, 1).start));
  }));
}

}  // namespace

std::vector<Witness> sequencer_witnesses() {
  std::vector<Witness> all;
  for (const Row& row : kRows) add_timing(all, row);
  using P = model::SequencerParams;
  constexpr model::QueueTiming P::*kMembers[] = {&P::tensor_queue, &P::vector_queue, &P::scalar_queue,
                                                 &P::gpsimd_queue};
  for (std::size_t n = 0; n < std::size(kQueues); ++n) add_queue(all, kQueues[n], kMembers[n]);
  const auto tensor = [&](const char* name, double figure, const char* source, Law law) {
    all.push_back({std::string("sequencer.") + name, of(EngineKind::kTensor, law), figure, source});
  };
  tensor("clock", 54.167, "device profiles: a stand-alone wait",
         [](const SequencerLaws& l, Time) { return l.end_of_wait({0}).ns(); });
  tensor("dispatch", 1.667, "device profiles: 28 instructions between two waits",
         [](const SequencerLaws& l, Time) { return l.behind_dispatch({0}, {0}, Executor::kEngine).ns(); });
  tensor("result", 14.167, "device profiles: 216 matmuls",
         [](const SequencerLaws& l, Time) { return l.new_value({0}, Executor::kEngine).ns(); });
  tensor("compare", 35.833, "device profiles: barrier, value to the end of the update that waited for it",
         [](const SequencerLaws& l, Time v) {
           const Time value = v + Time{1'000'000'000};
           return ns(value, l.end_of_update(v, l.woken(value, Executor::kSequencer)));
         });
  all.push_back({"sequencer.load_sbuf", [](const MachineParams& m) { return load(m, "sbuf[0, 0x0]"); },
                 71.667 + 62.5, "a step and the assumed round trip"});
  all.push_back({"sequencer.load_hbm", [](const MachineParams& m) { return load(m, "a"); }, 71.667 + 600,
                 "a step and a generated descriptor, nki-dge.rst"});
  return all;
}

}  // namespace tahoma::tests
