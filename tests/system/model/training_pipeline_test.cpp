// SPDX-License-Identifier: Apache-2.0
// Training steps over stages of a pipeline and over micro-batches: loss, gradients and new weights are those
// of the definition, which knows neither.
#include <catch2/catch.hpp>

#include "tests/support/program/transformer_run.h"
#include "workloads/training/case/training_params.h"
#include "workloads/training/training.h"
#include "workloads/training/training_figures.h"

using namespace tahoma;
using tests::Settings, tests::with;

namespace {

const Settings kPipelinedStep{{"model.hidden", "128"},      {"model.heads", "8"}, {"model.kv_heads", "4"},
                              {"model.head_dim", "32"},     {"model.ffn", "256"}, {"model.vocabulary", "256"},
                              {"model.layers", "4"},        {"layers", "4"},      {"tokens", "64"},
                              {"optimizer.epsilon", "1e-3"}};

void check_pipelined_step(const model::MachineParams& params, const Settings& more) {
  tests::check_model(workloads::make_training, params, with(kPipelinedStep, more));
}

std::string refusal_of_step(const Settings& more) {
  return tests::refusal<workloads::TrainingParams>(tests::chips(1, 1), with(kPipelinedStep, more));
}

}  // namespace

TEST_CASE("training: gradients of micro-batches add up", "[training]") {
  check_pipelined_step(tests::chips(1, 1), {{"batch", "3"}, {"microbatches", "3"}, {"layers", "1"}});
  check_pipelined_step(tests::chips(1, 1), {{"batch", "1"}, {"accumulate", "true"}, {"layers", "1"}});
}

TEST_CASE("training: micro-batches of replicas of two ranks of two cores", "[training]") {
  check_pipelined_step(tests::chips(1, 2), {{"parallel.tensor", "2"},
                                            {"parallel.data", "2"},
                                            {"batch", "8"},
                                            {"microbatches", "2"},
                                            {"layers", "1"}});
}

TEST_CASE("training: stages of a pipeline have their own layers", "[training]") {
  check_pipelined_step(tests::chips(1, 1), {{"parallel.pipeline", "4"}, {"batch", "1"}});
}

TEST_CASE("training: a pipeline in both orders of passes", "[training]") {
  for (const char* schedule : {"1f1b", "gpipe"})
    check_pipelined_step(
        tests::chips(1, 1),
        {{"parallel.pipeline", "2"}, {"batch", "3"}, {"microbatches", "3"}, {"schedule", schedule}});
}

TEST_CASE("training: two stages of two replicas of two ranks, with recomputed layers", "[training]") {
  check_pipelined_step(tests::chips(1, 1), {{"parallel.pipeline", "2"},
                                            {"parallel.tensor", "2"},
                                            {"parallel.data", "2"},
                                            {"batch", "4"},
                                            {"microbatches", "2"},
                                            {"recompute", "layer"}});
}

TEST_CASE("training: two stages whose ranks have two cores, on two chips", "[training]") {
  check_pipelined_step(tests::chips(2, 2),
                       {{"parallel.pipeline", "2"}, {"parallel.tensor", "2"}, {"batch", "4"}});
}

TEST_CASE("training: schedules that a step does not have are refused", "[training]") {
  const Settings stages{{"parallel.pipeline", "2"}, {"batch", "4"}, {"microbatches", "4"}};
  CHECK(refusal_of_step(stages) == "accepted");
  for (const char* schedule : {"interleaved", "zero_bubble"})
    CHECK(refusal_of_step(with(stages, {{"schedule", schedule}})) == "E-MDL-030 workload.schedule");
  CHECK(refusal_of_step(with(stages, {{"parallel.pipeline", "3"}})) ==
        "E-MDL-001 workload.parallel.pipeline");
  CHECK(refusal_of_step(with(stages, {{"microbatches", "3"}})) == "E-MDL-001 workload.microbatches");
}
