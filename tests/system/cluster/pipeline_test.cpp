// SPDX-License-Identifier: Apache-2.0
// Pipelines: every pass occurs once, and without communication a step takes the closed form of its schedule.
#include <catch2/catch.hpp>
#include <map>
#include <tuple>

#include "studies/cluster/step/training_step.h"

using namespace tahoma::runtime::cluster;

namespace {

StepCosts simple_costs() {
  StepCosts costs;
  costs.layer = {1, 1, 1};
  return costs;
}

double seconds(Schedule schedule, const PipelineShape& shape, const StepCosts& costs) {
  return simulate_step(schedule, shape, costs).seconds;
}

}  // namespace

TEST_CASE("pipeline: each stage runs every pass of every micro-batch and chunk once", "[cluster]") {
  for (const auto& schedule : kSchedules)
    for (const PipelineShape shape : {PipelineShape{1, 1, 1}, {4, 4, 1}, {4, 12, 1}, {8, 3, 1}, {4, 8, 3}}) {
      if (shape.chunks > 1 && schedule.value != Schedule::kInterleaved) continue;
      if (schedule.value == Schedule::kInterleaved && shape.microbatches % shape.stages != 0) continue;
      for (std::uint32_t stage = 0; stage < shape.stages; ++stage) {
        std::map<std::tuple<PassKind, std::uint32_t, std::uint32_t>, int> count;
        for (const Pass& pass : passes_of(schedule.value, shape, stage))
          ++count[{pass.kind, pass.microbatch, pass.chunk}];
        const bool splits = schedule.value == Schedule::kZeroBubble;
        CHECK(count.size() == shape.microbatches * shape.chunks * (splits ? 3U : 2U));
        for (const auto& [pass, times] : count) CHECK(times == 1);
      }
    }
}

TEST_CASE("pipeline: the bubbles of gpipe and 1f1b are (p - 1) / (m + p - 1) of the step", "[cluster]") {
  for (const Schedule schedule : {Schedule::kGpipe, Schedule::k1f1b})
    for (const auto& [p, m] : {std::pair{1U, 5U}, {4U, 4U}, {4U, 16U}, {16U, 32U}, {8U, 2U}}) {
      const TrainingStep step = simulate_step(schedule, {p, m, 1}, simple_costs());
      CHECK(step.seconds == Approx(3.0 * (m + p - 1)));
      CHECK(step.bubble / step.seconds == Approx((p - 1.0) / (m + p - 1.0)).margin(1e-12));
    }
}

TEST_CASE("pipeline: v chunks on each stage divide the bubble by v", "[cluster]") {
  for (const auto& [p, m, v] : {std::tuple{4U, 4U, 2U}, {4U, 16U, 3U}, {8U, 16U, 4U}, {2U, 6U, 5U}}) {
    const TrainingStep step = simulate_step(Schedule::kInterleaved, {p, m, v}, simple_costs());
    CHECK(step.seconds == Approx(3.0 * (v * m + p - 1)));
    CHECK(step.bubble / step.seconds == Approx((p - 1.0) / (v * m + p - 1.0)));
  }
}

TEST_CASE("pipeline: with equal passes, zero_bubble has a third of the bubble of 1f1b", "[cluster]") {
  for (const auto& [p, m] : {std::pair{4U, 8U}, {8U, 16U}, {4U, 32U}}) {
    // ZB-H1: (p - 1) (F + B - W), against (p - 1) (F + B + W).
    CHECK(seconds(Schedule::kZeroBubble, {p, m, 1}, simple_costs()) == Approx(3.0 * m + (p - 1)));
    CHECK(seconds(Schedule::k1f1b, {p, m, 1}, simple_costs()) == Approx(3.0 * m + 3.0 * (p - 1)));
  }
}

TEST_CASE("pipeline: a send between stages delays each forward and backward pass of the first micro-batch",
          "[cluster]") {
  StepCosts costs = simple_costs();
  costs.send = 0.25;
  CHECK(seconds(Schedule::kGpipe, {4, 1, 1}, costs) == Approx(4 * 3 + 2 * 3 * 0.25));
}

TEST_CASE("pipeline: the parts of a step add up, and the slowest stage stretches it", "[cluster]") {
  StepCosts costs = simple_costs();
  costs.layers = 3;
  costs.reduce_layer = 0.7;
  costs.gather_layer = 0.3;
  costs.optimizer = 0.2;
  costs.sharded = true;
  const TrainingStep step = simulate_step(Schedule::k1f1b, {4, 8, 1}, costs);
  CHECK(step.compute + step.bubble + step.exposed_reduce + step.optimizer + step.exposed_gather ==
        Approx(step.seconds));
  CHECK(step.exposed_gather == Approx(3 * 0.3));
  CHECK(step.reduce == Approx(3 * 0.7));
  for (const StageSpan& span : step.spans) {
    CHECK(span.start >= 0);
    CHECK(span.end <= Approx(step.seconds));
  }
  costs.straggler = 1.5;
  CHECK(simulate_step(Schedule::k1f1b, {4, 8, 1}, costs).seconds > 1.3 * step.seconds);
}

TEST_CASE("pipeline: gradients are reduced beside the backward pass, layer by layer", "[cluster]") {
  StepCosts costs = simple_costs();
  costs.layers = 4;  // one stage, one micro-batch: backward takes 8, a layer 2
  costs.sharded = true;
  // Slower than the backward pass: the first layer is ready after 2, then four reductions follow each other.
  costs.reduce_layer = 5;
  CHECK(simulate_step(Schedule::k1f1b, {1, 1, 1}, costs).exposed_reduce == Approx(2 + 4 * 5 - 8));
  // Faster: only the last layer's is exposed.
  costs.reduce_layer = 0.5;
  CHECK(simulate_step(Schedule::k1f1b, {1, 1, 1}, costs).exposed_reduce == Approx(0.5));
}

TEST_CASE("pipeline: sharded parameters are gathered one layer ahead", "[cluster]") {
  StepCosts costs;
  costs.layer = {2, 1, 1};
  costs.layers = 10;
  costs.sharded = costs.gathers_weights = true;
  costs.gather_layer = 0.5;  // hidden, but for the first layer of each pass
  CHECK(simulate_step(Schedule::k1f1b, {1, 1, 1}, costs).seconds == Approx((0.5 + 10 * 2) + (0.5 + 10 * 2)));
  costs.gather_layer = 3;  // longer than a layer: the network decides
  CHECK(simulate_step(Schedule::k1f1b, {1, 1, 1}, costs).seconds == Approx((10 * 3 + 2) + (10 * 3 + 2)));
}
