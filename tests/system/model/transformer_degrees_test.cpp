// SPDX-License-Identifier: Apache-2.0
// The arithmetic of parallel degrees: the tokens of each group, the cores of a stage, the size of a bubble,
// and refused settings.
#include <algorithm>
#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "tests/support/program/transformer_run.h"
#include "workloads/transformer/bubble.h"
#include "workloads/transformer/model_footprint.h"
#include "workloads/transformer/partition/tokens.h"

using namespace tahoma;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::params_with;

namespace {

const Settings kTwoStages{{"layers", "2"}, {"model.layers", "2"}, {"parallel.pipeline", "2"}};

std::string refusal(const model::MachineParams& machine, const Settings& settings) {
  return tests::refusal(machine, with(kTiny, settings));
}

}  // namespace

TEST_CASE("bubble: the idle share of ideal stages is its closed form", "[transformer]") {
  workloads::TransformerParams params =
      params_with(with(kTwoStages, {{"parallel.pipeline", "4"}, {"microbatches", "6"}}));
  std::int64_t work = 0;
  for (std::int64_t stage = 0; stage < 4; ++stage) {
    std::vector<std::pair<base::Time, base::Time>> own;
    for (std::int64_t m = 0; m < 6; ++m)
      own.emplace_back(base::Time{10 * (stage == 0 ? 0 : stage + m)}, base::Time{10 * (stage + m + 1)});
    work += workloads::at_work(own).fs;
  }
  const double idle = 1 - static_cast<double>(work) / (4 * 10.0 * (6 + 3));
  CHECK(idle == Approx(workloads::Bubble::closed_form(params)));
  CHECK(idle == Approx(1.0 / 3));
}

TEST_CASE("bubble: the wait of a microbatch for another one counts once", "[transformer]") {
  using base::Time;
  CHECK(workloads::at_work({{Time{5}, Time{20}}, {Time{10}, Time{40}}, {Time{50}, Time{60}}}).fs == 45);
}

TEST_CASE("tokens: each group sees equally many keys, and each token has one group", "[transformer]") {
  for (const std::uint64_t groups : {1, 2, 4, 8}) {
    const workloads::TransformerParams params =
        params_with({{"tokens", "256"}, {"parallel.sequence", std::to_string(groups)}});
    std::vector<int> seen(256);
    for (std::uint64_t g = 0; g < groups; ++g) {
      const workloads::TokenSharding sharding(params, g);
      std::uint64_t pairs = 0;
      for (std::uint64_t t = 0; t < sharding.tokens(); ++t) {
        ++seen.at(sharding.position(t));
        pairs += sharding.position(t) + 1;
      }
      CHECK(pairs == 256 * 257 / 2 / groups);
    }
    CHECK(std::count(seen.begin(), seen.end(), 1) == 256);
  }
}

TEST_CASE("places: a stage of 64 ranks of two cores is a server", "[transformer]") {
  model::MachineParams machine = tests::default_machine();
  machine.chip.lnc = 2;
  const workloads::ParallelDegrees degrees{64, 1, 1, 4};
  const auto replicas = workloads::rank_cores_of(machine, "core,x,y,z", degrees);
  REQUIRE(replicas.size() == 1);
  for (std::uint32_t stage = 0; stage < 4; ++stage)
    for (const auto& rank : replicas.front().at(stage).cores)
      for (const std::uint32_t core : rank) CHECK(core / 128 == stage);
  const workloads::ParallelDegrees both{16, 2, 2, 4};
  const auto split = workloads::rank_cores_of(machine, "core,x,y,z", both);
  REQUIRE(split.size() == 2);
  // Stage 1, second replica, second group: after four groups of stage 0 and two of the first replica.
  CHECK(split[1].at(3).cores.front().front() == 2 * 16 * (4 + 2 + 1));
}

TEST_CASE("stages: invalid degrees are refused", "[transformer]") {
  const model::MachineParams one = chips(1, 1), pairs = chips(1, 2);
  CHECK(refusal(one, kTwoStages) == "accepted");
  CHECK(refusal(one, {{"parallel.pipeline", "2"}}) == "E-MDL-001 workload.parallel.pipeline");
  CHECK(refusal(one, with(kTwoStages, {{"microbatches", "2"}})) == "E-MDL-001 workload.microbatches");
  CHECK(refusal(one, with(kTwoStages, {{"parallel.tensor", "8"}})) == "E-MDL-002 workload.parallel");
  CHECK(refusal(one, {{"tokens", "96"}, {"parallel.sequence", "2"}}) ==
        "E-MDL-001 workload.parallel.sequence");
  CHECK(refusal(one, {{"tokens", "128"}, {"parallel.sequence", "2"}}) == "accepted");
  const Settings decode{{"phase", "decode"}, {"context", "9"}};
  CHECK(refusal(one, with(decode, {{"parallel.sequence", "2"}})) == "E-MDL-001 workload.parallel.sequence");
  CHECK(refusal(one, with(decode, {{"parallel.sequence", "3"}})) == "accepted");
  const Settings handed = with(decode, with(kTwoStages, {{"batch", "3"}, {"parallel.tensor", "2"}}));
  CHECK(refusal(one, handed) == "E-MDL-010 workload.parallel.tensor");  // three rows, two ranks
  CHECK(refusal(one, with(handed, {{"batch", "4"}})) == "accepted");
  CHECK(refusal(pairs, with(handed, {{"batch", "1"}})) == "accepted");
}

TEST_CASE("stages: a footprint counts the layers of a stage", "[transformer]") {
  const model::MachineParams machine = chips(4, 1);
  const auto weights = [&](const Settings& more) {
    return workloads::footprint_of(
               params_with(with(kTiny, with({{"layers", "8"}, {"model.layers", "8"}}, more))), machine)
        .weights;
  };
  CHECK(weights({{"parallel.tensor", "8"}, {"parallel.pipeline", "4"}}) ==
        Approx(weights({{"parallel.tensor", "8"}}) / 4));
}

TEST_CASE("stages: with logits, the first stage has the embedding and the last its transpose",
          "[transformer]") {
  const Settings stages = with(kTiny, {{"logits", "true"},
                                       {"model.vocabulary", "4096"},
                                       {"layers", "4"},
                                       {"model.layers", "4"},
                                       {"parallel.tensor", "8"}});
  const auto embedding = [&](const model::MachineParams& machine, const Settings& more) {
    return workloads::footprint_of(params_with(with(stages, more)), machine).embedding;
  };
  const double matrix = 2.0 * 4096 * 256;  // bytes
  // A stage is a chip, or both stages share one.
  CHECK(embedding(chips(1, 1), {}) == Approx(2 * matrix));
  CHECK(embedding(chips(4, 1), {{"parallel.pipeline", "4"}}) == Approx(matrix));
  CHECK(embedding(chips(1, 1), {{"parallel.tensor", "4"}, {"parallel.pipeline", "2"}}) == Approx(2 * matrix));
}
