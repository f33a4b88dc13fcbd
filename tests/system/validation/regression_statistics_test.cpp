// SPDX-License-Identifier: Apache-2.0
// A run as named values, and the comparison of two runs.
#include <catch2/catch.hpp>

#include "studies/validation/regression/differences/subsystem.h"
#include "studies/validation/regression/golden_comparison.h"

using namespace tahoma;
using namespace tahoma::runtime;
using base::Stat, base::Unit;

namespace {

std::string value_of(const RunStatistics& statistics, const std::string& name) {
  for (const Statistic& s : statistics)
    if (s.name == name) return s.value;
  return "absent";
}

const std::vector<Stat> kStats{{"server0.chip00.core0.dma.bytes", std::uint64_t{3}, Unit::kBytes, ""},
                               {"server0.chip01.core7.dma.bytes", std::uint64_t{40}, Unit::kBytes, ""},
                               {"server0.chip00.hbm0.reads.p99", 1.5, Unit::kNanoseconds, ""},
                               {"server0.chip00.hbm1.reads.p99", 2.5, Unit::kNanoseconds, ""},
                               {"server0.chip00.link.xp.goodput", 9.0, Unit::kBytesPerSecond, ""},
                               {"server0.chip00.core0.cc0.busy", 0.0, Unit::kNanoseconds, ""},
                               {"dma_packets", std::uint64_t{12}, Unit::kCount, ""}};

Comparison comparison(double a_ns, double b_ns) {
  const auto folder = [](const std::string& path, double ns) {
    return RunFolder{path,
                     {{"simulated_time_ns", std::to_string(ns)},
                      {"busiest.resource", "link"},
                      {"busiest.share_percent", "66.4"}}};
  };
  return compare_runs(folder("a", a_ns), folder("b", b_ns));
}

}  // namespace

TEST_CASE("regression pattern: a star matches any text, and everything else itself", "[regression]") {
  CHECK(matches_pattern("a.b.c", "a.b.c"));
  CHECK(matches_pattern("a.b.c", "*"));
  CHECK(matches_pattern("a.b.c", "*.c"));
  CHECK(matches_pattern("a.b.c", "a*c"));
  CHECK(matches_pattern("aXbXbY", "a*bY"));
  CHECK(matches_pattern("a", "a*"));
  CHECK(matches_pattern("list[3].x", "list[*].x"));
  CHECK_FALSE(matches_pattern("a.b.c", "a.b"));
  CHECK_FALSE(matches_pattern("a.b.c", "b*"));
  CHECK_FALSE(matches_pattern("a.b.c", ""));
  CHECK_FALSE(matches_pattern("abc", "a?c"));
}

TEST_CASE("regression statistics: a class adds its instances up and names the largest", "[regression]") {
  const RunStatistics all = class_statistics(kStats, {"*"});
  CHECK(value_of(all, "server*.chip*.core*.dma.bytes.total") == "43");
  CHECK(value_of(all, "server*.chip*.core*.dma.bytes.most") == "40");
  CHECK(value_of(all, "dma_packets") == "12");
  // Neither percentiles nor rates are summed.
  CHECK(value_of(all, "server*.chip*.hbm*.reads.p99.most") == "2.5");
  CHECK(value_of(all, "server*.chip*.hbm*.reads.p99.total") == "absent");
  CHECK(value_of(all, "server*.chip*.link.xp.goodput.total") == "absent");
  // Numbers that are 0 are left out.
  CHECK(value_of(all, "server*.chip*.core*.cc*.busy.total") == "absent");
  CHECK(class_statistics(kStats, {"*.hbm*"}).size() == 1);
  CHECK(class_statistics(kStats, {}).empty());
}

TEST_CASE("regression statistics: a summary is flattened, without prose and without zeros", "[regression]") {
  const RunStatistics s = summary_statistics(
      R"({"schema_version": 1, "a": {"b": [1.5, "x", true, null]}, "zero": 0, "busiest": {"resource": "hbm",
          "instance": "a sentence"}, "golden": {"max_abs_error": 0.25, "passed": false}})");
  CHECK(value_of(s, "a.b[0]") == "1.5");
  CHECK(value_of(s, "a.b[1]") == "x");
  CHECK(value_of(s, "a.b[2]") == "true");
  CHECK(value_of(s, "a.b[3]") == "null");
  CHECK(value_of(s, "busiest.resource") == "hbm");
  CHECK(value_of(s, "golden.passed") == "false");
  CHECK(s.size() == 6);
}

TEST_CASE("compare: items of a list have their names where these are their own, and values their units",
          "[regression]") {
  const std::string text =
      R"({"regions": [{"name": "gate and up", "time_ns": 10}, {"name": "down", "time_ns": 20}],
          "collectives": [{"name": "same", "time_ns": 1}, {"name": "same", "time_ns": 2}], "plain": [3, 4]})";
  const RunStatistics s = named_summary_statistics(text);
  CHECK(value_of(s, "regions[gate and up].time_ns") == "10");
  CHECK(value_of(s, "regions[down].time_ns") == "20");
  CHECK(value_of(s, "collectives[1].time_ns") == "2");
  CHECK(value_of(s, "plain[1]") == "4");
  // Goldens keep the numbers.
  CHECK(value_of(summary_statistics(text), "regions[1].time_ns") == "20");
  const auto groups = differences_of(
      {{"simulated_time_ns", "100"}, {"regions[down].time_ns", "20"}, {"hbm_read_bytes", "1"}},
      {{"simulated_time_ns", "600"}, {"regions[down].time_ns", "520"}, {"hbm_read_bytes", "3"}});
  CHECK_THAT(groups_text(groups, 5, ""),
             Catch::Contains("20 -> 520 ns, 5 times the time before") && Catch::Contains("1 -> 3 B"));
}

TEST_CASE("compare: two workloads are named, and one whose programs differ is not said to be another",
          "[regression]") {
  RunFolder a{"a", {{"simulated_time_ns", "100"}}, "gemm 64x64x64", "1"},
      b{"b", {{"simulated_time_ns", "90"}}, "all_reduce 1 MiB", "2"};
  const std::string text = comparison_text(compare_runs(a, b), 5);
  CHECK_THAT(
      text,
      Catch::Contains(
          "The programs differ, because the workloads do: A is 'gemm 64x64x64', B is 'all_reduce 1 MiB'"));
  b.workload = a.workload;
  CHECK_THAT(comparison_text(compare_runs(a, b), 5), Catch::Contains("though the workload is the same"));
  b.programs = a.programs;
  CHECK_THAT(comparison_text(compare_runs(a, b), 5), !Catch::Contains("programs differ"));
}

TEST_CASE("regression statistics: a name is kept once, the first one", "[regression]") {
  const RunStatistics s = joined({{"a", "1"}}, {{"a", "2"}, {"b", "3"}});
  REQUIRE(s.size() == 2);
  CHECK(value_of(s, "a") == "1");
}

TEST_CASE("regression differences: missing, extra and changed values differ, equal ones do not",
          "[regression]") {
  const RunStatistics before{{"time", "100"}, {"gone", "1"}, {"same", "2"}, {"word", "link"}};
  const RunStatistics after{{"time", "99"}, {"same", "2"}, {"word", "hbm"}, {"new", "0.5"}};
  const auto groups = differences_of(before, after);
  REQUIRE(groups.size() == 1);
  const auto& d = groups[0].differences;
  REQUIRE(d.size() == 4);
  CHECK(d[0].name == "gone");
  CHECK(change_text(d[0]) == "gone");
  CHECK(d[1].name == "new");
  CHECK(change_text(d[1]) == "new");
  CHECK(d[2].name == "time");
  CHECK(d[2].change == Approx(-0.01));
  CHECK(change_text(d[2]) == "-1.00 %");
  CHECK(d[3].name == "word");
  CHECK(change_text(d[3]) == "changed");
  CHECK(differences_of(before, before).empty());
}

TEST_CASE("regression differences: the number of something is listed as changed, behind every quantity",
          "[regression]") {
  const RunStatistics before{{"collectives[0].slowest_rank", "3"}, {"collectives[0].time_ns", "1000"}};
  const RunStatistics after{{"collectives[0].slowest_rank", "17"}, {"collectives[0].time_ns", "1001"}};
  const auto groups = differences_of(before, after);
  REQUIRE(groups.size() == 1);
  const auto& d = groups[0].differences;
  REQUIRE(d.size() == 2);
  CHECK(d[0].name == "collectives[0].time_ns");
  CHECK(d[1].name == "collectives[0].slowest_rank");
  CHECK_FALSE(d[1].quantity);
  CHECK(change_text(d[1]) == "changed");
  CHECK_THAT(groups_text(groups, 5, ""), Catch::Contains("changed  3 -> 17"));
}

TEST_CASE("regression differences: a time ranks by the part of the run's time that it explains",
          "[regression]") {
  const std::string core = "server*.chip*.core*.";
  const RunStatistics before{{"simulated_time_ns", "1000"},
                             {core + "tensor.wait_dma.total", "400", 4},
                             {core + "tensor.throttle.total", "4", 4},
                             {core + "tensor.idle.total", "100", 4},
                             {"engines.vector.time_percent.wait_tensor", "10"},
                             {core + "tensor.instructions.total", "1", 4}};
  const RunStatistics after{{"simulated_time_ns", "1100"},
                            {core + "tensor.wait_dma.total", "800", 4},
                            {core + "tensor.throttle.total", "40", 4},
                            {core + "tensor.idle.total", "3000", 4},
                            {"engines.vector.time_percent.wait_tensor", "30"},
                            {core + "tensor.instructions.total", "100", 4}};
  const auto groups = differences_of(before, after);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].subsystem == "engines");
  const auto& d = groups[0].differences;
  REQUIRE(d.size() == 5);
  // 30 % of 1100 ns less 10 % of 1000 ns, of 1000 ns; then the means over four engines.
  CHECK(d[0].name == "engines.vector.time_percent.wait_tensor");
  CHECK(d[0].explains == Approx(0.23));
  CHECK(d[1].name == core + "tensor.wait_dma.total");
  CHECK(d[1].explains == Approx(0.1));
  CHECK(d[2].name == core + "tensor.throttle.total");  // nine times as long, yet 0.9 % of the run
  CHECK(d[2].explains == Approx(0.009));
  // Statistics that explain no time follow by their change.
  CHECK(d[3].name == core + "tensor.instructions.total");
  CHECK(d[4].name == core + "tensor.idle.total");
  CHECK(d[4].explains == 0);
}

TEST_CASE("regression differences: subsystems are sorted by their largest change", "[regression]") {
  const RunStatistics before{{"hbm.a", "100"}, {"links.a", "100"}, {"hbm.b", "100"}};
  const RunStatistics after{{"hbm.a", "101"}, {"links.a", "150"}, {"hbm.b", "80"}};
  const auto groups = differences_of(before, after);
  REQUIRE(groups.size() == 2);
  CHECK(groups[0].subsystem == "links");
  CHECK(groups[1].subsystem == "hbm");
  CHECK(groups[1].differences[0].name == "hbm.b");
  CHECK(count_of(groups) == 3);
}

TEST_CASE("regression differences: a tolerance covers changes of its statistics up to its size",
          "[regression]") {
  const RunStatistics before{{"hbm.a", "100"}, {"dma.a", "100"}, {"hbm.word", "x"}, {"hbm.gone", "1"}};
  const auto with = [&](const char* value) {
    const RunStatistics after{{"hbm.a", value}, {"dma.a", "100"}, {"hbm.word", "x"}, {"hbm.gone", "1"}};
    return differences_of(before, after, {{"hbm.*", 0.01, "why", ""}}).empty();
  };
  CHECK(with("101"));
  CHECK(with("99"));
  CHECK_FALSE(with("101.01"));
  CHECK_FALSE(with("x"));
  // No tolerance covers values that are missing or became another word.
  const RunStatistics less{{"hbm.a", "100"}, {"dma.a", "100"}, {"hbm.word", "y"}};
  CHECK(count_of(differences_of(before, less, {{"*", 1e9, "why", ""}})) == 2);
}

TEST_CASE("regression differences: a change behind the digits of a cell is shown in full", "[regression]") {
  const auto groups = differences_of({{"t", "1.00000000001"}}, {{"t", "1.00000000002"}});
  const std::string text = groups_text(groups, 5, "");
  CHECK_THAT(text, Catch::Contains("1.00000000001 -> 1.00000000002"));
  CHECK_THAT(text, Catch::Contains("+1.0e-09 %"));
}

TEST_CASE("regression subsystems: every family of statistics has its own", "[regression]") {
  CHECK(subsystem_of("simulated_time_ns") == "run");
  CHECK(subsystem_of("regions[3].engines.vector.time_ns") == "regions");
  CHECK(subsystem_of("whole.needs_ns.vector") == "regions");
  CHECK(subsystem_of("busiest.resource") == "run");
  CHECK(subsystem_of("outputs.c.sha256") == "values");
  CHECK(subsystem_of("engines.tensor.active_percent") == "engines");
  CHECK(subsystem_of("vector_engine_active_time_percent") == "engines");
  CHECK(subsystem_of("server*.chip*.core*.tensor.busy.total") == "engines");
  CHECK(subsystem_of("server*.chip*.core*.dma.busy.total") == "dma");
  CHECK(subsystem_of("dma_active_time_percent") == "dma");
  CHECK(subsystem_of("mbu_estimated_percent") == "hbm");
  CHECK(subsystem_of("server*.chip*.hbm*.channel*.row_hits.most") == "hbm");
  CHECK(subsystem_of("server*.chip*.link.xp.busy.total") == "links");
  CHECK(subsystem_of("links.bytes") == "links");
  CHECK(subsystem_of("collectives[0].time_ns") == "collectives");
  CHECK(subsystem_of("dma_activations") == "simulator");
}

TEST_CASE("compare: the first line has the speed-up as a share of A's time", "[regression]") {
  CHECK(comparison_headline(comparison(87240, 76510.5)) ==
        "B is 12.3 % faster: 87.24 us -> 76.51 us, MFU 0.0 %, busiest link (66.4 %)");
  CHECK_THAT(comparison_headline(comparison(100, 150)),
             Catch::StartsWith("B is 50.0 % slower: 100 ns -> 150 ns"));
  CHECK_THAT(comparison_headline(comparison(100, 100)), Catch::StartsWith("A and B are equal: 100 ns"));
  CHECK_THAT(comparison_headline(comparison(1e6, 1e6 + 1)), Catch::StartsWith("B is 0.0001 % slower"));
}
