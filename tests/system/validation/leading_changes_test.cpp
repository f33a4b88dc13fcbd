// SPDX-License-Identifier: Apache-2.0
// The changes that lead a report: planted causes among the many statistics that they change.
#include "studies/validation/regression/differences/leading_changes.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <random>

using namespace tahoma;
using namespace tahoma::runtime;
using Catch::Contains, Catch::StartsWith;

namespace {

struct TwoRuns {
  RunStatistics before, after;
  void add(const std::string& name, double old_value, double new_value) {
    before.push_back({name, fmt_number(old_value)});
    after.push_back({name, fmt_number(new_value)});
  }
  static std::string fmt_number(double value) { return std::to_string(value); }
  LeadingChanges leads(double before_ns, double after_ns) const {
    return leading_changes(differences_of(before, after), before_ns, after_ns);
  }
};

// 259 statistics: a vector engine at half its clock, half as many bytes again of DMA, and a slower HBM;
// and what follows from them.
TwoRuns planted() {
  const double t0 = 1000, t1 = 1200;
  TwoRuns runs;
  runs.add("simulated_time_ns", t0, t1);
  const auto share = [&](const std::string& name, double ns0, double ns1) {
    runs.add(name, 100 * ns0 / t0, 100 * ns1 / t1);
  };
  share("engines.vector.time_percent.busy", 200, 400);
  for (int n = 0; n < 30; ++n)
    runs.add("regions[" + std::to_string(n) + "].engines.vector.busy_ns", 5 + n, 2 * (5 + n));
  for (const char* engine : {"tensor", "scalar", "gpsimd", "sync"})
    share(std::string("engines.") + engine + ".time_percent.wait_vector", 100,
          170 + 7 * static_cast<double>(std::string(engine).size()));
  runs.add("dma.bytes", 4000, 6000);
  for (int n = 0; n < 20; ++n) runs.add("regions[" + std::to_string(n) + "].dma_bytes", 40 + n, 60 + 1.5 * n);
  runs.add("hbm.latency.reads.mean_ns", 100, 110);
  for (int n = 0; n < 10; ++n)
    runs.add("server*.chip*.hbm*.reads.p" + std::to_string(n) + ".most", 100 + n, 110 + 1.1 * n);
  for (int n = 0; n < 80; ++n)
    share("regions[" + std::to_string(n) + "].active_percent", 3 + n, 3 + n);  // only the time changed
  for (std::size_t n = 0; runs.before.size() < 259; ++n) runs.add("same" + std::to_string(n), 5, 5);
  return runs;
}

std::vector<std::string> names_of(const LeadingChanges& changes) {
  std::vector<std::string> names;
  for (const LeadingChange& lead : changes.leads) names.push_back(lead.difference.name);
  return names;
}

}  // namespace

TEST_CASE("leading changes: of 148 changes among 259, three planted causes lead and explain the others",
          "[regression]") {
  const TwoRuns runs = planted();
  const LeadingChanges changes = runs.leads(1000, 1200);
  CHECK(changes.all == 148);
  CHECK(changes.follow_time == 81);
  CHECK(names_of(changes) == std::vector<std::string>{"engines.vector.time_percent.busy", "dma.bytes",
                                                      "hbm.latency.reads.mean_ns"});
  CHECK(changes.leads[0].explained == 30 + 4);
  CHECK(changes.leads[1].explained == 20);
  CHECK(changes.leads[2].explained == 10);
  CHECK(changes.explained() == 148 - 81 - 3);
  CHECK_THAT(
      leads_text(changes, ""),
      StartsWith("148 changes, of which 81 follow from the time of the run; 3 lead, and explain 64 of the "
                 "other 64:\n  engines.vector.time_percent.busy ") &&
          Contains("; explains 34 others\n"));
}

TEST_CASE("leading changes: the order of the statistics does not decide", "[regression]") {
  TwoRuns runs = planted();
  std::mt19937_64 random(3);
  for (int round = 0; round < 10; ++round) {
    std::shuffle(runs.before.begin(), runs.before.end(), random);
    std::shuffle(runs.after.begin(), runs.after.end(), random);
    const LeadingChanges changes = runs.leads(1000, 1200);
    REQUIRE(changes.leads.size() == 3);
    CHECK(changes.leads[0].explained == 34);
    CHECK(changes.leads[1].explained == 20);
    CHECK(changes.leads[2].explained == 10);
    CHECK(changes.follow_time == 81);
  }
}

TEST_CASE("leading changes: a changed input of the run leads", "[regression]") {
  TwoRuns runs = planted();
  runs.before.push_back({"workload", "gemm 500x700x900"});
  runs.after.push_back({"workload", "gemm 512x700x900"});
  const LeadingChanges changes = runs.leads(1000, 1200);
  CHECK(names_of(changes) ==
        std::vector<std::string>{"workload", "engines.vector.time_percent.busy", "dma.bytes"});
}

TEST_CASE("leading changes: a part of the time outweighs many small changes", "[regression]") {
  TwoRuns runs;
  runs.add("simulated_time_ns", 1000, 1300);
  runs.add("engines.tensor.time_percent.busy", 10, 100 * 400.0 / 1300);
  for (int n = 0; n < 50; ++n) runs.add("hbm.counter" + std::to_string(n), 100, 101);
  const LeadingChanges changes = runs.leads(1000, 1300);
  REQUIRE(changes.leads.size() == 2);
  CHECK(changes.leads[0].difference.name == "engines.tensor.time_percent.busy");
  CHECK(changes.leads[1].explained == 49);
}

TEST_CASE("leading changes: without a change of the time nothing follows from it", "[regression]") {
  TwoRuns runs;
  runs.add("simulated_time_ns", 1000, 1000);
  for (int n = 0; n < 6; ++n) runs.add("engines.tensor.time_percent.kind" + std::to_string(n), 10, 11 + n);
  const LeadingChanges changes = runs.leads(1000, 1000);
  CHECK(changes.follow_time == 0);
  CHECK(changes.all == 6);
  CHECK(changes.leads.size() == 3);
  CHECK(changes.leads[0].difference.name == "engines.tensor.time_percent.kind5");
  CHECK(changes.explained() == 0);
}

TEST_CASE("leading changes: few changes need no lead, and outputs are none", "[regression]") {
  CHECK(leads_text(leading_changes(differences_of({{"a", "1"}}, {{"a", "2"}}), 1, 1), "").empty());
  CHECK(leading_changes(differences_of({{"outputs.y.sha256", "1"}}, {{"outputs.y.sha256", "2"}}), 1, 1).all ==
        0);
}
