// SPDX-License-Identifier: Apache-2.0
// A repetition that changes only what a run does not read has the run's result: every such parameter is
// changed here, and the run is simulated from scratch.
#include "studies/whatif/unread.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "runtime/host/children.h"
#include "studies/whatif/repetition.h"
#include "studies/whatif/resource.h"
#include "studies/whatif/uncertain.h"

using namespace tahoma;
using runtime::Repetition;
using Changes = std::vector<std::vector<std::string>>;

namespace {

// A GEMM on one core; a sum over two chips, whose program has no instruction of an engine; an operation that
// needs two lanes.
constexpr std::array kCases{
    "kind: gemm\nmachine: trainium2_one_chip\nworkload: {m: 128, n: 512, k: 256, dtype: bf16}\n",
    "kind: collective\nmachine: {extends: trainium2_one_chip, torus: {x: 2}}\n"
    "workload: {operation: all_reduce, algorithm: ring, bytes: 64 KiB, ranks: chips, over: machine}\n",
    "kind: vector_add\nmachine: {extends: trainium2_one_chip, chip: {hbm: {model: flat}}}\n"
    "workload: {elements: 65536, columns: 512}\n"};

runtime::ConfigRequest request_of(const std::string& text) {
  runtime::ConfigRequest request;
  request.workload = "case.yaml";
  request.text = text;
  return request;
}

// A simulation in a process of its own.
struct FromScratch {
  std::int64_t time = 0;
  std::uint64_t instructions = 0;
  std::vector<std::string> unread;
  std::string failure;
};

std::vector<FromScratch> from_scratch(const std::string& text, const Changes& changes) {
  std::vector<std::function<std::string()>> bodies;
  for (const std::vector<std::string>& own : changes)
    bodies.emplace_back([&text, &own] {
      runtime::ConfigRequest request = request_of(text);
      request.overrides = own;
      const auto config = runtime::resolve_config(request);
      runtime::Machine machine(config->machine, model::Mode::kTiming);
      config->workload->prepare(machine, 1);
      const base::RunMeasurement run = machine.run();
      return nlohmann::json{{"time", run.elapsed.fs},
                            {"instructions", run.instructions},
                            {"unread", runtime::unread_parameters(machine, run)}}
          .dump();
    });
  std::vector<FromScratch> runs;
  for (const runtime::ChildResult& child : runtime::run_in_children(bodies, 2, [](std::size_t) {})) {
    FromScratch& run = runs.emplace_back();
    run.failure = child.failure;
    if (!child.failure.empty()) continue;
    const auto json = nlohmann::json::parse(child.text);
    run.time = json["time"];
    run.instructions = json["instructions"];
    run.unread = json["unread"].get<std::vector<std::string>>();
  }
  return runs;
}

std::string path_of(const std::string& change) { return change.substr(0, change.find('=')); }

// Every change of a single parameter that `tahoma sensitivity` and `tahoma explain` make.
std::vector<std::string> single_changes(const std::string& text) {
  std::vector<std::string> all;
  for (const runtime::UncertainParameter& p :
       runtime::uncertain_parameters(request_of(text), runtime::provenance_group("all").provenances))
    for (const runtime::UncertainEnd* end : {&p.low, &p.high})
      if (end->skipped.empty()) all.push_back(p.path + "=" + end->value);
  const auto config = runtime::resolve_config(request_of(text));
  for (const runtime::Resource& resource : runtime::resources_of(config->machine_tree))
    if (resource.part_of.empty()) all.insert(all.end(), resource.overrides.begin(), resource.overrides.end());
  return all;
}

void require_same_results(const std::string& text) {
  const FromScratch run = from_scratch(text, {{}}).front();
  REQUIRE(run.failure.empty());
  REQUIRE_FALSE(run.unread.empty());
  Changes changes;
  for (const std::string& change : single_changes(text))
    if (runtime::is_listed(path_of(change), run.unread)) changes.push_back({change});
  CHECK(changes.size() > 20);
  const std::vector<FromScratch> runs = from_scratch(text, changes);
  for (std::size_t n = 0; n < runs.size(); ++n) {
    INFO(changes[n].front() << " " << runs[n].failure);
    CHECK(runs[n].time == run.time);
    CHECK(runs[n].instructions == run.instructions);
  }
}

}  // namespace

TEST_CASE("unread parameters: none changes the time of a GEMM on one core", "[whatif]") {
  require_same_results(kCases[0]);
}

TEST_CASE("unread parameters: none changes the time of a sum over two chips", "[whatif]") {
  require_same_results(kCases[1]);
}

TEST_CASE("unread parameters: none changes the time of a sum on the vector engine", "[whatif]") {
  require_same_results(kCases[2]);
}

TEST_CASE("unread parameters: those of a component that acts are not among them", "[whatif]") {
  const auto unread = [](std::size_t n) { return from_scratch(kCases.at(n), {{}}).front().unread; };
  const std::vector<std::string> gemm = unread(0), sum = unread(1), add = unread(2);
  CHECK_FALSE(runtime::is_listed("machine.chip.core.tensor.clock", gemm));
  CHECK(runtime::is_listed("machine.chip.core.tensor.clock", sum));
  CHECK(runtime::is_listed("machine.link.wire", gemm));
  CHECK_FALSE(runtime::is_listed("machine.link.wire", sum));
  CHECK_FALSE(runtime::is_listed("machine.chip.core.vector.clock", add));
  CHECK(runtime::is_listed("machine.chip.hbm.dram.timing.faw", add));
  CHECK_FALSE(runtime::is_listed("machine.chip.hbm.dram.timing.faw", gemm));
  // They would change the time.
  const std::vector<FromScratch> changed =
      from_scratch(kCases[1], {{}, {"machine.link.wire=5 us"}, {"machine.chip.hbm.dram.timing.faw=1 us"}});
  CHECK(changed[1].time > changed[0].time);
}

TEST_CASE("unread parameters: repetitions have the results of simulations from scratch", "[whatif]") {
  const Changes changes{{"machine.chip.core.gpsimd.clock=100 GHz", "machine.link.wire=5 us"},
                        {"machine.chip.core.vector.clock=500 MHz"},
                        {"machine.chip.core.dma.hardware_dge=ideal"},
                        {"machine.chip.core.tensor.clock=1 GHz", "machine.link.wire=5 us"}};
  const std::vector<Repetition> runs =
      runtime::repetitions(request_of(kCases[0]), changes, 2, [](std::size_t, std::size_t) {});
  Changes all = changes;
  all.insert(all.begin(), std::vector<std::string>{});
  const std::vector<FromScratch> scratch = from_scratch(kCases[0], all);
  REQUIRE(runs.size() == scratch.size());
  for (std::size_t n = 0; n < runs.size(); ++n) {
    INFO(n << " " << runs[n].failure << scratch[n].failure);
    CHECK(runs[n].time.fs == scratch[n].time);
    CHECK(runs[n].instructions == scratch[n].instructions);
    CHECK(runs[n].regions.size() == runs[0].regions.size());
  }
  CHECK(runs.back().time > runs.front().time);
}

TEST_CASE("unread parameters: other programs and other addresses have another hash", "[whatif]") {
  const auto loaded = [](const std::string& text, const std::vector<std::string>& overrides) {
    const auto body = [&]() -> std::string {
      runtime::ConfigRequest request = request_of(text);
      request.overrides = overrides;
      const auto config = runtime::resolve_config(request);
      runtime::Machine machine(config->machine, model::Mode::kTiming);
      config->workload->prepare(machine, 1);
      return runtime::loaded_sha256(machine);
    };
    return runtime::run_in_children({body}, 1, [](std::size_t) {}).front().text;
  };
  const std::string gemm = loaded(kCases[0], {});
  CHECK(gemm.size() == 64);
  CHECK(loaded(kCases[0], {"machine.link.wire=5 us"}) == gemm);
  CHECK(loaded(kCases[0], {"workload.n=256"}) != gemm);
  CHECK(loaded(kCases[0], {"workload.dtype=fp16"}) != gemm);
  CHECK(loaded(kCases[0], {"machine.chip.core.tensor.moving_columns=256"}) != gemm);
}
