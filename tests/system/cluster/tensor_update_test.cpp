// SPDX-License-Identifier: Apache-2.0
// The end of a step in which each tensor has collectives of its own: closed forms of two units that work in
// order.
#include <catch2/catch.hpp>

#include "studies/cluster/step/training_step.h"

using namespace tahoma::runtime::cluster;

namespace {

constexpr int kTensors = 3;

TensorQueue::End finished(const TensorCosts& costs, double passes_end) {
  const std::vector<TensorCosts> all(kTensors, costs);
  TensorQueue queue;
  queue.reduce(0, all);
  return queue.finish(passes_end);
}

// One stage of four layers, forward 1 and backward 2 each, whose layers have one tensor.
double step_of(double reduce, bool shared_queue, std::uint32_t stages = 1) {
  StepCosts step;
  step.layer = {1, 1, 1};
  step.layers = 4;
  step.sharded = step.by_tensor = true;
  step.shared_queue = shared_queue;
  step.layer_tensors = {TensorCosts{{reduce, 0}, 0, {}}};
  return simulate_step(Schedule::k1f1b, {stages, 1, 1}, step).seconds;
}

}  // namespace

TEST_CASE("tensor update: without exchanges the updates follow the passes", "[cluster]") {
  const TensorQueue::End end = finished({{0, 0}, 2, {0, 0}}, 10);
  CHECK(end.reduced == 10);
  CHECK(end.updated == 10 + kTensors * 2);
  CHECK(end.gathered == end.updated);
}

TEST_CASE("tensor update: the unit that is slower decides", "[cluster]") {
  // Collectives: all of them follow each other.
  CHECK(finished({{5, 0}, 1, {2, 0}}, 0).gathered == kTensors * (5 + 2));
  // Updates: the first begins when the first tensor is reduced, the last one's gathering is exposed.
  CHECK(finished({{5, 0}, 10, {2, 0}}, 0).gathered == 5 + kTensors * 10 + 2);
  CHECK(finished({{5, 0}, 10, {2, 0}}, 100).gathered == 100 + kTensors * 10 + 2);
}

TEST_CASE("tensor update: while one queue waits, another uses the link", "[cluster]") {
  const auto seconds = [](double wait, double wire, std::size_t queues) {
    const std::vector<TensorCosts> all(kTensors, TensorCosts{{wait, wire}, 0, {}});
    TensorQueue queue(queues);
    queue.reduce(0, all);
    return queue.free();
  };
  // A queue finishes its part before its link is asked for again: only the first parts follow each other.
  CHECK(seconds(10, 4, 1) == Approx(kTensors * (10 + 4)));
  CHECK(seconds(10, 4, 2) == Approx(kTensors * (10 + 2) + 2));
  // The link is busy all the time.
  for (const std::size_t queues : {1, 2, 4}) CHECK(seconds(0, 4, queues) == Approx(kTensors * 4));
  CHECK(seconds(1, 100, 2) == Approx(kTensors * 100 + 1));
}

TEST_CASE("tensor update: on a shared queue the backward pass waits for reductions", "[cluster]") {
  CHECK(step_of(5, true) == Approx(4 * 1 + 4 * (2 + 5)));
  CHECK(step_of(5, false) == Approx(4 * 1 + 2 + 4 * 5));
  CHECK(step_of(0.5, false) == Approx(4 * (1 + 2) + 0.5));
}

TEST_CASE("tensor update: the first stage of a pipeline is the last to reduce", "[cluster]") {
  // Its backward pass is the last; the stage behind reduces during it.
  CHECK(step_of(0.5, false, 3) == Approx(3 * 4 * (1 + 2) + 0.5));
  CHECK(step_of(1.5, true, 3) == Approx(3 * 4 * (1 + 2) + 4 * 1.5));
}
