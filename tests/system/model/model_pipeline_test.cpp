// SPDX-License-Identifier: Apache-2.0
// Pipelines of `tahoma model`: the closed form of their bubble, the transfers between stages, memory, the
// layers that are scaled, bounds, and what is refused.
#include <catch2/catch.hpp>
#include <numeric>

#include "studies/model/layout/stage_division.h"
#include "studies/model/search/layout_bounds.h"
#include "tests/support/llama_8b.h"
#include "tests/support/program/model_study.h"

using namespace tahoma;
using namespace tahoma::tests;
using nlohmann::json;
using Words = std::vector<std::string>;

namespace {

const Words kOneReplica{"--tensor", "1", "--data", "1", "--batch", "16", "--prompt", "256"};

Words pipeline(int stages, int microbatches) {
  const std::string parts = std::to_string(microbatches);
  return with(kOneReplica,
              {"--pipeline", std::to_string(stages), "--microbatches", parts, "--prompts", parts});
}

json run_of(const ModelStudy& model, const json& layout, const char* phase) {
  return model.summary("out/study/" + layout[phase]["runs"].back().get<std::string>());
}

}  // namespace

TEST_CASE("model pipeline: P stages idle for (P - 1) / (M + P - 1) of the time of M microbatches",
          "[model]") {
  const ModelStudy model(8);
  for (const auto& [stages, microbatches] :
       {std::pair{2, 1}, std::pair{2, 4}, std::pair{4, 2}, std::pair{4, 8}}) {
    const json layout = model.layouts(pipeline(stages, microbatches))[0];
    const double closed = 100.0 * (stages - 1) / (microbatches + stages - 1);
    CAPTURE(stages, microbatches, closed, layout["prefill_bubble_percent"], layout["decode_bubble_percent"]);
    CHECK(layout["pipeline"] == stages);
    CHECK(layout["microbatches"] == microbatches);
    // Stages are not quite equal: the first has the embedding, the last the logits.
    CHECK(layout["prefill_bubble_percent"].get<double>() == Approx(closed).margin(6));
    CHECK(layout["decode_bubble_percent"].get<double>() == Approx(closed).margin(6));
  }
}

TEST_CASE("model pipeline: every row crosses each border once, as an executed transfer", "[model]") {
  const ModelStudy model(8);
  const json layout = model.layouts(pipeline(4, 2))[0];
  const auto crossed = [&](const char* phase) {
    std::uint64_t bytes = 0;
    const json run = run_of(model, layout, phase);
    for (const json& one : run["collectives"])
      if (one["operation"] == "send_recv") bytes += one["bytes"].get<std::uint64_t>();
    return bytes;
  };
  // Three borders, rows of 512 features in bf16.
  CHECK(crossed("prefill") == std::uint64_t{3} * 2 * 256 * 512 * 2);
  CHECK(crossed("decode") == std::uint64_t{3} * 16 * 512 * 2);
  CHECK(layout["decode"]["hand_over_ns"].get<double>() > 0);
}

TEST_CASE("model pipeline: scaled layers of stages cost what executed ones cost", "[model]") {
  const ModelStudy model(12);
  const json scaled = model.layouts(pipeline(2, 2))[0],
             executed = model.layouts(with(pipeline(2, 2), {"--layers", "6"}))[0];
  CHECK(scaled["prefill"]["executed_layers"] == 4);
  CHECK(executed["prefill"]["executed_layers"] == 12);
  check_scaled(scaled, executed);
}

TEST_CASE("model pipeline: scaled layers of unequal stages cost what executed ones cost", "[model]") {
  const ModelStudy model(11);
  const Words words = with(pipeline(3, 2), {"--stage-layers", "4,5,2"});
  const json scaled = model.layouts(words)[0], executed = model.layouts(with(words, {"--layers", "11"}))[0];
  // One and two of the last stage, and two and three more of the others.
  CHECK(scaled["prefill"]["executed_layers"] == 2 * 3 + 2 + 3);
  CHECK(executed["prefill"]["executed_layers"] == 11);
  check_scaled(scaled, executed);
  CHECK(scaled["full_tpot_ns"].get<double>() == Approx(executed["full_tpot_ns"].get<double>()).epsilon(0.02));
  for (const json& one : {scaled, executed}) {
    CHECK(one["decode"]["bottleneck_stage"] == 1);
    CHECK(one["decode"]["stage_times_ns"].size() == 3);
  }
}

TEST_CASE("model pipeline: a full pipeline has the rate that more microbatches show, and its bottleneck",
          "[model][long]") {
  const ModelStudy model(9);
  // Microbatches of four sequences. The stages in the middle have three of the nine layers.
  const auto study = [&](int microbatches) {
    return model.layouts(with(
        {"--tensor", "1", "--data", "1", "--prompt", "256", "--pipeline", "4"},
        {"--batch", std::to_string(4 * microbatches), "--microbatches", std::to_string(microbatches)}))[0];
  };
  const json few = study(8), many = study(16), one = study(1);
  const json& times = few["decode"]["stage_times_ns"];
  CHECK(few["decode"]["bottleneck_stage"] == 1);
  const double slowest = times[1].get<double>(),
               interval = (many["tpot_ns"].get<double>() - few["tpot_ns"].get<double>()) / 8;
  CAPTURE(times, interval);
  CHECK(slowest == Approx(interval).epsilon(0.02));
  // Eight microbatches keep four stages busy; one microbatch waits for itself.
  CHECK(few["full_tpot_ns"].get<double>() == Approx(8 * slowest).epsilon(1e-9));
  CHECK(few["full_tokens_per_second"].get<double>() == Approx(32 / (8 * slowest * 1e-9)).epsilon(1e-9));
  CHECK(one["full_tpot_ns"].get<double>() == Approx(one["tpot_ns"].get<double>()).epsilon(0.02));
  CHECK_THAT(contents(model.folder / "out/summary.txt"), Catch::Contains("pipelines that stay full"));
}

TEST_CASE("model pipeline: layers of stages are those of the model, or refused", "[model]") {
  const ModelStudy model(6);
  const Words two{"--pipeline", "2", "--tensor", "1"};
  for (const char* wrong : {"3,4", "6", "2,2,2", "5,0"}) {
    const Finished f = model.run(with(two, {"--stage-layers", wrong}));
    CAPTURE(wrong, f.err);
    CHECK(f.status == 2);
    CHECK_THAT(f.err, Catch::Contains("E-HFC-014") || Catch::Contains("E-CLI-003"));
  }
  CHECK_THAT(model.run(with(two, {"--stage-layers", "3,4"})).err, Catch::Contains("such as 3,3; got 3,4"));
  check_refused(model.run(with(two, {"--pipeline", "1,2", "--stage-layers", "3,3"})), "E-CLI-003");
}

TEST_CASE("model pipeline: stages are as equal as possible, the middle first", "[model]") {
  using runtime::stage_division;
  using Counts = std::vector<std::uint64_t>;
  CHECK(stage_division(126, 4) == Counts{31, 32, 32, 31});
  CHECK(stage_division(9, 4) == Counts{2, 3, 2, 2});
  CHECK(stage_division(11, 4) == Counts{3, 3, 3, 2});
  CHECK(stage_division(3, 2) == Counts{2, 1});
  for (std::uint64_t layers = 1; layers <= 130; ++layers)
    for (std::uint64_t stages = 1; stages <= std::min<std::uint64_t>(layers, 64); ++stages) {
      const Counts counts = stage_division(layers, stages);
      CAPTURE(layers, stages);
      CHECK(std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) == layers);
      const auto [least, most] = std::minmax_element(counts.begin(), counts.end());
      CHECK(*most - *least == (layers % stages == 0 ? 0 : 1));
    }
  CHECK(runtime::division_text({31, 32, 32, 31}) == "31-2x32-31");
}

TEST_CASE("model pipeline: values of both phases are those of the definition", "[model]") {
  const ModelStudy model(2);
  const json layout = model.layouts({"--mode", "functional", "--tensor", "2", "--pipeline", "2",
                                     "--microbatches", "2", "--prompts", "2"})[0];
  const ModelStudy uneven(3);
  const json unequal = uneven.layouts({"--mode", "functional", "--tensor", "2", "--pipeline", "2",
                                       "--microbatches", "2", "--prompts", "2"})[0];
  for (const char* phase : {"prefill", "decode"})
    CHECK(run_of(uneven, unequal, phase)["golden"]["outcome"] == "passed");
  for (const char* phase : {"prefill", "decode"})
    CHECK(run_of(model, layout, phase)["golden"]["outcome"] == "passed");
}

TEST_CASE("model pipeline: stages share the weights that replicas repeat", "[model]") {
  const ModelStudy model(8);
  const Words four{"--tensor", "1", "--batch", "16", "--prompt", "64"};
  const double replicas = model.layouts(four)[0]["hbm_footprint_bytes"].get<double>(),
               stages =
                   model.layouts(with(four, {"--pipeline", "4"}))[0]["hbm_footprint_bytes"].get<double>();
  // Elements of a layer's weights, without gains; four ranks share a chip.
  const double layer = 512 * (512.0 * 2 + 256 * 2) + 3 * 512.0 * 1024, vocabulary = 512 * 1000.0;
  CHECK(replicas - stages == Approx(2 * (3 * 8 * layer + 3 * 2 * vocabulary)).epsilon(0.02));
}

TEST_CASE("model pipeline: bounds of Llama 3.1 8B in four stages, by hand", "[layout_search]") {
  runtime::ModelConfig c = llama_8b();
  c.file = "config.json";
  // Four chips, a chip for each stage; four microbatches of four sequences, and one prompt.
  runtime::ModelPoint point{{4, 2, 4, 1, 1}, {16, 1024, 2048}};
  point.layout.pipeline = 4;
  point.layout.microbatches = 4;
  const runtime::LayoutBounds bounds = runtime::bounds_of(c, point, {});
  const double weights = 32 * (4096.0 * 4096 * 2 + 4096.0 * 1024 * 2 + 3 * 4096.0 * 14336),
               head = 4096.0 * 128256, keys = 2048.0 * 2 * 32 * 8 * 128, bandwidth = 4 * 725e9,
               flops = 8 * 2 * 128 * 128 * 2.4e9, held = 8 * 28.0 * (1 << 20);
  const double prompt = 1024 * 2 * weights + 2 * 32 * 4096.0 * 1024 * 1025;
  CHECK(bounds.ttft == Approx((prompt + 2 * head) / flops).epsilon(1e-12));
  // `first` is what a microbatch reads in a stage, except what SBUF can hold before it comes; `last` is what
  // all of them read in the last stage.
  const double first = 2 * weights / 4 + 2 * 4 * keys / 4 - held,
               last = 4 * (2 * weights / 4 - held) + 2 * 16 * keys / 4 + 2 * head;
  CHECK(bounds.tpot == Approx((3 * first + last) / bandwidth).epsilon(1e-12));
}

TEST_CASE("model pipeline: what no pipeline can do is refused", "[model]") {
  const ModelStudy model(4);
  check_refused(model.run({"--pipeline", "5", "--chips", "2"}), "E-HFC-014");
  check_refused(model.run({"--pipeline", "8"}), "E-HFC-014");
  check_refused(model.run({"--pipeline", "2", "--microbatches", "3"}), "E-HFC-011");
  check_refused(model.run({"--pipeline", "2", "--prompts", "17"}), "E-CFG-005");
  check_refused(model.run({"--pipeline", "0"}), "E-CLI-003");
  check_refused(model.run({"--steps", "--pipeline", "1,2", "--batch", "1,4", "--context", "64,128"}),
                "E-CLI-003");
}

TEST_CASE("model pipeline: a search has what is refused as a point with the reason", "[model]") {
  const ModelStudy model(4);
  const json layouts = model.layouts({"--search", "--pipeline", "1,8", "--tensor", "2,4"});
  CHECK(layouts.size() == 2);
  const std::string points = contents(model.folder / "out/points.csv");
  CHECK_THAT(points,
             Catch::Contains("refused") && Catch::Contains("expected at most the 4 ranks of 1 chips"));
  CHECK_THAT(contents(model.folder / "out/summary.txt"), Catch::Contains("2 further points were refused"));
}
