// SPDX-License-Identifier: Apache-2.0
// `tahoma cluster` as a user sees it: its files, its sums, published rows, and refusals at their line.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

constexpr const char* kModel =
    R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 512, "intermediate_size": 1024, "num_hidden_layers": 8,
        "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 64, "vocab_size": 1000})";

constexpr const char* kCase =
    "cluster:\n"
    "  job: {model: model.json, sequence: 1024, global_batch: 64, tokens: 1e9, tensor: 2, pipeline: 4}\n"
    "  fleet: {chips: 64, spares: 8}\n"
    "  faults: {trials: 10}\n";

struct Job {
  TempDir folder;
  Job() {
    folder.write("model.json", kModel);
    folder.write("job.yaml", kCase);
  }
  Finished run(std::vector<std::string> options, const std::string& out = "out") const {
    options.insert(options.begin(), {"cluster", "job.yaml", "--out", out});
    return tahoma_in(folder.path().string(), options);
  }
  json summary(const std::string& out = "out") const {
    return json::parse(contents(folder / (out + "/summary.json")));
  }
};

// Returns the results of a shipped case.
json shipped(const TempDir& folder, const std::string& name) {
  const Finished f =
      tahoma_in(folder.path().string(),
                {"cluster", std::string(TAHOMA_SOURCE_DIR) + "/workloads/cluster/" + name + ".yaml", "--out",
                 name, "--format", "json"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  return json::parse(f.out);
}

// The times that a run has executed, given alone, lead to the same step.
void check_given_times(const Job& job) {
  const Finished again =
      tahoma_in(job.folder.path().string(), {"cluster", "out/given_times.yaml", "--out", "again"});
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(job.summary("again")["step"]["seconds"].get<double>() ==
        Approx(job.summary()["step"]["seconds"].get<double>()).epsilon(1e-9));
}

}  // namespace

TEST_CASE("cluster command: the first line answers, and the files repeat it", "[cluster]") {
  const Job job;
  const Finished f = job.run({});
  INFO(f.err);
  REQUIRE(f.status == 0);
  CHECK_THAT(f.out.substr(0, f.out.find('\n')),
             Contains("64 chips") && Contains("MFU") && Contains("goodput"));
  const json s = job.summary();
  const json& step = s["step"];
  CHECK(s["replicas"] == 8);
  CHECK(s["microbatches"] == 8);
  CHECK(step["passes_s"].get<double>() + step["bubble_s"].get<double>() +
            step["exposed_gradients_s"].get<double>() + step["optimizer_s"].get<double>() +
            step["exposed_weights_s"].get<double>() ==
        Approx(step["seconds"].get<double>()));
  CHECK(json::parse(contents(job.folder / "out/manifest.json"))["program"] == "tahoma cluster");
  for (const char* file : {"report.html", "spans.csv", "goodput.csv", "config.resolved.yaml"})
    CHECK(!contents(job.folder / (std::string("out/") + file)).empty());
  // The resolved case repeats the result.
  const Finished again =
      tahoma_in(job.folder.path().string(), {"cluster", "out/config.resolved.yaml", "--out", "again"});
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(contents(job.folder / "again/summary.json") == contents(job.folder / "out/summary.json"));
}

TEST_CASE("cluster command: executed prefills decide the passes", "[cluster]") {
  const Job job;
  const Finished f = job.run({"--set", "cluster.times.source=prefill", "--set", "cluster.job.sequence=128"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  const auto time_of = [&](const char* layers) {
    const std::string name = std::string("out/executed/layers") + layers +
                             "/runs/chips2_lnc2_tensor8_data1_prefill_prompt128_layers" + layers +
                             "/summary.json";
    return json::parse(contents(job.folder / name))["simulated_time_ns"].get<double>() * 1e-9;
  };
  CHECK(job.summary()["times"]["layer_forward_s"].get<double>() == Approx(time_of("2") - time_of("1")));
  check_given_times(job);
}

TEST_CASE("cluster command: executed training steps decide both passes and the optimizer", "[cluster]") {
  const Job job;
  job.folder.write(
      "model.json",
      R"({"architectures": ["LlamaForCausalLM"], "hidden_size": 256, "intermediate_size": 512, "num_hidden_layers": 4,
          "num_attention_heads": 8, "num_key_value_heads": 8, "head_dim": 32, "vocab_size": 256})");
  const Finished f = job.run({"--set", "cluster.times.source=executed",
                              "--set", "cluster.times.lnc=1",
                              "--set", "cluster.job.sequence=256",
                              "--set", "cluster.job.tensor=1",
                              "--set", "cluster.job.update=by_tensor",
                              "--set", "cluster.job.recompute=none",
                              "--set", "cluster.times.slow_instance=server0.chip00",
                              "--set", "cluster.times.slow_parameter=slow",
                              "--set", "cluster.times.slow_value=2",
                              "--set", "cluster.faults.rates.slow=1e9"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  const auto summary_of = [&](const std::string& run) {
    return json::parse(contents(job.folder / ("out/executed/runs/" + run + "/summary.json")));
  };
  const auto start = [&](const std::string& run, const std::string& name) {
    const json summary = summary_of(run);
    for (const json& region : summary["regions"])
      if (region["name"] == name) return region["start_ns"].get<double>() * 1e-9;
    return 0.0;
  };
  const auto of_layer = [&](const std::string& name) {
    return start("layers2_microbatches1", name) - start("layers1_microbatches1", name);
  };
  const json times = job.summary()["times"];
  CHECK(times["layer_forward_s"].get<double>() == Approx(of_layer("final norm")));
  CHECK(times["layer_backward_s"].get<double>() == Approx(of_layer("optimizer") - of_layer("final norm")));
  CHECK(job.summary()["step"]["optimizer_s"].get<double>() > 0);
  const double slow =
      start("layers2_microbatches1_slow", "optimizer") - start("layers1_microbatches1_slow", "optimizer");
  CHECK(times["slow_factor"].get<double>() == Approx(slow / of_layer("optimizer")));
  // All clocks of the chip are halved; those of its memory and of the network are not.
  CHECK(times["slow_factor"].get<double>() > 1.5);
  CHECK(times["slow_factor"].get<double>() < 2.001);
  CHECK(job.summary()["step"]["slowdown"].get<double>() > 1.2);
  CHECK(job.summary()["goodput"]["slowed_percent"].get<double>() > 0);
  check_given_times(job);
}

TEST_CASE("cluster command: a fleet of a million chips composes from one replica", "[cluster]") {
  const Job job;
  const Finished f =
      job.run({"--set", "cluster.fleet.chips=1048576", "--set", "cluster.job.global_batch=1048576"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  CHECK(job.summary()["replicas"] == 131072);
}

TEST_CASE("cluster command: published training runs, with one share of the peak for each family",
          "[cluster]") {
  const TempDir folder;
  // Llama 3 405B (arXiv 2407.21783, table 4): 430, 400 and 380 TFLOPS a GPU. The share is fitted to the
  // first.
  CHECK(shipped(folder, "llama3_h100_8192")["step"]["tflops_of_chip"].get<double>() ==
        Approx(430).epsilon(0.02));
  CHECK(shipped(folder, "llama3_h100_16384")["step"]["tflops_of_chip"].get<double>() ==
        Approx(400).epsilon(0.1));
  CHECK(shipped(folder, "llama3_h100_long")["step"]["tflops_of_chip"].get<double>() ==
        Approx(380).epsilon(0.1));
  // MegaScale (arXiv 2402.15627): 59.1 and 55.2 % MFU. The share is fitted to the first.
  CHECK(shipped(folder, "megascale_3072")["step"]["mfu_percent"].get<double>() == Approx(59.1).epsilon(0.02));
  CHECK(shipped(folder, "megascale_12288")["step"]["mfu_percent"].get<double>() == Approx(55.2).epsilon(0.1));
}

// An hour between checkpoints, 56 ms between faults.
TEST_CASE("cluster command: a training that never progresses never ends, in words, JSON and CSV",
          "[cluster]") {
  const Job job;
  const Finished f = job.run({"--set", "cluster.faults.rates.other=1e9", "--set",
                              "cluster.checkpoint.interval_minutes=60", "--set", "cluster.job.tokens=1e13"});
  INFO(f.err << f.out);
  REQUIRE(f.status == 0);
  CHECK_THAT(f.out.substr(0, f.out.find('\n')),
             Contains("tokens never end, no progress in any of 10 trials"));
  CHECK_THAT(f.out, !Contains("inf"));
  const json s = job.summary();
  for (const char* name : {"elapsed_p50_s", "elapsed_p99_s"}) CHECK(s["goodput"][name].is_null());
  for (const char* name : {"seconds", "dollars", "litres"}) CHECK(s["training"][name].is_null());
  CHECK(s["goodput"]["trials_without_progress"] == 10);
  const std::string csv = contents(job.folder / "out/goodput.csv");
  CHECK_THAT(csv, Contains(",,\n") && !Contains("inf"));
}

TEST_CASE("cluster command: a title may have any bytes", "[cluster]") {
  const TempDir folder;
  const Finished f =
      tahoma_in(folder.path().string(),
                {"cluster", std::string(TAHOMA_SOURCE_DIR) + "/workloads/cluster/llama3_h100_8192.yaml",
                 "--set", "cluster.title=x\xff", "--out", "out"});
  INFO(f.err);
  REQUIRE(f.status == 0);
  CHECK(json::accept(contents(folder / "out/summary.json")));
}

TEST_CASE("cluster command: mistakes are refused at their place, and nothing is written", "[cluster]") {
  const Job job;
  const auto refused = [&](const std::string& set, const std::string& code, const std::string& text) {
    const Finished f = job.run({"--set", "cluster." + set}, "none");
    INFO(set << ": " << f.err);
    CHECK(f.status == 2);
    CHECK_THAT(f.err, Contains("error[" + code + "]") && Contains(text));
    CHECK(!std::filesystem::exists(job.folder / "none"));
  };
  refused("job.tensor=3", "E-CLU-002", "cluster.job.tensor");
  refused("job.pipeline=3", "E-CLU-002", "8 or 10 layers");
  refused("fleet.chips=60", "E-CLU-002", "; got 60");
  refused("job.global_batch=63", "E-CLU-002", "; got 63");
  refused("job.virtual_stages=2", "E-CLU-003", "interleaved");
  refused("job.expert=2", "E-CLU-003", "no mixture");
  refused("job.sharding=parameters", "E-CLU-003", "pipeline");
  CHECK_THAT(
      job.run({"--set", "cluster.job.update=by_tensor", "--set", "cluster.job.sharding=none"}, "none").err,
      Contains("E-CLU-003") && Contains("cluster.job.update"));
  refused("times.source=given", "E-CLU-001", "layer_forward");
  refused("times.slow_instance=server0.chip00", "E-CLU-003", "executed");
  refused("job.schedule=1f2b", "E-CFG-006", "1f1b");
  refused("jobs.tensor=2", "E-CFG-002", "job");
  refused("job.sequence=16777216", "E-CLU-004", "activations");
  const auto refused_text = [&](const std::string& text, const std::string& what) {
    job.folder.write("job.yaml", text);
    const Finished f = job.run({}, "none");
    INFO(text << ": " << f.err);
    CHECK(f.status == 2);
    CHECK_THAT(f.err, Contains(what));
  };
  refused_text("cluster: {jb: {}}\n", "job.yaml:1:11: error[E-CFG-002]: unknown parameter 'cluster.jb'");
  refused_text("cluster: {job: {}}\n", "job.yaml:1:16: error[E-CFG-019]: 'cluster.job' is empty");
  refused_text("clster: {job: {}}\n", "E-C");
  job.folder.write("job.yaml", "cluster:\n  fleet: {chips: 64}\n");
  const Finished f = job.run({}, "none");
  CHECK_THAT(f.err, Contains("E-CLU-001") && Contains("cluster.job.model"));
}

TEST_CASE("cluster command: no job has more than the peak of its chips", "[cluster]") {
  const Job job;
  const auto set = [](std::vector<std::string> values) {
    std::vector<std::string> words;
    for (const std::string& value : values) words.insert(words.end(), {"--set", "cluster." + value});
    return words;
  };
  std::size_t composed = 0, refused = 0;
  for (const char* time : {"1 ns", "100 ns", "1 us", "10 us", "100 us", "1 ms"})
    for (const char* tensor : {"1", "2", "4"})
      for (const char* micro : {"1", "4"}) {
        const Finished f =
            job.run(set({"times.source=given", std::string("times.layer_forward=") + time,
                         std::string("times.layer_backward=") + time, std::string("job.tensor=") + tensor,
                         std::string("job.micro_batch=") + micro}));
        INFO(time << " " << tensor << " " << micro << " " << f.err);
        if (f.status == 0) {
          ++composed;
          CHECK(job.summary()["step"]["mfu_percent"].get<double>() <= 100);
        } else {
          ++refused;
          CHECK_THAT(f.err, Contains("E-CLU-003") && Contains("% of its peak"));
        }
      }
  CHECK(composed > 6);
  CHECK(refused > 6);
  const Finished faster = job.run(set({"times.backward=0.1", "times.compute=1"}));
  CHECK((faster.status == 0 ? job.summary()["step"]["mfu_percent"].get<double>() <= 100
                            : faster.err.find("cluster.times.backward") != std::string::npos));
}

TEST_CASE("cluster command: given times hold for the degrees that they state", "[cluster]") {
  const Job job;
  const auto status = [&](const char* of) {
    return job.run({"--set", "cluster.times.source=given", "--set", "cluster.times.layer_forward=1 ms",
                    "--set", "cluster.times.layer_backward=2 ms", "--set",
                    std::string("cluster.times.") + of});
  };
  for (const char* of : {"of_tensor=2", "of_context=1", "of_micro_batch=1", "of_tensor=0"})
    CHECK(status(of).status == 0);
  for (const char* of : {"of_tensor=4", "of_context=2", "of_micro_batch=2"})
    CHECK_THAT(status(of).err, Contains("E-CLU-003") && Contains(", for which cluster.times are given"));
}
