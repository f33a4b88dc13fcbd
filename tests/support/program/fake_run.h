// SPDX-License-Identifier: Apache-2.0
// A synthetic measurement for tests of the report: one chip with two cores whose accounts balance, two stacks
// and two links. It is 100 us long, so windows have 10 us. The figures are easy to check by hand.
#pragma once

#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"
#include "report/summary/summary.h"

namespace tahoma::tests {

using namespace base::literals;

inline base::EngineMeasurement fake_engine(base::EngineKind kind, std::uint32_t core, base::Duration busy,
                                           base::Duration wait_dma, base::Duration elapsed) {
  base::EngineMeasurement engine;
  engine.path = "server0.chip00.core" + std::to_string(core) + "." + base::name_of(kind);
  engine.kind = kind;
  engine.core = core;
  engine.time[static_cast<std::size_t>(base::StallReason::kBusy)] = busy;
  engine.time[static_cast<std::size_t>(base::StallReason::kWaitDma)] = wait_dma;
  engine.time[static_cast<std::size_t>(base::StallReason::kIdle)] = elapsed - busy - wait_dma;
  engine.active = busy + 10_us;
  engine.instructions = busy.fs > 0 ? 7 : 0;
  return engine;
}

inline base::LinkMeasurement fake_link(const std::string& path, char axis, std::vector<base::Duration> busy) {
  base::LinkMeasurement link;
  link.path = path;
  link.axis = axis;
  link.to_chip = 1;
  for (const auto b : busy) link.busy += b;
  link.packets = link.busy.fs > 0 ? 10 : 0;
  link.payload_bytes = link.packets * 4096;
  link.wire_bytes = link.packets * 4160;
  link.queue_full = 2_us;
  link.queue_high_water = 3;
  link.peak = 128_GBps;
  link.series = {10_us, std::move(busy)};
  return link;
}

// Core 0 works: tensor 80 us, vector 20 us busy. Core 1 ran nothing.
inline base::RunMeasurement fake_run() {
  base::RunMeasurement run;
  run.elapsed = 100_us;
  for (std::uint32_t core = 0; core < 2; ++core) {
    const bool works = core == 0;
    for (std::size_t k = 0; k < base::kEngineKinds; ++k) {
      const auto kind = static_cast<base::EngineKind>(k);
      const bool tensor = kind == base::EngineKind::kTensor, vector = kind == base::EngineKind::kVector;
      const base::Duration busy = !works ? 0_us : tensor ? 80_us : vector ? 20_us : 0_us;
      run.engines.push_back(fake_engine(kind, core, busy, works && tensor ? 15_us : 0_us, run.elapsed));
    }
    base::DmaMeasurement dma;
    dma.path = "server0.chip00.core" + std::to_string(core) + ".dma";
    dma.core = core;
    dma.transfers = works ? 4 : 0;
    dma.bytes = works ? 1'000'000 : 0;
    dma.busy = works ? 160_us : 0_us;  // of 16 x 100 us
    dma.active = works ? 30_us : 0_us;
    run.dma.push_back(dma);
  }
  run.engines[0].hardware_flops = 4'000'000'000;
  run.engines[0].cell_cycles = 2'000'000'000;
  base::HbmMeasurement& stack = run.hbm.emplace_back();
  stack.path = "server0.chip00.hbm0";
  stack.read_bytes = 900'000;
  stack.write_bytes = 100'000;
  stack.busy = 50_us;
  stack.peak = 725_GBps;
  stack.series = {10_us, {10_us, 5_us}};
  base::HbmMeasurement& unused = run.hbm.emplace_back();
  unused.path = "server0.chip00.hbm1";
  unused.peak = 725_GBps;
  unused.series = {10_us, {}};
  run.links.push_back(fake_link("server0.chip00.link_xp", 'x', {9.5_us, 10_us, 5_us}));
  run.links.push_back(fake_link("server0.chip00.link_zm", 'z', {9.4_us}));
  run.instructions = 14;
  return run;
}

// Half of the accesses of a channel hit; its pins moved data half of the time, and a quarter was lost.
inline base::ChannelMeasurement fake_channel(const std::string& path, base::Duration elapsed) {
  base::ChannelMeasurement c;
  c.path = path;
  c.read_bytes = 450'000;
  c.write_bytes = 50'000;
  c.row_hits = 50;
  c.row_misses = 30;
  c.row_conflicts = 20;
  c.activates = 50;
  c.precharges = 45;
  c.refreshes = 3;
  c.corrected_errors = 1;
  c.data = {elapsed.fs / 2};
  c.lost_refresh = {elapsed.fs / 10};
  c.lost_turnaround = {elapsed.fs / 10};
  c.lost_bank = {elapsed.fs / 20};
  c.idle = elapsed - c.data - c.lost_refresh - c.lost_turnaround - c.lost_bank;
  c.mean_reads_queued = 12.5;
  c.mean_writes_queued = 2.5;
  c.most_reads_queued = 100;
  c.most_writes_queued = 60;
  c.peak = 50_GBps;
  return c;
}

// The same run with DRAM behind its first stack: two channels, and one that has failed.
inline base::RunMeasurement fake_dram_run() {
  base::RunMeasurement run = fake_run();
  base::HbmMeasurement& stack = run.hbm[0];
  for (const char* const name : {".channel00", ".channel01", ".channel02"})
    stack.channels.push_back(fake_channel(stack.path + name, run.elapsed));
  stack.channels[1].row_hits = 150;
  stack.channels[1].most_reads_queued = 128;
  stack.channels[1].mean_reads_queued = 17.5;
  stack.channels[2] = {};
  stack.channels[2].path = stack.path + ".channel02";
  stack.channels[2].failed = true;
  stack.reads = {1000, 250_ns, 200_ns, 400_ns, 800_ns, 900_ns};
  stack.writes = {100, 50_ns, 40_ns, 60_ns, 70_ns, 80_ns};
  stack.users = {{0, 400'000, 100'000}, {1, 500'000, 0}};
  stack.events = 2;
  stack.first_events = {{30_us, "corrected error: channel 0"}, {40_us, "corrected error: channel 1"}};
  return run;
}

inline model::MachineParams fake_machine() {
  model::MachineParams machine;
  base::ParamTree tree("machine");
  machine.declare(tree);
  machine.torus.x = 1;
  machine.torus.y = 1;
  machine.torus.z = 1;
  return machine;
}

// 1 GFLOP useful on one core: 10 TFLOPS.
inline runtime::RunFacts fake_facts() {
  runtime::RunFacts facts;
  facts.workload = "gemm 1x2x3 bf16, shard m1 n1 k1";
  facts.machine = "trainium2_one_chip";
  facts.mode = "functional";
  facts.seed = 1;
  facts.useful_flops = 1e9;
  facts.cores_used = 1;
  facts.golden.elements = 2;
  facts.golden.rule = "made up";
  return facts;
}

}  // namespace tahoma::tests
