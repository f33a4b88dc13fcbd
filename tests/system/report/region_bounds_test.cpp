// SPDX-License-Identifier: Apache-2.0
// The bounds of regions: no more than the bytes of their transfers at the peaks of stacks and links.
#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "report/regions/regions.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/text_program.h"
#include "tests/support/subprocess.h"

using namespace tahoma;
using isa::DType;
using runtime::RegionSummary, runtime::RooflineResource;

namespace {

base::Duration needed(const RegionSummary& region, RooflineResource resource) {
  return region.needs[static_cast<std::size_t>(resource)];
}

}  // namespace

// Each region is one transfer of as many bytes to or from each of its sides. The first two tensors lie in two
// stacks.
TEST_CASE("regions: every access of a transfer counts at its own stack, and no bound is faster than the peak",
          "[report][regions]") {
  const model::MachineParams params = tests::machine_of(1, 1, 1);
  runtime::Machine machine(params, model::Mode::kTiming);
  const std::vector<std::uint64_t> shape{128, 512};
  const auto last = static_cast<std::uint32_t>(params.chip.cores - 1);
  const auto a = machine.allocate(0, "a", DType::kFp32, shape),
             b = machine.allocate(last, "b", DType::kFp32, shape),
             c = machine.allocate(last, "c", DType::kFp32, shape);
  REQUIRE(isa::GlobalAddress::from(a.address).stack != isa::GlobalAddress::from(b.address).stack);
  REQUIRE(isa::GlobalAddress::from(b.address).stack == isa::GlobalAddress::from(c.address).stack);
  for (const auto& tensor : {a, b, c}) machine.declare_input(tensor);
  machine.load(0, tests::text_program(R"(.program p
.args a b c
.descriptor shape=128x512 dst=c:fp32 src=a:fp32
.descriptor shape=128x512 dst=c:fp32 src=b:fp32
.descriptor shape=128x512 dst=c:fp32 src=c:fp32
.descriptor shape=128x512 dst=sbuf[0, 0x0]:fp32 src=b:fp32
.descriptor shape=128x512 dst=sbuf[0, 0x0]:fp32 src=c:fp32
sync:
  .region sum_of_three
  dma_compute descriptor=0 sources=3 update=s0+=1
  .region sum_to_sbuf
  dma_compute descriptor=3 sources=2 wait=s0>=16 update=s1+=1
  .region accumulated
  dma_copy shape=128x512 dst=c:fp32 src=sbuf[0, 0x0]:fp32 accumulate wait=s1>=16 update=s2+=1
  .region copy
  dma_copy shape=128x512 dst=c:fp32 src=a:fp32 wait=s2>=16
)"),
               {a.address, b.address, c.address});
  runtime::RegionRecorder recorder(params);
  for (const auto& [core, loaded] : machine.programs()) recorder.program(core, loaded);
  machine.observe(&recorder);
  const base::RunMeasurement run = machine.run();
  const auto regions = recorder.summarise(run);
  constexpr std::uint64_t kSide = 128 * 512 * sizeof(float);
  struct Sides {
    const char* name;
    std::uint64_t all, of_a_stack;
  };
  for (const Sides& sides :
       {Sides{"sum_of_three", 4, 3}, {"sum_to_sbuf", 2, 2}, {"accumulated", 2, 2}, {"copy", 2, 1}}) {
    INFO(sides.name);
    const auto region = std::find_if(regions.regions.begin(), regions.regions.end(),
                                     [&](const RegionSummary& r) { return r.name == sides.name; });
    REQUIRE(region != regions.regions.end());
    CHECK(region->hbm_bytes == sides.all * kSide);
    CHECK(needed(*region, RooflineResource::kHbm).seconds() ==
          Approx(static_cast<double>(sides.of_a_stack * kSide) /
                 static_cast<double>(params.chip.hbm.bandwidth.bytes_per_second)));
  }
  std::uint64_t measured = 0;
  for (const base::HbmMeasurement& stack : run.hbm) measured += stack.read_bytes + stack.write_bytes;
  CHECK(regions.whole.hbm_bytes == measured);
}

TEST_CASE("regions: no bound by HBM is faster than all stacks together, in collectives that add",
          "[report][regions]") {
  const tests::TempDir dir;
  for (const char* operation : {"all_reduce", "reduce_scatter", "reduce", "all_gather"})
    for (const char* ranks : {"chips", "cores"}) {
      dir.write("case.yaml",
                fmt::format(
                    "kind: collective\nmachine: {{extends: trainium2_server, torus: {{x: 4, y: 1, z: 1}}}}\n"
                    "mode: timing\nworkload: {{operation: {}, ranks: {}, bytes: 1 MiB}}\n",
                    operation, ranks));
      const tests::Finished run = tests::tahoma_in(dir.path(), {"run", "case.yaml", "--no-report"});
      INFO(operation << " of " << ranks << " " << run.err);
      REQUIRE(run.status == 0);
      const auto summary = nlohmann::json::parse(tests::contents(dir / "out/summary.json"));
      const model::MachineParams params = tests::machine_of(4, 1, 1);
      const double peak = static_cast<double>(params.chip.hbm.bandwidth.bytes_per_second) *
                          static_cast<double>(params.chips() * params.chip.hbm.stacks);
      double all = 0;
      for (const auto& region : summary["regions"]) {
        const double bytes = region["hbm_bytes"].get<double>();
        all += bytes;
        CHECK(bytes <= peak * 1e-9 * region["needs_ns"]["hbm"].get<double>() * (1 + 1e-9) + 1);
      }
      CHECK(all == summary["hbm_read_bytes"].get<double>() + summary["hbm_write_bytes"].get<double>());
    }
}

// Data for another chip have been read before they arrive: the region lasts until they have. Each of the
// links of a ring of five carries five parts of 64 KiB, whose time is the bound.
TEST_CASE("regions: no bound exceeds the time of what is sent to another chip", "[report][regions]") {
  const tests::TempDir dir;
  dir.write("permute.yaml",
            "kind: collective\nmachine: trainium2_server\nmode: timing\n"
            "workload: {operation: permute, dtype: int8, bytes: 65536 B, ranks: logical_cores, shift: 5}\n");
  for (const char* routing : {"dimension_order", "adaptive"})
    for (const char* bytes : {"1 B", "64 B", "4 KiB", "64 KiB", "1 MiB"}) {
      const tests::Finished run = tests::tahoma_in(
          dir.path(), {"run", "permute.yaml", "--no-report", "--set", "machine.link.topology=ring", "--set",
                       "machine.torus={x: 5, y: 1, z: 1}", "--set", "machine.chip.lnc=2", "--set",
                       std::string("machine.link.routing=") + routing, "--set", "machine.link.vcs=4", "--set",
                       std::string("workload.bytes=") + bytes});
      INFO(routing << " " << bytes << " " << run.err);
      REQUIRE(run.status == 0);
      const auto summary = nlohmann::json::parse(tests::contents(dir / "out/summary.json"));
      for (const auto& region : summary["regions"]) CHECK(region["bound_percent"].get<double>() <= 100);
      if (std::string(bytes) != "64 KiB" || std::string(routing) == "adaptive") continue;
      // 5 x 64 KiB in packets with their headers, at the rate of the link.
      const auto& region = summary["regions"][0];
      CHECK(region["needs_ns"]["link"].get<double>() == Approx(2580).margin(1));
      CHECK(region["bound_percent"].get<double>() > 40);
    }
}
