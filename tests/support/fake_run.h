// SPDX-License-Identifier: Apache-2.0
// A measurement made up by hand, for tests of the report: one chip's worth of two cores whose books balance,
// two stacks, two links. 100 us long, so windows of 10 us. Figures are chosen to be easy to check by head.
#pragma once

#include "model/base/measurements.h"
#include "model/system/machine_params.h"
#include "runtime/report/summary.h"

namespace tahoma::tests {

using namespace base::literals;

inline base::EngineMeasurement fake_engine(base::EngineKind kind, std::uint32_t core, base::Duration busy,
                                           base::Duration wait_dma, base::Duration elapsed) {
  base::EngineMeasurement engine;
  engine.path = "server0.chip00.core" + std::to_string(core) + "." + base::name_of(kind);
  engine.kind = kind;
  engine.core = core;
  engine.time[static_cast<std::size_t>(base::Cycle::kBusy)] = busy;
  engine.time[static_cast<std::size_t>(base::Cycle::kWaitDma)] = wait_dma;
  engine.time[static_cast<std::size_t>(base::Cycle::kIdle)] = elapsed - busy - wait_dma;
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
  run.hbm.push_back({"server0.chip00.hbm0", 900'000, 100'000, 50_us, 725_GBps, {10_us, {10_us, 5_us}}});
  run.hbm.push_back({"server0.chip00.hbm1", 0, 0, 0_us, 725_GBps, {10_us, {}}});
  run.links.push_back(fake_link("server0.chip00.link_xp", 'x', {9.5_us, 10_us, 5_us}));
  run.links.push_back(fake_link("server0.chip00.link_zm", 'z', {9.4_us}));
  run.instructions = 14;
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
  facts.golden.checked = facts.golden.passed = true;
  facts.golden.elements = 2;
  facts.golden.rule = "made up";
  return facts;
}

}  // namespace tahoma::tests
