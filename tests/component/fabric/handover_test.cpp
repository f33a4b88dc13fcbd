// SPDX-License-Identifier: Apache-2.0
// Programs of workloads/micro on the machine: hand-overs between engines, compared with device profiles.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/support/bench/recorded_activity.h"
#include "tests/support/in_child.h"

using namespace tahoma;
using namespace tahoma::tests;
using base::Time;
using isa::Queue;

namespace {

ActivityLog run_handover(const std::string& text, bool run_ahead = true) {
  return activity_of(text, machine_of(1, 1, 1), run_ahead);
}

std::string micro(const char* name) {
  std::ifstream file(std::string(TAHOMA_SOURCE_DIR "/workloads/micro/programs/") + name);
  REQUIRE(file);
  return {std::istreambuf_iterator<char>(file), {}};
}

double ns(Time from, Time to) { return (to - from).ns(); }

std::string text_of(const ActivityLog& log) {
  std::ostringstream text;
  for (const auto& [queue, all] : log.queues)
    for (const auto& a : all)
      text << isa::name_of(queue) << " " << a.index << " " << a.start.fs << " " << a.next.fs << " "
           << a.complete.fs << "\n";
  for (const auto& [semaphore, all] : log.changes)
    for (std::size_t n = 0; n < all.size(); ++n)
      text << int(semaphore) << " " << log.change(semaphore, n).fs << "\n";
  return text.str();
}

}  // namespace

TEST_CASE("handover: from engine to engine as on silicon, within one cycle of the vector engine",
          "[system]") {
  const ActivityLog log = run_handover(micro("handover_engines.tasm"));
  const auto& matmul = log.at(Queue::kTensor, 1);
  CHECK(ns(matmul.complete, log.at(Queue::kScalar, 0).start) == Approx(36.67).margin(0.45));
  CHECK(ns(matmul.complete, log.at(Queue::kVector, 0).start) == Approx(37.71).margin(1.05));
  CHECK(ns(log.at(Queue::kVector, 0).complete, log.at(Queue::kGpSimd, 0).start) == Approx(35.0).margin(0.85));
  CHECK(ns(log.at(Queue::kScalar, 0).complete, log.at(Queue::kTensor, 2).start) ==
        Approx(50.83).margin(0.01));
}

TEST_CASE("handover: the barrier of five engines passes its count as silicon does", "[system]") {
  const ActivityLog log = run_handover(micro("handover_barrier.tasm"));
  const auto hop = [&](std::size_t n) { return ns(log.change(2, n), log.change(2, n + 1)); };
  CHECK(hop(0) == Approx(35.83).margin(0.01));  // tensor to scalar
  CHECK(hop(1) == Approx(40.0).margin(0.01));   // to GpSimd
  CHECK(hop(2) == Approx(45.83).margin(1.05));  // to vector
  CHECK(hop(3) == Approx(25.0).margin(0.84));   // to sync: 9 cycles here, 10 there
  CHECK(hop(5) == Approx(40.0).margin(0.01));   // vector to GpSimd
  CHECK(hop(6) == Approx(35.83).margin(0.01));  // to scalar
  const auto& first = log.at(Queue::kTensor, 1);
  CHECK(ns(first.start, log.change(2, 0)) == Approx(66.67).margin(0.01));
  // The vector engine's two updates are 10 ns further apart than after the kernels.
  CHECK(ns(first.start, log.at(Queue::kTensor, 2).complete) == Approx(397.5).epsilon(0.035));
}

TEST_CASE("handover: a stand-alone wait that need not wait costs a matmul's neighbours the time of silicon",
          "[system]") {
  const ActivityLog log = run_handover(micro("handover_passed.tasm"));
  const auto start = [&](std::size_t n) { return log.at(Queue::kTensor, n).start; };
  CHECK(ns(start(1), start(2)) == Approx(35.83).margin(0.45));
  CHECK(ns(start(0), start(3)) == Approx(145.0).margin(0.45));
  CHECK(ns(log.at(Queue::kScalar, 0).start, log.at(Queue::kScalar, 1).start) == Approx(39.17).margin(0.01));
}

TEST_CASE("handover: the sequencer runs ahead of its engine by the depth of the queue", "[system]") {
  // Long copies, then an update that the sequencer executes itself: it occurs when the first copies have
  // started, as many as do not fit into the queue.
  const auto m = machine_of(1, 1, 1);
  const auto depth = static_cast<std::size_t>(m.chip.core.sequencer.vector_queue.depth);
  const std::size_t copies = depth + 5;
  std::string text = ".program p\nvector:\n";
  for (std::size_t n = 0; n < copies; ++n)
    text += "  tensor_copy shape=128x1000 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x2000]:fp32\n";
  const ActivityLog log = run_handover(text + "  reg_set d=r0 imm=1\n");
  const Time behind = log.at(Queue::kVector, copies).start;
  CHECK(behind > log.at(Queue::kVector, 4).start);
  CHECK(behind < log.at(Queue::kVector, 5).start);
}

TEST_CASE("handover: an unsatisfied wait blocks everything after it", "[system]") {
  const ActivityLog log = run_handover(R"(.program p
vector:
  tensor_copy shape=128x100 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x2000]:fp32 wait=s0>=1
  reg_set d=r0 imm=1
  sem_set update=s1+=1
gpsimd:
  iota shape=128x4000 dst=sbuf[0, 0x8000]:int32 update=s0+=1
)");
  CHECK(log.at(Queue::kVector, 1).start > log.change(0, 0));
  CHECK(log.at(Queue::kVector, 2).start > log.at(Queue::kVector, 1).start);
}

TEST_CASE("handover: run-ahead changes no instruction's times and no semaphore's", "[system]") {
  for (const char* name : {"handover_engines.tasm", "handover_dma.tasm", "handover_waits.tasm",
                           "handover_passed.tasm", "handover_barrier.tasm", "handover_alone.tasm"}) {
    CAPTURE(name);
    const std::string text = micro(name);
    const auto times = [&](bool ahead) {
      return in_child([&] { return text_of(run_handover(text, ahead)); });
    };
    CHECK(times(true) == times(false));
  }
}
