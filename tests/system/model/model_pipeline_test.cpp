// SPDX-License-Identifier: Apache-2.0
// Pipelines of `tahoma model`: the closed form of their bubble, the transfers between stages, memory, the layers that are
// scaled, bounds, and what is refused.
#include <catch2/catch.hpp>

#include "runtime/huggingface/layout/layout_bounds.h"
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

TEST_CASE("model pipeline: values of both phases are those of the definition", "[model]") {
  const ModelStudy model(2);
  const json layout = model.layouts({"--mode", "functional", "--tensor", "2", "--pipeline", "2",
                                     "--microbatches", "2", "--prompts", "2"})[0];
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
  // What a microbatch reads in a stage, except what SBUF can hold before it comes; and all of them in the last stage.
  const double first = 2 * weights / 4 + 2 * 4 * keys / 4 - held,
               last = 4 * (2 * weights / 4 - held) + 2 * 16 * keys / 4 + 2 * head;
  CHECK(bounds.tpot == Approx((3 * first + last) / bandwidth).epsilon(1e-12));
}

TEST_CASE("model pipeline: what no pipeline can do is refused", "[model]") {
  const ModelStudy model(4);
  check_refused(model.run({"--pipeline", "3"}), "E-HFC-014");
  check_refused(model.run({"--pipeline", "8"}), "E-HFC-014");
  check_refused(model.run({"--pipeline", "2", "--microbatches", "3"}), "E-HFC-011");
  check_refused(model.run({"--pipeline", "2", "--prompts", "17"}), "E-CFG-005");
  check_refused(model.run({"--pipeline", "0"}), "E-CLI-003");
  check_refused(model.run({"--steps", "--pipeline", "1,2", "--batch", "1,4", "--context", "64,128"}),
                "E-CLI-003");
}

TEST_CASE("model pipeline: a search has what is refused as a point with the reason", "[model]") {
  const ModelStudy model(4);
  const json layouts = model.layouts({"--search", "--pipeline", "1,3", "--tensor", "2,4"});
  CHECK(layouts.size() == 2);
  const std::string points = contents(model.folder / "out/points.csv");
  CHECK_THAT(points, Catch::Contains("refused") && Catch::Contains("expected a divisor of the 4 layers"));
  CHECK_THAT(contents(model.folder / "out/summary.txt"), Catch::Contains("2 further points were refused"));
}
