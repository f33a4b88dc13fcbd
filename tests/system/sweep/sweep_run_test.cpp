// SPDX-License-Identifier: Apache-2.0
// A sweep from its file to its results by the command itself, and its parts.
#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <set>

#include "report/summary/summary_numbers.h"
#include "studies/batch/atomic_files.h"
#include "studies/sweep/execution/admission.h"
#include "studies/sweep/execution/pool.h"
#include "studies/sweep/execution/prepared.h"
#include "studies/sweep/execution/slurm.h"
#include "studies/sweep/results/metrics.h"
#include "studies/sweep/results/store.h"
#include "tests/support/program/fake_workload.h"
#include "tests/support/program/sweep_files.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using runtime::Outcome, runtime::SweepPointResult, runtime::Store, tests::SweepFiles;
namespace fs = std::filesystem;

namespace {

// Its check crashes, violates an invariant or refuses the case, depending on m.
class Deadly final : public tests::FakeWorkload {
 public:
  std::uint64_t k = 0;
  void declare(base::ParamTree& t) override {
    FakeWorkload::declare(t);
    t.add("k", k, std::uint64_t{128}, {1, 65536}, "depth", base::chosen());
  }
  void check(const model::MachineParams&) const override {
    if (m == 256) {
      std::signal(SIGFPE, SIG_DFL);  // Catch2 and the sanitizers have handlers of their own
      static_cast<void>(std::raise(SIGFPE));
    }
    if (m == 384) throw base::InvariantError("an invariant");
    if (m == 512) throw base::UserError("E-TST-002", "workload.m", "is refused");
  }
};

const std::string kFour =
    "  mode: timing\n  axes:\n    - machine.chip.hbm.stacks: [2, 4]\n"
    "    - machine.chip.core.tensor.clock: [1.4 GHz, 2.8 GHz]\n"
    "  metrics: {price: 'machine.chip.hbm.stacks * 100', worth: 'price * simulated_time_ns', none: 'price / "
    "0'}\n";

std::string sweep_of_gemms(const SweepFiles& files, const std::string& keys = kFour) {
  return files.write("  workloads: gemm.yaml\n" + keys);
}

// The tables that are equal in equal sweeps.
std::string dump(const fs::path& folder) {
  runtime::Database db(folder / "sweep.db", runtime::Database::Access::kRead);
  std::string text;
  for (const char* table : {"points", "parameters", "metrics", "provenance"})
    for (const auto& row : db.rows(std::string("SELECT * FROM ") + table))
      for (const auto& value : row)
        text += std::visit(
            [](const auto& v) {
              if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::string>)
                return v + "|";
              else if constexpr (std::is_same_v<std::decay_t<decltype(v)>, std::nullptr_t>)
                return std::string("null|");
              else if constexpr (std::is_same_v<std::decay_t<decltype(v)>, runtime::Database::Blob>)
                return v.bytes + "|";
              else
                return std::to_string(v) + "|";
            },
            value);
  return text;
}

}  // namespace

TEST_CASE("tahoma sweep: every point is a row with its parameters and metrics", "[sweep]") {
  const SweepFiles files;
  const std::string out = files.folder() / "out";
  const auto run = tests::tahoma_in(files.folder().path(), {"sweep", sweep_of_gemms(files), "--out", out});
  REQUIRE(run.status == 0);
  CHECK_THAT(run.out, Catch::StartsWith("4 points: 4 done, 0 failed; 4 computed, 0 reused"));
  const auto rows = Store::read(fs::path(out) / "sweep.db");
  REQUIRE(rows.size() == 4);
  for (const Store::Row& r : rows) {
    CHECK(r.status == "done");
    CHECK(r.id.size() == 32);
    REQUIRE(r.parameters.size() == 2);
    CHECK(r.metrics.at("price") == 100 * *r.parameters[1].value);
    CHECK_FALSE(r.metrics.contains("none"));
    CHECK(r.metrics.at("worth") == r.metrics.at("price") * r.metrics.at("simulated_time_ns"));
  }
  CHECK(rows[0].metrics.at("simulated_time_ns") >=
        rows[1].metrics.at("simulated_time_ns"));  // a faster clock
  const std::string csv = runtime::text_of_file(fs::path(out) / "points.csv");
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 5);
}

TEST_CASE("tahoma sweep: resumed, it computes only missing points and ends with the same tables", "[sweep]") {
  const SweepFiles files;
  const fs::path out = files.folder() / "out";
  const std::string sweep = sweep_of_gemms(files);
  REQUIRE(tests::tahoma_in(files.folder().path(), {"sweep", sweep, "--out", out.string()}).status == 0);
  const std::string before = dump(out);
  const auto rows = Store::read(out / "sweep.db");
  fs::remove_all(out / "points" / rows[2].id);
  fs::remove(out / "points" / rows[3].id / "result.json");
  runtime::write_whole(out / "points" / rows[1].id / "result.json", "{\"attempts\": [");  // truncated
  fs::remove(out / "sweep.db");
  const auto again =
      tests::tahoma_in(files.folder().path(), {"sweep", sweep, "--out", out.string(), "--resume"});
  CHECK(again.status == 0);
  CHECK_THAT(again.out, Catch::StartsWith("4 points: 4 done, 0 failed; 3 computed, 1 reused"));
  CHECK(dump(out) == before);
}

TEST_CASE("tahoma sweep: a folder is taken for one sweep, and resumed only if it holds one", "[sweep]") {
  const SweepFiles files;
  const std::string out = files.folder() / "out", sweep = sweep_of_gemms(files);
  const auto call = [&](const std::vector<std::string>& more) {
    std::vector<std::string> words{"sweep", sweep, "--out", out};
    words.insert(words.end(), more.begin(), more.end());
    return tests::tahoma_in(files.folder().path(), words);
  };
  const auto nothing = call({"--resume"});
  CHECK(nothing.status == 2);
  CHECK_THAT(nothing.err, Catch::Contains("E-SWP-042"));
  REQUIRE(call({}).status == 0);
  const auto twice = call({});
  CHECK(twice.status == 2);
  CHECK_THAT(twice.err, Catch::Contains("E-SWP-041") && Catch::Contains("--resume"));
  const auto both = call({"--sweep", "machine.chip.hbm.stacks=1,2"});
  CHECK(both.status == 2);
  CHECK_THAT(both.err, Catch::Contains("E-CLI-005"));
}

TEST_CASE("tahoma sweep: two do not work in one folder at a time", "[sweep]") {
  const SweepFiles files;
  const std::string out = files.folder() / "out", sweep = sweep_of_gemms(files);
  const auto call = [&](const char* more) {
    return tests::tahoma_in(files.folder().path(), {"sweep", sweep, "--out", out, more});
  };
  REQUIRE(call("--jobs=1").status == 0);
  const int held = open(out.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  REQUIRE(flock(held, LOCK_EX) == 0);
  const auto second = call("--resume");
  CHECK(second.status == 2);
  CHECK_THAT(second.err, Catch::Contains("E-SWP-043"));
  close(held);
  CHECK(call("--resume").status == 0);
}

TEST_CASE("tahoma sweep: a point whose values contradict each other is a row, and the others are computed",
          "[sweep]") {
  const SweepFiles files;
  const std::string out = files.folder() / "out";
  const auto run = tests::tahoma_in(
      files.folder().path(),
      {"sweep", sweep_of_gemms(files, "  mode: timing\n  axes:\n    - workload.shard.n: [1, 2, 3]\n"),
       "--out", out});
  CHECK(run.status == 1);
  CHECK_THAT(run.out, Catch::StartsWith("3 points: 2 done, 1 failed; 2 computed"));
  const auto rows = Store::read(fs::path(out) / "sweep.db");
  CHECK(rows[2].status == "failed");
  CHECK_THAT(rows[2].reason, Catch::Contains("error["));
  const auto none = tests::tahoma_in(
      files.folder().path(),
      {"sweep", sweep_of_gemms(files, "  mode: timing\n  axes:\n    - workload.shard.n: [3, 5]\n"), "--out",
       out + "2"});
  CHECK(none.status == 2);
  CHECK_THAT(none.err, Catch::Contains("E-SWP-040"));
}

TEST_CASE("sweep points: equal configurations have equal addresses, others have others", "[sweep]") {
  const SweepFiles files;
  const runtime::SweepSpec spec = files.of_gemm(kFour);
  const auto first = runtime::prepare(spec, "binary"), second = runtime::prepare(spec, "binary"),
             other = runtime::prepare(spec, "another");
  for (std::size_t i = 0; i < first.size(); ++i) {
    CHECK(first[i].id == second[i].id);
    CHECK(first[i].id != other[i].id);
    for (std::size_t j = 0; j < i; ++j) CHECK(first[i].id != first[j].id);
  }
}

TEST_CASE("sweep results: only done and refused are final, and a torn file does not count", "[sweep]") {
  const SweepFiles files;
  const fs::path folder = files.folder().path();
  CHECK_FALSE(runtime::read_result(folder));
  for (const auto& [outcome, final] : {std::pair(Outcome::kDone, true),
                                       {Outcome::kRefused, true},
                                       {Outcome::kTime, false},
                                       {Outcome::kHost, false}}) {
    SweepPointResult result;
    result.attempts.push_back({Outcome::kHost, "killed", "local", "here", 1.5, 1024});
    result.attempts.push_back({outcome, "why", "slurm", "there", 2.5, 2048});
    runtime::write_result(folder, result);
    const auto read = runtime::read_result(folder);
    REQUIRE(read);
    CHECK(read->is_final() == final);
    CHECK(read->attempts.size() == 2);
    CHECK(read->last().peak_bytes == 2048);
    CHECK(read->last().reason == "why");
  }
  runtime::write_whole(folder / "result.json", "{\"attempts\": [{\"outc");
  CHECK_FALSE(runtime::read_result(folder));
}

TEST_CASE("sweep admission: points that run together never need more memory than there is", "[sweep]") {
  runtime::Admission admission({1000}, 8, {0});
  REQUIRE(admission.may_start("a"));
  const std::uint64_t first = admission.start("a");
  CHECK(first == 1000);  // not yet known
  CHECK_FALSE(admission.may_start("a"));
  CHECK_FALSE(admission.may_start("b"));
  admission.end("a", first, 250);
  std::vector<std::uint64_t> parts;
  while (admission.may_start("a")) parts.push_back(admission.start("a"));
  CHECK(parts == std::vector<std::uint64_t>{300, 300, 300});  // a fifth more than the largest result so far
  CHECK_FALSE(admission.may_start("b"));                      // unknown: alone
  admission.end("a", 300, 600);
  CHECK_FALSE(admission.may_start("a"));  // 720 by now
  admission.end("a", 300, 100);
  admission.end("a", 300, std::nullopt);
  CHECK(admission.running() == 0);
  CHECK(admission.may_start("a"));

  runtime::Admission said({1000}, 2, {400});
  said.start("a");
  CHECK(said.may_start("b"));
  said.start("b");
  CHECK_FALSE(said.may_start("b"));  // jobs
  runtime::Admission large({1000}, 2, {4000});
  CHECK(large.may_start("a"));  // alone, whatever its size
  large.start("a");
  CHECK_FALSE(large.may_start("a"));
}

TEST_CASE("tahoma compare: two sweeps are compared point by point", "[sweep]") {
  const SweepFiles files;
  const std::string sweep = sweep_of_gemms(files);
  const auto call = [&](const std::vector<std::string>& words) {
    return tests::tahoma_in(files.folder().path(), words);
  };
  REQUIRE(call({"sweep", sweep, "--out", "a"}).status == 0);
  std::string slower = kFour;
  slower.insert(slower.find("  axes"),
                "  set: {machine.chip.hbm.bandwidth: 100 GB/s, machine.chip.hbm.model: flat}\n");
  REQUIRE(call({"sweep", sweep_of_gemms(files, slower), "--out", "b"}).status == 0);
  CHECK_THAT(call({"compare", "a", "a"}).out,
             Catch::StartsWith("A and B are equal in simulated_time_ns at all 4 points"));
  const auto text = call({"compare", "a", "b"});
  CHECK(text.status == 0);
  CHECK_THAT(text.out, Catch::StartsWith("B's simulated_time_ns is ") &&
                           Catch::Contains("% larger on average (geometric mean of 4 points"));
  CHECK_THAT(call({"compare", "a", "b", "--metric", "price"}).out, Catch::Contains("equal in price"));
  const auto unknown = call({"compare", "a", "b", "--metric", "simulated_time"});
  CHECK(unknown.status == 2);
  CHECK_THAT(unknown.err, Catch::Contains("E-SWP-021") && Catch::Contains("simulated_time_ns"));
  CHECK_THAT(call({"compare", "a", "b", "--format", "json"}).out, Catch::Contains("\"only_a\": 0"));
}

TEST_CASE("tahoma sweep: repeated points have bands, by which sweeps are compared", "[sweep]") {
  const SweepFiles files;
  // The sweeps differ in the phase of the throttle alone, which the repetitions replace.
  const auto sweep = [&](const std::string& phase, const std::string& out) {
    return tests::tahoma_in(
        files.folder().path(),
        {"sweep", files.gemm(), "--sweep", "machine.chip.hbm.stacks=2,4", "--mode", "timing", "--repeat",
         "39", "--set", "machine.chip.core.tensor.throttle_phase=" + phase, "--pareto", "simulated_time_ns",
         "--out", out});
  };
  const auto a = sweep("0 ns", "a");
  REQUIRE(a.status == 0);
  REQUIRE(sweep("2000 ns", "b").status == 0);
  for (const Store::Row& row : Store::read(fs::path(files.folder().path()) / "a/sweep.db")) {
    CHECK(row.metrics.at("band.runs") == 39);
    CHECK(row.metrics.at("band.low_ns") <= row.metrics.at("band.median_ns"));
    CHECK(row.metrics.at("band.median_ns") <= row.metrics.at("band.high_ns"));
  }
  const auto compared = tests::tahoma_in(files.folder().path(), {"compare", "a", "b"});
  CHECK(compared.status == 0);
  const bool differ = compared.out.find("equal in simulated_time_ns at all") == std::string::npos;
  CHECK((!differ || compared.out.find("not distinguishable") != std::string::npos));
}

TEST_CASE("sweep metrics: numbers of a summary by path, items by their name", "[sweep]") {
  const auto numbers = runtime::numbers_of_summary(
      R"({"a": 1, "b": {"c": 2.5, "d": "text"}, "e": [{"name": "x", "f": 3}, {"f": 4}], "g": true})");
  CHECK(numbers ==
        std::map<std::string, double>{{"a", 1}, {"b.c", 2.5}, {"e.x.f", 3}, {"e.1.f", 4}, {"g", 1}});
}

TEST_CASE("sweep database: an unreadable or foreign database is reported with SQLite's message", "[sweep]") {
  const SweepFiles files;
  const std::string none = files.folder() / "none.db";
  CHECK_THROWS_WITH(Store::read(none), Catch::Contains("E-SWP-050"));
  files.folder().write("text.db", std::string(4096, 'x'));
  CHECK_THROWS_WITH(Store::read(files.folder() / "text.db"), Catch::Contains("E-SWP-050"));
}

TEST_CASE("sweep on Slurm: without its commands it ends before anything is submitted", "[sweep]") {
  const SweepFiles files;
  REQUIRE(setenv("PATH", "/nowhere", 1) == 0);
  CHECK_THROWS_WITH(
      runtime::run_on_slurm(
          files.folder() / "points", {{"id", "w"}}, {}, [](const runtime::Job&) {}, [] { return false; }),
      Catch::Contains("E-SWP-060") && Catch::Contains("scontrol"));
}

TEST_CASE("sweep files: a file is written whole, or the reason is said and nothing is left", "[sweep]") {
  const SweepFiles files;
  const fs::path folder = files.folder() / "sub";
  fs::create_directories(folder);
  runtime::write_whole(folder / "a", "one");
  runtime::write_whole(folder / "a", "two");
  CHECK(runtime::text_of_file(folder / "a") == "two");
  CHECK_THROWS_WITH(runtime::write_whole(folder / "none" / "a", "x"), Catch::Contains("E-OUT-003"));
  CHECK(std::distance(fs::directory_iterator(folder), fs::directory_iterator()) == 1);
}

TEST_CASE("tahoma sweep: resumed with other points it is refused, and everything stays", "[sweep]") {
  const SweepFiles files;
  const std::string out = files.folder() / "out";
  const std::string workload = "  workloads: gemm.yaml\n", stacks = "  axes: [{machine.chip.hbm.stacks: ";
  const auto call = [&](const std::string& keys, std::vector<std::string> more = {"--resume"}) {
    more.insert(more.begin(), {"sweep", files.write(workload + keys), "--out", out});
    return tests::tahoma_in(files.folder().path(), more);
  };
  REQUIRE(call(stacks + "[2, 4]}]\n", {}).status == 0);
  const std::string before = dump(out), yaml = runtime::text_of_file(fs::path(out) / "sweep.yaml");
  for (const std::string& other :
       {stacks + "[2, 8]}]\n", stacks + "[2, 4, 8]}]\n", "  mode: timing\n" + stacks + "[2, 4]}]\n",
        "  set: {workload.m: 256}\n" + stacks + "[2, 4]}]\n", stacks + "[2, 4]}]\n  where: ['1 > 0']\n"}) {
    const auto refused = call(other);
    INFO(other << refused.err);
    CHECK(refused.status == 2);
    CHECK_THAT(refused.err, Catch::Contains("E-SWP-044") && Catch::Contains("sweep.yaml"));
    CHECK(dump(out) == before);
    CHECK(runtime::text_of_file(fs::path(out) / "sweep.yaml") == yaml);
  }
  const auto renamed =
      call("  title: new\n  limits: {retries: 1}\n  metrics: {twice: '2 * simulated_time_ns'}\n" + stacks +
           "[2, 4]}]\n");
  INFO(renamed.err);
  CHECK(renamed.status == 0);
  CHECK_THAT(renamed.out, Catch::Contains("0 computed, 2 reused"));
}

TEST_CASE("tahoma sweep: a wrong name in --pareto ends it with the first point", "[sweep]") {
  const SweepFiles files;
  const std::string out = files.folder() / "out";
  const auto done = tests::tahoma_in(
      files.folder().path(), {"sweep", "gemm.yaml", "--sweep", "workload.m=128,256,384,512,640,768", "--mode",
                              "timing", "--jobs", "1", "--out", out, "--pareto", "simulated_time_ns,worht"});
  CHECK(done.status == 2);
  CHECK_THAT(done.err, Catch::Contains("E-SWP-021") && Catch::Contains("worht"));
  std::size_t points = 0;
  for (const auto& folder : fs::directory_iterator(fs::path(out) / "points"))
    points += fs::exists(folder.path() / "out/summary.json") ? 1 : 0;
  CHECK(points == 1);
}

TEST_CASE(
    "tahoma sweep: an objective without a finite value ends it before the points, or with the first one",
    "[sweep]") {
  const SweepFiles files;
  const auto points_of = [&](const std::string& pareto) {
    const std::string out = files.folder() / "out";
    fs::remove_all(out);
    const auto done = tests::tahoma_in(
        files.folder().path(), {"sweep", "gemm.yaml", "--sweep", "workload.m=128,256,384,512", "--mode",
                                "timing", "--jobs", "1", "--out", out, "--pareto", pareto});
    INFO(pareto << ": " << done.err);
    CHECK(done.status == 2);
    CHECK_THAT(done.err, Catch::Contains("--pareto: error[E-SWP-022]"));
    std::size_t points = 0;
    if (fs::exists(fs::path(out) / "points"))
      for (const auto& folder : fs::directory_iterator(fs::path(out) / "points"))
        points += fs::exists(folder.path() / "out/summary.json") ? 1 : 0;
    return points;
  };
  CHECK(points_of("max:1/0") == 0);
  CHECK(points_of("simulated_time_ns,max:0/0") == 0);
  CHECK(points_of("max:simulated_time_ns/0") == 1);
}

TEST_CASE("tahoma sweep: a pattern of --columns without a metric is named with the nearest one", "[sweep]") {
  const SweepFiles files;
  const auto warned = [&](const std::string& columns) {
    const std::string out = files.folder() / "out";
    fs::remove_all(out);
    const auto done =
        tests::tahoma_in(files.folder().path(), {"sweep", "gemm.yaml", "--sweep", "workload.m=128,256",
                                                 "--mode", "timing", "--out", out, "--columns", columns});
    CHECK(done.status == 0);
    return done.err;
  };
  CHECK_THAT(warned("seed, zzz*"), Catch::Contains("warning: --columns: no metric matches 'zzz*'"));
  CHECK_THAT(warned("simulated_time_nss"), Catch::Contains("did you mean 'simulated_time_ns'"));
  CHECK_THAT(warned("seed, flops.*, all"), !Catch::Contains("warning"));
}

TEST_CASE("sweep points: one that ends the process which resolves it is a row, and so is an error of ours",
          "[sweep]") {
  const SweepFiles files;
  const auto spec = files.of_gemm("  axes: [{workload.m: [128, 256, 384, 512]}]\n");
  const auto points = runtime::prepare(
      spec, "binary", {{"gemm", "ends its process", [] { return std::make_unique<Deadly>(); }}});
  REQUIRE(points.size() == 4);
  CHECK(points[0].refused.empty());
  CHECK_THAT(points[0].config, Catch::Contains("m: 128"));
  CHECK_THAT(points[1].refused, Catch::Contains("ended by signal 8"));
  CHECK_THAT(points[2].refused, Catch::Contains("an invariant"));
  CHECK_THAT(points[3].refused, Catch::Contains("E-TST-002"));
  std::set<std::string> ids;
  for (const auto& point : points) ids.insert(point.id);
  CHECK(ids.size() == 4);
}
