// SPDX-License-Identifier: Apache-2.0
// `tahoma chakra` and `tahoma run --chakra` as a user sees them.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/execution_trace/execution_trace.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using namespace tahoma::tests;
using Catch::Contains;
using nlohmann::json;

namespace {

struct Traces {
  TempDir folder;

  // Four ranks, each of which computes and takes part in a sum.
  Traces() {
    runtime::chakra::TraceNode compute, sum;
    compute.id = 1;
    compute.name = "mm";
    compute.duration = {5'000'000'000};
    compute.operations = 2'000'000'000;
    compute.bytes = 1'000'000;
    sum.id = 2;
    sum.name = "sum";
    sum.kind = runtime::chakra::NodeKind::kCollective;
    sum.message = 65536;
    sum.after = {1};
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      folder.write("t." + std::to_string(rank) + ".et", runtime::chakra::trace_bytes({compute, sum}, rank));
  }
  Finished run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"chakra", "t", "--out", "out", "--set", "machine.torus.z=1"});
    return tahoma_in(folder.path().string(), options);
  }
  double time_us(const std::vector<std::string>& options) const {
    const Finished f = run(options);
    INFO(f.err);
    REQUIRE(f.status == 0);
    return json::parse(contents(folder / "out/summary.json"))["time_ns"].get<double>() / 1e3;
  }
};

}  // namespace

TEST_CASE("chakra command: the time is that of the computation and of the simulated collective", "[chakra]") {
  const Traces t;
  t.folder.write(
      "sum.yaml",
      "kind: collective\nworkload: {operation: all_reduce, bytes: 64 KiB, ranks: chips, over: 0-3}\n");
  const Finished alone = tahoma_in(
      t.folder.path().string(),
      {"run", "sum.yaml", "--mode", "timing", "--no-report", "--out", "alone", "--set", "machine.torus.z=1"});
  REQUIRE(alone.status == 0);
  const double sum =
      json::parse(contents(t.folder / "alone/summary.json"))["collectives"][0]["time_ns"].get<double>() / 1e3;
  CHECK(t.time_us({}) == Approx(5 + sum));
  CHECK_THAT(contents(t.folder / "out/nodes.csv"), Contains("0,1,mm,compute,0,0,5000"));
  const auto replayed = runtime::chakra::read_traces(t.folder / "out/replayed");
  REQUIRE(replayed.size() == 4);
  CHECK(replayed[3][1].duration.seconds() * 1e6 == Approx(sum));
  CHECK(t.time_us({"--exchanges", "estimated"}) == Approx(5 + sum).epsilon(0.1));
}

TEST_CASE("chakra command: tables and rooflines give computations other times", "[chakra]") {
  const Traces t;
  const double recorded = t.time_us({"--exchanges", "estimated"});
  t.folder.write("times.csv", "name,time\nm*,20 us\n");
  CHECK(t.time_us({"--exchanges", "estimated", "--table", "times.csv"}) == Approx(recorded + 15));
  // Two billion operations at the 629 TFLOPS of the model's chip: longer than a megabyte at 2.9 TB/s.
  const double roofline = t.time_us({"--exchanges", "estimated", "--compute", "roofline"});
  CHECK(roofline == Approx(recorded - 5 + 2e9 / 629.1456e12 * 1e6).epsilon(1e-6));
  t.folder.write("case.yaml", "kind: vector_add\n");
  t.folder.write("cases.csv", "name,case\nmm,case.yaml\n");
  const Finished executed = t.run({"--exchanges", "estimated", "--table", "cases.csv"});
  INFO(executed.err);
  CHECK(executed.status == 0);
  CHECK_THAT(executed.out, Contains("1 runs"));
}

TEST_CASE("chakra command: messages have estimated times, which grow with the bytes", "[chakra]") {
  const auto estimated = [](std::uint64_t bytes) {
    Traces t;
    runtime::chakra::TraceNode send, receive;
    send.id = receive.id = 1;
    send.kind = runtime::chakra::NodeKind::kSend;
    receive.kind = runtime::chakra::NodeKind::kReceive;
    send.peer = 3;
    send.message = receive.message = bytes;
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      t.folder.write("t." + std::to_string(rank) + ".et", runtime::chakra::trace_bytes({}, rank));
    t.folder.write("t.0.et", runtime::chakra::trace_bytes({send}, 0));
    t.folder.write("t.3.et", runtime::chakra::trace_bytes({receive}, 3));
    return t.time_us({"--exchanges", "estimated"});
  };
  const double least = estimated(64), most = estimated(64 << 20);
  CHECK(least > 0);
  CHECK(most > 10 * least);
}

TEST_CASE("chakra command: an exchange of nothing takes no time", "[chakra]") {
  for (const char* exchanges : {"executed", "estimated"}) {
    Traces t;
    runtime::chakra::TraceNode sum;
    sum.kind = runtime::chakra::NodeKind::kCollective;
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      t.folder.write("t." + std::to_string(rank) + ".et", runtime::chakra::trace_bytes({sum}, rank));
    CHECK(t.time_us({"--exchanges", exchanges}) == 0);
  }
}

TEST_CASE("chakra command: bad input is refused, and nothing is written", "[chakra]") {
  const Traces t;
  const auto refused = [&](const std::vector<std::string>& options, const char* code) {
    const Finished f = t.run(options);
    CHECK(f.status == 2);
    CHECK_THAT(f.err, Contains(code));
    CHECK(!std::filesystem::exists(t.folder / "out"));
  };
  refused({"--set", "machine.torus.x=1", "--set", "machine.torus.y=1"}, "E-ETR-006");
  t.folder.write("times.csv", "name,time\nmm,soon\n");
  refused({"--table", "times.csv"}, "E-ETR-007");
  t.folder.write("times.csv", "name,time,case\nmm,,\n");
  refused({"--table", "times.csv"}, "E-ETR-007");
  refused({"--ranks", "chip"}, "did you mean");
}

TEST_CASE(
    "chakra command: sizes that no chip holds and times beyond an hour are refused at their node, before any "
    "run",
    "[chakra][bad-input]") {
  const Traces t;
  runtime::chakra::TraceNode work, sum;
  work.id = 1;
  work.name = "mm";
  work.operations = 10;
  sum.id = 2;
  sum.name = "sum";
  sum.kind = runtime::chakra::NodeKind::kCollective;
  const auto status = [&](const std::vector<std::string>& options, const std::string& text) {
    for (std::uint32_t rank = 0; rank < 4; ++rank)
      t.folder.write("t." + std::to_string(rank) + ".et", runtime::chakra::trace_bytes({work, sum}, rank));
    std::filesystem::remove_all(t.folder / "out");
    const Finished f = t.run(options);
    INFO(f.err);
    if (f.status != 0) {
      CHECK_THAT(f.err, Contains("t.0.et: error[E-ETR-003]") && Contains(text));
      CHECK(!std::filesystem::exists(t.folder / "out"));
    }
    return f.status;
  };
  // 2.9 TB/s for an hour.
  const std::vector<std::string> roofline{"--compute", "roofline", "--exchanges", "estimated"};
  work.bytes = std::uint64_t{2'900'000'000'000} * 3600;
  CHECK(status(roofline, "") == 0);
  for (const std::uint64_t bytes : {work.bytes + 1'000'000'000, std::uint64_t{1} << 62}) {
    work.bytes = bytes;
    CHECK(status(roofline, "node 1 'mm': the roofline") == 2);
  }
  work.bytes = 0;
  // 4 stacks of 24 GiB.
  for (const char* exchanges : {"executed", "estimated"}) {
    sum.message = (std::uint64_t{96} << 30) + 1;
    CHECK(status({"--exchanges", exchanges}, "node 2 'sum': comm_size is 103079215105 B") == 2);
    sum.operation = runtime::collective::Operation::kAllGather;
    sum.message = std::uint64_t{1} << 62;
    CHECK(status({"--exchanges", exchanges}, "from each of 4 ranks; expected at most 25769803776 B") == 2);
    sum.operation = runtime::collective::Operation::kAllReduce;
  }
  sum.message = std::uint64_t{96} << 30;
  CHECK(status({"--exchanges", "estimated"}, "") == 0);
}

TEST_CASE("chakra command: the traces of a run replay its time", "[chakra]") {
  const TempDir folder;
  folder.write(
      "sums.yaml",
      "kind: collective\nworkload: {operation: all_reduce, algorithm: best, bytes: \"1 MiB, 2 MiB\", ranks: "
      "cores, over: chips}\n"
      "machine: trainium2_one_chip\n");
  const Finished run =
      tahoma_in(folder.path().string(), {"run", "sums.yaml", "--mode", "timing", "--no-report", "--chakra"});
  INFO(run.err);
  REQUIRE(run.status == 0);
  const Finished again =
      tahoma_in(folder.path().string(), {"chakra", "out/chakra", "--machine", "trainium2_one_chip", "--ranks",
                                         "cores", "--groups", "out/chakra.groups.json", "--out", "again"});
  INFO(again.err);
  REQUIRE(again.status == 0);
  const double simulated =
                   json::parse(contents(folder / "out/summary.json"))["simulated_time_ns"].get<double>(),
               replayed = json::parse(contents(folder / "again/summary.json"))["time_ns"].get<double>();
  CHECK(replayed == Approx(simulated).epsilon(0.15));
}
