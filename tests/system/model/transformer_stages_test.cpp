// SPDX-License-Identifier: Apache-2.0
// Stages of a pipeline and groups that share sequences, on machines: their golden reference, their
// hand-overs, and the duration of microbatches.
#include <algorithm>
#include <catch2/catch.hpp>
#include <sstream>

#include "tests/support/program/transformer_run.h"
#include "workloads/transformer/bubble.h"
#include "workloads/transformer/layer/layer_definition.h"
#include "workloads/transformer/partition/stage_layers.h"
#include "workloads/transformer/prefill/prefill.h"

using namespace tahoma;
using tests::run_layers, tests::in_child;
using tests::Settings, tests::kTiny, tests::with, tests::chips, tests::check_layers, tests::params_with;

namespace {

const Settings kPipelined{{"layers", "2"}, {"model.layers", "2"}, {"parallel.pipeline", "2"}};

// Exchanges the two halves of every tensor of this name.
std::function<void(runtime::Machine&)> turned_round(const std::string& name) {
  return [name](runtime::Machine& machine) {
    std::size_t found = 0;
    for (const runtime::Tensor& tensor : machine.tensors()) {
      if (tensor.name != name) continue;
      std::byte* bytes = machine.bytes(tensor);
      std::rotate(bytes, bytes + tensor.bytes() / 2, bytes + tensor.bytes());
      ++found;
    }
    if (found == 0) throw std::runtime_error("no tensor " + name);
  };
}

// Result of the golden reference for a run with a planted error.
std::string verdict(const model::MachineParams& machine, const Settings& settings,
                    const std::function<void(runtime::Machine&)>& plant) {
  return in_child([&]() -> std::string {
    run_layers(machine, with(kTiny, settings), model::Mode::kFunctional, plant);
    return "passed";
  });
}

base::RunMeasurement timed(const model::MachineParams& machine, const Settings& settings) {
  return run_layers(machine, settings, model::Mode::kTiming).measured;
}

double seconds(const model::MachineParams& machine, const Settings& settings) {
  return std::stod(in_child(
      [&] { return std::to_string(timed(machine, with(kTiny, settings)).elapsed.seconds() * 1e6); }));
}

void emit(workloads::PhasePrograms& stage, const std::vector<std::size_t>& microbatches) {
  for (const std::size_t m : microbatches) {
    stage.begin(m);
    stage.prepare(0);
    stage.complete(0);
    stage.end(m);
  }
}

// Result of the golden reference for two stages of which the first sends its microbatches in this order.
std::string verdict_of_order(const std::vector<std::size_t>& order) {
  return in_child([&]() -> std::string {
    const workloads::TransformerParams params =
        params_with(with(kTiny, with(kPipelined, {{"tokens", "16"}, {"batch", "2"}, {"microbatches", "2"}})));
    runtime::Machine machine(chips(1, 1), model::Mode::kFunctional, {true, true});
    const auto places = workloads::rank_cores_of(machine.params(), params.placement, params.parallel);
    workloads::Replica first(machine, {places[0][0]}), second(machine, {places[0][1]});
    workloads::Handover border(first, second);
    workloads::Prefill front(first, params, {0, 0, nullptr, &border}, nullptr),
        back(second, params, {1, 0, &border, nullptr}, nullptr);
    emit(front, order);
    emit(back, {0, 1});
    runtime::collective::Stopwatch stopwatch;
    const workloads::HostCase values = workloads::host_case(params, 1);
    first.load(stopwatch);
    second.load(stopwatch);
    front.fill(machine, values);
    back.fill(machine, values);
    machine.run();
    runtime::HostTensor out = runtime::make_tensor("out", isa::DType::kBf16, {32, params.model.hidden});
    back.gather(machine, out);
    std::vector<workloads::Noisy> streams;
    for (Eigen::Index s = 0; s < 2; ++s) {
      streams.push_back(workloads::Noisy::exact(workloads::matrix_of(values.x).middleRows(16 * s, 16)));
      for (const workloads::HostWeights& weights : values.weights)
        workloads::apply_layer(params.model, weights, {1, 1}, {}, streams.back());
    }
    return runtime::check_rows(
               out, [&](std::uint64_t row) { return workloads::wanted_row(streams[row / 16], row % 16); },
               0x1p-8, "test",
               [](std::uint64_t, std::uint64_t) {
                 return std::string("test");
               }).passed()
               ? "passed"
               : "golden";
  });
}

// Bytes that crossed links, and bytes that hand-overs report.
std::string bytes_of(const model::MachineParams& machine, const Settings& settings) {
  return in_child([&] {
    const tests::LayersRun run = run_layers(machine, with(kTiny, settings), model::Mode::kTiming);
    std::uint64_t links = 0, said = 0;
    for (const base::LinkMeasurement& link : run.measured.links) links += link.payload_bytes;
    for (const runtime::CollectiveResult& one : run.collectives)
      if (one.operation == "send_recv") said += one.bytes;
    return std::to_string(links) + " " + std::to_string(said);
  });
}

}  // namespace

TEST_CASE("stages: two stages with three microbatches of a prefill agree with the definition",
          "[transformer]") {
  check_layers(
      chips(1, 1),
      with(kPipelined, {{"tokens", "48"}, {"batch", "3"}, {"microbatches", "3"}, {"parallel.tensor", "2"}}));
}

TEST_CASE("stages: replicas on other chips share the programs of their stages", "[transformer]") {
  check_layers(chips(4, 1), with(kPipelined, {{"tokens", "32"},
                                              {"batch", "4"},
                                              {"microbatches", "2"},
                                              {"parallel.tensor", "8"},
                                              {"parallel.data", "2"}}));
}

TEST_CASE("stages: unequal stages agree with the definition in both phases", "[transformer]") {
  const Settings unequal{{"layers", "4"},         {"model.layers", "4"}, {"parallel.pipeline", "2"},
                         {"stages", "3,1"},       {"batch", "2"},        {"microbatches", "2"},
                         {"parallel.tensor", "2"}};
  check_layers(chips(1, 1), with(unequal, {{"tokens", "32"}}));
  check_layers(chips(1, 1), with(unequal, {{"phase", "decode"}, {"context", "20"}}));
  check_layers(chips(1, 1), with(unequal, {{"phase", "decode"}, {"context", "20"}, {"stages", "1,3"}}));
  check_layers(chips(1, 1), with(unequal, {{"phase", "decode"}, {"context", "20"}, {"model.experts", "4"}}));
}

TEST_CASE("stages: an executed pipeline has the interval of its bottleneck", "[transformer]") {
  const auto run = [](int microbatches, const char* stages) {
    const std::string parts = std::to_string(microbatches);
    return in_child([&] {
      const tests::LayersRun made = run_layers(chips(1, 1),
                                               with(kTiny, {{"layers", "6"},
                                                            {"model.layers", "6"},
                                                            {"parallel.pipeline", "3"},
                                                            {"stages", stages},
                                                            {"phase", "decode"},
                                                            {"context", "100"},
                                                            {"batch", parts},
                                                            {"microbatches", parts}}),
                                               model::Mode::kTiming);
      const auto bottleneck = static_cast<int>(made.figure("bottleneck_stage"));
      return std::to_string(made.measured.elapsed.seconds() * 1e9) + " " + std::to_string(bottleneck) + " " +
             std::to_string(made.figure("stage_" + std::to_string(bottleneck) + "_time_ns"));
    });
  };
  for (const auto& [stages, bottleneck] :
       {std::pair{"1,4,1", 1}, std::pair{"3,2,1", 0}, std::pair{"1,2,3", 2}}) {
    std::istringstream few(run(6, stages)), many(run(12, stages));
    double few_ns = 0, many_ns = 0, stage_ns = 0, more_stage_ns = 0;
    int slowest = -1, still = -1;
    few >> few_ns >> slowest >> stage_ns;
    many >> many_ns >> still >> more_stage_ns;
    CAPTURE(stages, few_ns, many_ns, stage_ns);
    CHECK(slowest == bottleneck);
    CHECK(still == bottleneck);
    CHECK(stage_ns == Approx((many_ns - few_ns) / 6).epsilon(0.02));
  }
}

TEST_CASE("stages: the period of a full pipeline, by hand", "[transformer]") {
  using workloads::full_pipeline_seconds;
  CHECK(full_pipeline_seconds({2, 3, 1}, 4, 0.5) == Approx(12));  // the bottleneck has four microbatches
  CHECK(full_pipeline_seconds({2, 3, 1}, 1, 0.5) == Approx(7));   // one microbatch on its way
  CHECK(full_pipeline_seconds({2, 2}, 2, 0) == Approx(4));
}

TEST_CASE("stages: layers of stages are read or refused", "[transformer]") {
  using workloads::layers_of_stages;
  CHECK(layers_of_stages("3,1,2", 6, 3) == std::vector<std::uint64_t>{3, 1, 2});
  CHECK(layers_of_stages("", 6, 3) == std::vector<std::uint64_t>{2, 2, 2});
  for (const char* wrong : {"3,3", "3,1,1", "3,1,2,", ",3,1,2", "6,0,0", "3,1,2,0", "a,1,2", "3;1;2",
                            "-1,4,3", "3,1,99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH(layers_of_stages(wrong, 6, 3), Catch::Contains("such as 2,2,2"));
  }
  CHECK_THROWS_WITH(layers_of_stages("1,1,1", 2, 3), Catch::Contains("there are 2 layers"));
}

TEST_CASE("stages: a decoding step in two stages of pairs of cores", "[transformer]") {
  check_layers(chips(1, 2), with(kPipelined, {{"phase", "decode"},
                                              {"batch", "4"},
                                              {"microbatches", "2"},
                                              {"context", "50"},
                                              {"parallel.tensor", "2"}}));
}

TEST_CASE("stages: microbatches of one sequence leave a half of a rank without rows", "[transformer]") {
  check_layers(chips(1, 2), with(kPipelined, {{"phase", "decode"},
                                              {"batch", "2"},
                                              {"microbatches", "2"},
                                              {"context", "20"},
                                              {"parallel.data", "1"}}));
}

TEST_CASE("stages: two groups of pairs of cores share two sequences of a prefill", "[transformer]") {
  check_layers(chips(1, 2), {{"layers", "2"},
                             {"model.layers", "2"},
                             {"batch", "2"},
                             {"tokens", "128"},
                             {"parallel.tensor", "2"},
                             {"parallel.sequence", "2"}});
}

TEST_CASE("stages: four groups share a sequence, on two replicas", "[transformer]") {
  check_layers(chips(2, 1), {{"batch", "2"},
                             {"tokens", "128"},
                             {"parallel.tensor", "2"},
                             {"parallel.data", "2"},
                             {"parallel.sequence", "4"}});
}

TEST_CASE("stages: two groups of pairs of cores share the caches of three sequences", "[transformer]") {
  check_layers(chips(1, 2), {{"phase", "decode"},
                             {"layers", "2"},
                             {"model.layers", "2"},
                             {"batch", "3"},
                             {"context", "80"},
                             {"parallel.tensor", "2"},
                             {"parallel.sequence", "2"}});
}

TEST_CASE("stages: four groups of more ranks than heads share caches", "[transformer]") {
  check_layers(chips(4, 1), {{"phase", "decode"},
                             {"batch", "2"},
                             {"context", "80"},
                             {"parallel.tensor", "8"},
                             {"parallel.sequence", "4"}});
}

TEST_CASE("stages: all degrees at once in a decoding step", "[transformer]") {
  check_layers(chips(4, 1), with(kPipelined, {{"phase", "decode"},
                                              {"batch", "8"},
                                              {"microbatches", "2"},
                                              {"context", "64"},
                                              {"parallel.tensor", "4"},
                                              {"parallel.data", "2"},
                                              {"parallel.sequence", "2"}}));
}

TEST_CASE("stages: all degrees at once in a prefill", "[transformer]") {
  check_layers(chips(4, 1), with(kPipelined, {{"batch", "4"},
                                              {"microbatches", "2"},
                                              {"tokens", "128"},
                                              {"overlap", "2"},
                                              {"parallel.tensor", "4"},
                                              {"parallel.data", "2"},
                                              {"parallel.sequence", "2"}}));
}

TEST_CASE("stages: positions of another run are found", "[transformer]") {
  const Settings shared{{"tokens", "64"}, {"parallel.sequence", "2"}};
  CHECK(verdict(chips(1, 1), shared, [](runtime::Machine&) {}) == "passed");
  CHECK_THAT(verdict(chips(1, 1), shared, turned_round("rope_table")), Catch::Contains("golden"));
}

TEST_CASE("stages: rows of another microbatch that are handed over are found", "[transformer]") {
  CHECK(verdict_of_order({0, 1}) == "passed");
  CHECK(verdict_of_order({1, 0}) == "golden");
}

TEST_CASE("stages: a border carries every row of the stream once", "[transformer]") {
  // Groups of eight are a chip each: links carry nothing else, and the stages are neighbours.
  const Settings eight = with(kPipelined, {{"parallel.tensor", "8"}});
  const std::string prefill = std::to_string(std::uint64_t{4} * 64 * 256 * 2);
  CHECK(bytes_of(chips(2, 1), with(eight, {{"tokens", "64"}, {"batch", "4"}, {"microbatches", "2"}})) ==
        prefill + " " + prefill);
  const std::string decode = std::to_string(std::uint64_t{8} * 256 * 2);
  CHECK(bytes_of(
            chips(2, 1),
            with(eight, {{"phase", "decode"}, {"batch", "8"}, {"context", "20"}, {"microbatches", "2"}})) ==
        decode + " " + decode);
}

TEST_CASE("stages: M microbatches take about M + P - 1 times as long as a stage by itself", "[transformer]") {
  const Settings one{{"tokens", "128"}};
  const double stage = seconds(chips(1, 1), one);
  for (const auto& [stages, microbatches] : std::vector<std::pair<int, int>>{{2, 4}, {4, 2}, {4, 8}}) {
    const double all = seconds(chips(1, 1), with(one, {{"layers", std::to_string(stages)},
                                                       {"model.layers", std::to_string(stages)},
                                                       {"parallel.pipeline", std::to_string(stages)},
                                                       {"batch", std::to_string(microbatches)},
                                                       {"microbatches", std::to_string(microbatches)}}));
    CAPTURE(stages, microbatches, stage, all);
    // Less if a microbatch is loaded while the previous one ends; more if a stage waits for rows in flight,
    // or contends for the memory of the chip.
    CHECK(all / (stage * (microbatches + stages - 1)) == Approx(1).margin(0.1));
  }
}
