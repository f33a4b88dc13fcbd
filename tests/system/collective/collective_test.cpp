// SPDX-License-Identifier: Apache-2.0
// Collectives on machines: values against the definition, no race, the same time in both modes. Each machine
// runs in a separate process.
#include "workloads/collective/collective.h"

#include <catch2/catch.hpp>

#include "model/base/error.h"
#include "runtime/collective/algorithm/algorithm.h"
#include "runtime/collective/schedule/group.h"
#include "tests/support/program/workload_run.h"
#include "workloads/collective/sizes.h"

using namespace tahoma;

namespace {

using tests::Settings;

model::MachineParams flat_machine(std::uint64_t x, std::uint64_t y, std::uint64_t z) {
  model::MachineParams m = tests::machine_of(x, y, z);
  m.chip.hbm.model = model::HbmModel::kFlat;
  return m;
}

struct Outcome {
  std::int64_t elapsed = 0;
  std::string fault;
};

Outcome run(const model::MachineParams& params, const Settings& settings, model::Mode mode) {
  const auto workload = tests::workload_with(workloads::make_collective, settings);
  workload->check(params);
  runtime::Machine machine(params, mode, {true, true});
  workload->prepare(machine, 1);
  Outcome outcome;
  const base::RunMeasurement measured = machine.run();
  outcome.elapsed = measured.elapsed.fs;
  if (machine.findings().total() > 0) outcome.fault = machine.findings().first().front();
  if (mode == model::Mode::kFunctional) {
    const runtime::GoldenResult golden = workload->verify(machine);
    if (!golden.checked() || !golden.passed()) outcome.fault += "golden: " + golden.first_mismatch;
  }
  for (const runtime::CollectiveResult& result : workload->collectives(machine, measured))
    if (result.time().fs <= 0 || result.time().fs > outcome.elapsed)
      outcome.fault += "a time outside the run";
  return outcome;
}

// "" if there is no error.
std::string fault_of(const model::MachineParams& params, const Settings& settings) {
  return tests::in_child([&] { return run(params, settings, model::Mode::kFunctional).fault; });
}

Settings with(Settings settings, const Settings& more) {
  settings.insert(settings.end(), more.begin(), more.end());
  return settings;
}

void check_all(const model::MachineParams& params, const Settings& group,
               const std::vector<std::string>& operations) {
  for (const std::string& operation : operations)
    for (const runtime::collective::AlgorithmRow& row : runtime::collective::algorithms()) {
      if (!row.performs(*runtime::collective::operation_from_name(operation))) continue;
      INFO(operation << " by " << row.name);
      CHECK(fault_of(params, with(group, {{"operation", operation}, {"algorithm", std::string(row.name)}})) ==
            "");
    }
}

const Settings kCores{{"ranks", "cores"}, {"over", "chips"}, {"bytes", "20 KiB"}, {"root", "3"}};
const Settings kChips{
    {"ranks", "chips"}, {"over", "machine"}, {"bytes", "40 KiB"}, {"channels", "4"}, {"root", "3"}};

}  // namespace

TEST_CASE("collectives: all_reduce over the cores of a chip, by every algorithm", "[collective][machine]") {
  check_all(flat_machine(1, 1, 1), kCores, {"all_reduce"});
}

TEST_CASE("collectives: reduce_scatter and all_gather over the cores of a chip, by every algorithm",
          "[collective][machine]") {
  check_all(flat_machine(1, 1, 1), kCores, {"reduce_scatter", "all_gather"});
}

TEST_CASE("collectives: operations with a root over the cores of a chip, by every algorithm",
          "[collective][machine]") {
  check_all(flat_machine(1, 1, 1), kCores, {"broadcast", "reduce", "gather", "scatter"});
}

TEST_CASE("collectives: operations between ranks over the cores of a chip", "[collective][machine]") {
  check_all(flat_machine(1, 1, 1), kCores, {"all_to_all", "send_recv", "permute", "barrier"});
}

TEST_CASE("collectives: every operation and algorithm over the chips of a torus",
          "[collective][machine][slow]") {
  check_all(flat_machine(4, 2, 2), kChips, runtime::collective::operation_names());
}

TEST_CASE("collectives: many pieces use few slots without a race", "[collective][machine]") {
  for (const char* algorithm : {"ring", "kangaring", "recursive", "hierarchical", "mesh"}) {
    INFO(algorithm);
    CHECK(fault_of(flat_machine(2, 2, 1), {{"ranks", "chips"},
                                           {"algorithm", algorithm},
                                           {"bytes", "64 KiB"},
                                           {"channels", "2"},
                                           {"piece", "1 KiB"}}) == "");
  }
}

TEST_CASE("collectives: sum, minimum and maximum of every dtype", "[collective][machine]") {
  for (std::size_t d = 0; d < isa::kDTypeCount; ++d)
    for (const char* reduction : {"sum", "min", "max"}) {
      if (static_cast<isa::DType>(d) == isa::DType::kFp8E4M3Fn) continue;  // needs NeuronCore-v4
      const std::string dtype(isa::name_of(static_cast<isa::DType>(d)));
      INFO(dtype << " " << reduction);
      CHECK(fault_of(flat_machine(1, 1, 1), with(kCores, {{"dtype", dtype},
                                                          {"reduction", reduction},
                                                          {"algorithm", "recursive"},
                                                          {"bytes", "4 KiB"}})) == "");
    }
}

TEST_CASE("collectives: sums that are rounded in transit stay within their roundings",
          "[collective][machine]") {
  for (const char* dtype : {"bf16", "fp32", "fp8_e5m2"})
    for (const char* algorithm : {"ring", "mesh"}) {
      INFO(dtype << " " << algorithm);
      CHECK(fault_of(flat_machine(1, 1, 1),
                     with(kCores, {{"dtype", dtype}, {"algorithm", algorithm}, {"values", "uniform"}})) ==
            "");
    }
}

TEST_CASE("collectives: concurrent groups, logical cores, unequal counts, successive sizes",
          "[collective][machine]") {
  CHECK(fault_of(flat_machine(1, 1, 1), with(kCores, {{"over", "0-3|6,4"}, {"root", "1"}})) == "");
  CHECK(fault_of(
            flat_machine(2, 1, 1),
            with(kCores, {{"ranks", "logical_cores"}, {"over", "machine"}, {"algorithm", "hierarchical"}})) ==
        "");
  CHECK(fault_of(flat_machine(1, 1, 1), with(kCores, {{"operation", "all_to_all"}, {"counts", "random"}})) ==
        "");
  CHECK(
      fault_of(flat_machine(1, 1, 1),
               with(kCores,
                    {{"operation", "all_to_all"}, {"over", "0-1"}, {"root", "0"}, {"counts", "5,0;70,9"}})) ==
      "");
  CHECK(fault_of(flat_machine(1, 1, 1), with(kCores, {{"bytes", "1 KiB .. 8 KiB"}, {"iterations", "2"}})) ==
        "");
}

TEST_CASE("collectives: timing and functional mode take the same time", "[collective][machine]") {
  for (const char* algorithm : {"hierarchical", "mesh"}) {
    const auto time = [&](model::Mode mode) {
      return tests::in_child([&] {
        return std::to_string(
            run(flat_machine(2, 2, 1), with(kChips, {{"algorithm", algorithm}}), mode).elapsed);
      });
    };
    CHECK(time(model::Mode::kTiming) == time(model::Mode::kFunctional));
  }
}

TEST_CASE("collectives: invalid cases are refused", "[collective]") {
  const auto refusal = [](const Settings& settings) {
    try {
      tests::workload_with(workloads::make_collective, settings)->check(flat_machine(1, 1, 1));
    } catch (const base::UserError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK_THAT(refusal({{"bytes", "much"}}), Catch::Contains("E-COL-030"));
  CHECK_THAT(refusal({{"bytes", "1 MiB .. 1 KiB"}}), Catch::Contains("E-COL-030"));
  CHECK_THAT(refusal(with(kCores, {{"counts", "random"}})), Catch::Contains("E-COL-031"));
  CHECK_THAT(refusal(with(kCores, {{"operation", "all_to_all"}, {"counts", "1,2"}})),
             Catch::Contains("E-COL-031"));
  CHECK_THAT(refusal(with(kCores, {{"root", "8"}})), Catch::Contains("E-COL-032"));
  CHECK(workloads::sizes_of("8 KiB .. 64 KiB") == std::vector<std::uint64_t>{8192, 16384, 32768, 65536});
  CHECK(workloads::sizes_of("1 KiB, 3 KiB") == std::vector<std::uint64_t>{1024, 3072});
  // More pieces than semaphores can count.
  const std::string text = tests::in_child([&] {
    return run(flat_machine(1, 1, 1),
               with(kCores, {{"algorithm", "recursive"}, {"bytes", "1 MiB"}, {"piece", "64 B"}}),
               model::Mode::kTiming)
        .fault;
  });
  CHECK_THAT(text, Catch::Contains("E-COL-010") && Catch::Contains("fewer pieces"));
}

TEST_CASE("collectives: a group of one rank, by every algorithm", "[collective][machine]") {
  runtime::collective::Problem problem;
  problem.ranks = 1;
  problem.to = {0};
  for (const std::string& operation : runtime::collective::operation_names())
    for (const runtime::collective::AlgorithmRow& row : runtime::collective::algorithms()) {
      problem.operation = *runtime::collective::operation_from_name(operation);
      if (!row.performs(problem.operation) || !row.refusal(problem, {}).empty()) continue;
      INFO(operation << " by " << row.name);
      const auto plans = row.plan(problem, {}, 3);
      CHECK(plans.size() == 3);
      // Nothing passes between ranks, so send_recv has no output to check.
      if (operation == "send_recv") continue;
      CHECK(fault_of(flat_machine(1, 1, 1), {{"ranks", "cores"},
                                             {"over", "3"},
                                             {"bytes", "20 KiB"},
                                             {"operation", operation},
                                             {"algorithm", std::string(row.name)}}) == "");
    }
}

TEST_CASE("collectives: an all_to_all in which nothing moves still begins and ends on every rank",
          "[collective][machine]") {
  for (const char* counts : {"0,0,0;0,0,0;0,0,0", "random"}) {
    const std::string outcome = tests::in_child([&] {
      const auto workload = tests::workload_with(workloads::make_collective, {{"operation", "all_to_all"},
                                                                              {"ranks", "cores"},
                                                                              {"over", "0-2"},
                                                                              {"bytes", "4 B"},
                                                                              {"counts", counts}});
      workload->check(flat_machine(1, 1, 1));
      runtime::Machine machine(flat_machine(1, 1, 1), model::Mode::kFunctional, {true, true});
      workload->prepare(machine, 1);
      const base::RunMeasurement measured = machine.run();
      const runtime::GoldenResult golden = workload->verify(machine);
      const auto results = workload->collectives(machine, measured);
      const bool measures = results.size() == 1 && results.front().ranks.size() == 3 &&
                            results.front().time().fs > 0 && results.front().time() <= measured.elapsed;
      return std::string(measures && !golden.failed() && machine.findings().total() == 0 ? "good" : "bad");
    });
    INFO(counts);
    CHECK(outcome == "good");
  }
}
