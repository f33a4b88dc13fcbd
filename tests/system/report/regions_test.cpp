// SPDX-License-Identifier: Apache-2.0
// Regions of a run compared with its measurements and with closed forms.
#include "report/regions/regions.h"

#include <catch2/catch.hpp>
#include <numeric>

#include "runtime/builder/kernel.h"
#include "runtime/run/machine.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/text_program.h"

using namespace tahoma;
using isa::DType, isa::Queue;
using runtime::HbmView, runtime::Kernel, runtime::RegionSummary, runtime::RooflineResource, runtime::TileView;

namespace {

constexpr std::uint64_t kTileRows = 128, kTileColumns = 512, kBlocks = 4;
constexpr std::uint64_t kBytes = kTileRows * kTileColumns * kBlocks * sizeof(float);

// y = exp(x), a region for the first half of the blocks and one for the second.
isa::Program two_halves(const model::MachineParams& machine) {
  Kernel k("exponentials", machine);
  const HbmView x = k.argument("x", DType::kFp32, kTileRows * kBlocks, kTileColumns),
                y = k.argument("y", DType::kFp32, kTileRows * kBlocks, kTileColumns);
  const runtime::Pool pool = k.sbuf("tiles", DType::kFp32, kTileColumns, 3);
  for (unsigned block = 0; block < kBlocks; ++block) {
    k.region(block < kBlocks / 2 ? "first" : "second");
    const TileView tile = k.take(pool, kTileRows, kTileColumns);
    k.load(tile, x.window(block * kTileRows, 0, kTileRows, kTileColumns));
    k.activation(tile, tile, isa::ActFn::kExp);
    k.store(y.window(block * kTileRows, 0, kTileRows, kTileColumns), tile, Queue::kGpSimd);
  }
  return k.finish();
}

struct ObservedRegions {
  base::RunMeasurement run;
  runtime::RegionRecorder::Summaries regions;
};

ObservedRegions run_regions(const model::MachineParams& params, isa::Program program) {
  runtime::Machine machine(params, model::Mode::kTiming);
  const auto x = machine.allocate(0, "x", DType::kFp32, {kTileRows * kBlocks, kTileColumns}),
             y = machine.allocate(0, "y", DType::kFp32, {kTileRows * kBlocks, kTileColumns});
  machine.declare_input(x);
  machine.load(0, std::make_shared<const isa::Program>(std::move(program)), {x.address, y.address});
  runtime::RegionRecorder recorder(params);
  for (const auto& [core, loaded] : machine.programs()) recorder.program(core, loaded);
  machine.observe(&recorder);
  ObservedRegions observed;
  observed.run = machine.run();
  observed.regions = recorder.summarise(observed.run);
  return observed;
}

base::Duration need(const RegionSummary& region, RooflineResource resource) {
  return region.needs[static_cast<std::size_t>(resource)];
}

}  // namespace

TEST_CASE("regions: their needs add up to the accounts of the engines, the DMA and the memory", "[report]") {
  const model::MachineParams params = tests::machine_of(1, 1, 1);
  const ObservedRegions o = run_regions(params, two_halves(params));
  REQUIRE(o.regions.regions.size() == 2);
  CHECK(o.regions.regions[0].name == "first");
  const auto sum = [&](auto of) {
    return std::accumulate(o.regions.regions.begin(), o.regions.regions.end(),
                           decltype(of(o.regions.whole)){},
                           [&](auto all, const RegionSummary& r) { return all + of(r); });
  };
  for (const base::EngineMeasurement& e : o.run.engines) {
    if (e.core != 0 || e.kind == base::EngineKind::kSync || e.kind == base::EngineKind::kCollective) continue;
    const auto resource = static_cast<RooflineResource>(e.kind);
    INFO(e.path);
    CHECK(sum([&](const RegionSummary& r) { return need(r, resource).fs; }) ==
          e.time[static_cast<std::size_t>(base::StallReason::kBusy)].fs);
  }
  CHECK(sum([](const RegionSummary& r) { return r.hbm_bytes; }) == 2 * kBytes);
  CHECK(need(o.regions.whole, RooflineResource::kDma).fs == o.run.dma[0].busy.fs / isa::kDmaEngines);
  CHECK(o.regions.whole.operations == double{kTileRows} * kTileColumns * kBlocks);
  CHECK(o.regions.whole.end <= o.run.elapsed);  // the last completion reaches its semaphore later
}

TEST_CASE(
    "regions: the bound by memory is the bytes at the stack's peak, and no region is faster than its bound",
    "[report]") {
  model::MachineParams params = tests::machine_of(1, 1, 1);
  params.chip.hbm.bandwidth = {20'000'000'000};  // far below what 16 DMA engines move
  const ObservedRegions o = run_regions(params, two_halves(params));
  CHECK(o.regions.whole.bound_by() == RooflineResource::kHbm);
  CHECK(o.regions.whole.bound().seconds() == Approx(2 * kBytes / 20e9));
  CHECK(o.regions.whole.intensity() == Approx(1.0 / 8));
  for (const RegionSummary& region : o.regions.regions) CHECK(region.bound() <= region.time());
}

TEST_CASE("regions: a program without any is one region of its own name", "[report]") {
  const model::MachineParams params = tests::machine_of(1, 1, 1);
  isa::Program program = two_halves(params);
  for (auto& marks : program.marks) marks.clear();
  program.regions.clear();
  const ObservedRegions o = run_regions(params, std::move(program));
  REQUIRE(o.regions.regions.size() == 1);
  CHECK(o.regions.regions[0].name == "exponentials");
  CHECK(o.regions.regions[0].bound() == o.regions.whole.bound());
}

TEST_CASE("regions: busy times and waits of engines add up to the time of the run", "[report]") {
  const model::MachineParams params = tests::flat_chip();
  const ObservedRegions o = run_regions(params, two_halves(params));
  REQUIRE(o.regions.regions.size() == 2);
  runtime::KindTimes measured{};
  for (const base::EngineMeasurement& engine : o.run.engines)
    if (engine.instructions > 0)
      for (std::size_t n = 0; n < base::kStallReasons; ++n)
        measured[static_cast<std::size_t>(engine.kind)].time[n] += engine.time[n];
  bool stalls = false;
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind)
    for (std::size_t n = 0; n < base::kStallReasons; ++n) {
      INFO(kind << " " << base::name_of(static_cast<base::StallReason>(n)));
      base::Duration sum{0};
      for (const RegionSummary& region : o.regions.regions) sum += region.engines[kind].time[n];
      CHECK(o.regions.whole.engines[kind].time[n] == measured[kind].time[n]);
      const bool idle = n == static_cast<std::size_t>(base::StallReason::kIdle);  // of no region
      CHECK(sum.fs == (idle ? 0 : measured[kind].time[n].fs));
      stalls = stalls || (!idle && n > 0 && sum.fs > 0);
    }
  CHECK(stalls);
  // The scalar engine computes: its busy time in a region equals the region's need.
  const auto scalar = static_cast<std::size_t>(base::EngineKind::kScalar);
  for (const RegionSummary& region : o.regions.regions)
    CHECK(region.engines[scalar].time[0] == need(region, RooflineResource::kScalar));
}

TEST_CASE("regions: an engine's wait belongs to the region of the instruction that waits", "[report]") {
  const model::MachineParams params = tests::flat_chip();
  const auto program = tests::text_program(R"(.program p
.args x y
sync:
  .region quick
  dma_copy shape=128x16 dst=sbuf[0, 0x0]:fp32 src=x:fp32 update=s0+=1
  .region slow
  dma_copy shape=128x512 dst=sbuf[0, 0x1000]:fp32 src=x:fp32 update=s1+=1
vector:
  .region quick
  tensor_scalar shape=128x16 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=add scalar0=1 wait=s0>=16
  .region slow
  tensor_scalar shape=128x16 dst=sbuf[0, 0x0]:fp32 src=sbuf[0, 0x0]:fp32 op0=add scalar0=1 wait=s1>=16
)");
  const ObservedRegions o = run_regions(params, *program);
  REQUIRE(o.regions.regions.size() == 2);
  constexpr auto kVector = static_cast<std::size_t>(base::EngineKind::kVector);
  constexpr auto kIdle = static_cast<std::size_t>(base::StallReason::kIdle);
  const runtime::KindTime& quick = o.regions.regions[0].engines[kVector];
  const runtime::KindTime& slow = o.regions.regions[1].engines[kVector];
  CHECK(quick.largest_stall() == base::StallReason::kWaitDma);
  CHECK(slow.largest_stall() == base::StallReason::kWaitDma);
  CHECK(quick.total() + slow.total() == o.run.elapsed - o.regions.whole.engines[kVector].time[kIdle]);
}

// The bound of what another core waits for is the time of the links, which is less than the time until it has
// arrived.
TEST_CASE("regions: data to another chip need the links of their route", "[report]") {
  const model::MachineParams params = tests::machine_of(4, 1, 1);
  constexpr std::uint64_t kSent = 1 << 20;
  runtime::Machine machine(params, model::Mode::kTiming);
  const auto cores = static_cast<std::uint32_t>(params.chip.cores);
  const auto x = machine.allocate(0, "x", DType::kUint8, {128, 8192}),
             y = machine.allocate(cores, "y", DType::kUint8, {128, 8192});
  machine.declare_input(x);
  machine.load(
      0,
      tests::text_program(".program send\n.args x y receiver\ncc0:\n"
                          " dma_copy shape=128x8192 dst=y:uint8 src=x:uint8 notify=receiver update=s5+=1\n"),
      {x.address, y.address, cores});
  machine.load(cores, tests::text_program(".program receive\ncc0:\n sem_wait wait=s5>=16\n"), {});
  runtime::RegionRecorder recorder(params);
  for (const auto& [core, loaded] : machine.programs()) recorder.program(core, loaded);
  machine.observe(&recorder);
  const RegionSummary whole = recorder.summarise(machine.run()).whole;
  CHECK(whole.sent_bytes == kSent);
  const double headers = static_cast<double>(params.link.on_wire(params.link.packet.count).count) /
                         static_cast<double>(params.link.packet.count);
  CHECK(need(whole, RooflineResource::kLink).seconds() ==
        Approx(kSent * headers / static_cast<double>(params.link.x.bytes_per_second)));
  CHECK(need(whole, RooflineResource::kLink) <= whole.time());
}
