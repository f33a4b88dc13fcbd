// SPDX-License-Identifier: Apache-2.0
// `tahoma serve` as a user starts it: its files, their bytes, and what it refuses.
#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/support/program/serving_run.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains, Catch::StartsWith;
using OneJson = nlohmann::json;

namespace {

constexpr const char* kRandom =
    "serving:\n"
    "  requests:\n"
    "    poisson: {rate: 20, requests: 400, prompt: {distribution: uniform, min: 5, max: 60},\n"
    "              output: {distribution: geometric, mean: 10}}\n"
    "  steps: steps.csv\n"
    "  server: {max_sequences: 8, max_tokens: 128, chunk: 32}\n"
    "  slo: {ttft: 150 ms, tpot: 60 ms}\n";

std::set<std::string> entries_of(const std::string& folder) {
  std::set<std::string> names;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) names.insert(entry.path());
  return names;
}

class ServingFolder {
 public:
  explicit ServingFolder(const std::string& yaml = kRandom) {
    dir_.write("case.yaml", yaml);
    dir_.write("steps.csv", kSimpleSteps);
  }
  const TempDir& dir() const { return dir_; }

  Finished serve(std::vector<std::string> more) const {
    more.insert(more.begin(), {"serve", "case.yaml"});
    return tahoma_in(dir_.path(), more);
  }
  std::string file(const std::string& name) const { return contents(dir_ / name); }
  OneJson json(const std::string& name) const { return OneJson::parse(file(name)); }
  std::vector<std::vector<std::string>> csv(const std::string& name) const {
    std::vector<std::vector<std::string>> rows;
    std::istringstream lines(file(name));
    for (std::string line, field; std::getline(lines, line);) {
      rows.emplace_back();
      for (std::istringstream fields(line); std::getline(fields, field, ',');) rows.back().push_back(field);
    }
    return rows;
  }
  // Refused with this code, and with nothing written.
  std::string refusal(const std::vector<std::string>& more, const std::string& code) const {
    const auto before = entries_of(dir_.path());
    const Finished run = serve(more);
    INFO(run.err);
    CHECK(run.status == 2);
    CHECK(run.out.empty());
    CHECK_THAT(run.err, StartsWith("tahoma: ") && Contains("error[" + code));
    CHECK(entries_of(dir_.path()) == before);
    return run.err;
  }

 private:
  TempDir dir_;
};

double column_sum(const std::vector<std::vector<std::string>>& rows, const std::string& name) {
  const auto column =
      static_cast<std::size_t>(std::find(rows[0].begin(), rows[0].end(), name) - rows[0].begin());
  REQUIRE(column < rows[0].size());
  double sum = 0;
  for (std::size_t n = 1; n < rows.size(); ++n) sum += std::stod(rows[n].at(column));
  return sum;
}

}  // namespace

TEST_CASE("tahoma serve: the first line answers, and the files agree with each other", "[serving]") {
  const ServingFolder folder;
  const Finished run = folder.serve({"--out", "out"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, StartsWith("goodput ") && Contains("within TTFT 150 ms, TPOT 60 ms), TTFT p50 "));
  CHECK_THAT(run.out, StartsWith(folder.file("out/summary.txt")));
  const OneJson summary = folder.json("out/summary.json");
  const auto requests = folder.csv("out/requests.csv"), series = folder.csv("out/series.csv");
  REQUIRE(requests.size() == 401);
  CHECK(column_sum(requests, "output_tokens") == summary["output_tokens"]);
  CHECK(column_sum(series, "output_tokens") == summary["output_tokens"]);
  CHECK(column_sum(series, "entered") == 400);
  CHECK(column_sum(series, "left") == 400);
  CHECK(column_sum(series, "steps") == summary["groups"][0]["steps"]);
  CHECK(column_sum(requests, "within_slo") == summary["slo"]["within"]);
  CHECK(column_sum(requests, "ttft_s") / 400 == Approx(summary["ttft_s"]["mean"].get<double>()));
  CHECK(column_sum(series, "window_s") == Approx(summary["elapsed_s"].get<double>()).margin(1));
  const double elapsed = summary["elapsed_s"];
  CHECK(column_sum(requests, "end_to_end_s") / elapsed == Approx(summary["mean_in_system"].get<double>()));
  CHECK(summary["goodput_requests_per_s"].get<double>() ==
        Approx(summary["slo"]["within"].get<double>() / elapsed));
  for (const char* file : {"report.html", "config.resolved.yaml", "manifest.json"})
    CHECK(std::filesystem::exists(folder.dir() / ("out/" + std::string(file))));
  CHECK_THAT(folder.file("out/report.html"), Contains("\"kind\":\"serving\"") && Contains("servingPage"));
}

TEST_CASE("tahoma serve: equal inputs give equal bytes, also from the resolved configuration", "[serving]") {
  const ServingFolder folder;
  REQUIRE(folder.serve({"--out", "a"}).status == 0);
  REQUIRE(folder.serve({"--out", "b"}).status == 0);
  REQUIRE(tahoma_in(folder.dir().path(), {"serve", "a/config.resolved.yaml", "--out", "c"}).status == 0);
  for (const char* file : {"requests.csv", "series.csv", "summary.json", "summary.txt", "report.html"}) {
    INFO(file);
    CHECK(folder.file("a/" + std::string(file)) == folder.file("b/" + std::string(file)));
    CHECK(folder.file("a/" + std::string(file)) == folder.file("c/" + std::string(file)));
  }
  CHECK(folder.file("a/config.resolved.yaml") == folder.file("c/config.resolved.yaml"));
  // An output of its own is replaced, and another folder is not.
  CHECK(folder.serve({"--out", "a", "--set", "serving.requests.poisson.seed=2"}).status == 0);
  CHECK(folder.file("a/requests.csv") != folder.file("b/requests.csv"));
  folder.dir().write("a/mine.txt", "x");
  folder.refusal({"--out", "a"}, "E-OUT-002");
}

TEST_CASE("tahoma serve: JSON for programs, held-back steps without a simulation", "[serving]") {
  const ServingFolder folder;
  const Finished run = folder.serve({"--out", "out", "--format", "json"});
  CHECK(OneJson::parse(run.out) == folder.json("out/summary.json"));
  folder.dir().write("held.csv", "phase,batch,context,tokens,seconds\ndecode,7,5,0,0.008\n");
  const Finished held = folder.serve({"--held-back", "held.csv", "--out", "none"});
  CHECK(held.status == 0);
  CHECK_THAT(held.out, Contains("+25.00  decode step of batch 7, context 5"));
  CHECK_FALSE(std::filesystem::exists(folder.dir() / "none"));
  const Finished both = folder.serve({"--out", "out", "--set", "serving.held_back=held.csv"});
  CHECK_THAT(both.out, Contains("held back: 1 steps, mean error 25.00 %"));
  CHECK(folder.json("out/summary.json")["held_back"]["worst_error_percent"] == Approx(25));
}

TEST_CASE("tahoma serve: joules of executed steps are added up", "[serving]") {
  const ServingFolder folder("serving: {requests: {trace: t.csv}, steps: joules.csv}\n");
  folder.dir().write("t.csv", "arrival_s,prompt_tokens,output_tokens\n0,8,3\n5,8,1\n");
  folder.dir().write("joules.csv",
                     "phase,batch,context,tokens,seconds,joules\nprefill,1,0,8,0.1,4\n"
                     "decode,1,8,0,0.1,1\ndecode,1,16,0,0.1,1\n");
  REQUIRE(folder.serve({"--out", "out"}).status == 0);
  const OneJson summary = folder.json("out/summary.json");
  CHECK(summary["step_joules"] == Approx(2 * 4 + 2 * 1));
  CHECK(summary["step_joules_per_output_token"] == Approx(10.0 / 4));
  CHECK_THAT(folder.file("out/summary.txt"), StartsWith("goodput ") && Contains("ended; no SLO"));
  // Rows are in the order of the ends; a request of one token has no TPOT.
  CHECK(folder.file("out/requests.csv") ==
        "request,arrival_s,prompt_tokens,output_tokens,wait_s,ttft_s,tpot_s,end_to_end_s,preemptions,dropped_"
        "tokens,"
        "within_slo\n0,0,8,3,0,0.1,0.1,0.3,0,0,1\n1,5,8,1,0,0.1,,0.1,0,0,1\n");
}

TEST_CASE("tahoma serve: contradictory or missing keys are refused", "[serving]") {
  const ServingFolder folder;
  CHECK_THAT(folder.refusal({"--set", "serving.requests.trace=t.csv"}, "E-SRV-020"), Contains("got both"));
  CHECK_THAT(folder.refusal({"--set", "serving.requests.poisson.rate=0"}, "E-SRV-020"),
             Contains("got neither"));
  CHECK_THAT(folder.refusal({"--set", "serving.server.decode_servers=1"}, "E-SRV-021"),
             Contains("prefill_servers"));
  CHECK_THAT(folder.refusal({"--set", "serving.server.max_tokens=4"}, "E-SRV-021"),
             Contains("max_sequences = 8"));
  CHECK_THAT(folder.refusal({"--set", "serving.server.max_sequence=4"}, "E-CFG-002"),
             Contains("max_sequences"));
  CHECK_THAT(folder.refusal({"--set", "serve.title=x"}, "E-CFG-002"), Contains("expected serving"));
  folder.refusal({"--set", "serving.slo.ttft=5"}, "E-CFG-003");
  folder.refusal({"--set", "serving.server.prefill=chunk"}, "E-CFG-006");
  folder.refusal({"--set", "serving.requests.poisson.requests=100000000"}, "E-CFG-005");
  const ServingFolder without("serving: {requests: {poisson: {rate: 1}}}\n");
  CHECK_THAT(without.refusal({}, "E-SRV-020"), Contains("case.yaml") && Contains("serving.steps"));
  const ServingFolder in_file(
      "serving:\n  requests: {poisson: {rate: 1}}\n  steps: steps.csv\n"
      "  server: {max_tokens: 4}\n");
  CHECK_THAT(in_file.refusal({}, "E-SRV-021"), Contains("case.yaml:4:"));
  const ServingFolder other("kind: gemm\n");
  other.refusal({}, "E-CFG-002");
}

TEST_CASE("tahoma serve: requests that fit no server and steps beyond the executed ones are refused",
          "[serving]") {
  const ServingFolder folder(
      "serving: {requests: {trace: t.csv}, steps: steps.csv, server: {kv: {blocks: 2}}}\n");
  folder.dir().write("t.csv", "# trace\narrival_s,prompt_tokens,output_tokens\n0,8,3\n\n1,30,4\n");
  CHECK_THAT(folder.refusal({}, "E-SRV-007"),
             Contains("t.csv:5") && Contains("need room for 33 tokens") && Contains("has room for 32"));
  folder.dir().write("t.csv", "arrival_s,prompt_tokens,output_tokens\n0,8,25\n");
  CHECK(folder.serve({"--out", "out"}).status == 0);
  CHECK_THAT(folder.refusal({"--set", "serving.server={prefill: whole, max_tokens: 31, max_sequences: 4}"},
                            "E-SRV-007"),
             Contains("prefilled in one step"));
  folder.dir().write("t.csv", "arrival_s,prompt_tokens,output_tokens\n0,990,20\n");
  CHECK_THAT(folder.refusal({"--set", "serving.server.kv.blocks=100", "--out", "new"}, "E-SRV-014"),
             Contains("steps.csv:7") && Contains("context 1001"));
  folder.dir().write("t.csv", "arrival_s,prompt_tokens,output_tokens\n0,990,");
  folder.refusal({}, "E-SRV-005");
}

TEST_CASE("tahoma serve: a simulated time beyond the range of the clock is refused", "[serving]") {
  const ServingFolder folder("serving: {requests: {trace: t.csv}, steps: slow.csv}\n");
  folder.dir().write("t.csv", "arrival_s,prompt_tokens,output_tokens\n0,8,10000\n");
  folder.dir().write("slow.csv",
                     "phase,batch,context,tokens,seconds\nprefill,1,0,8,1e6\ndecode,1,8,0,1e6\n"
                     "decode,1,20000,0,1e6\n");
  folder.refusal({}, "E-SRV-016");
}
