// SPDX-License-Identifier: Apache-2.0
// A run's measurements reduced to the numbers that answer the architect: how long, how fast, how well, and
// what held it back. Plain values without text; the writers (summary.json, summary.txt) only lay them out.
//
// Averages over engines are taken over the *active* cores: those that retired at least one instruction. Peaks
// are those of the cores that the workload asked for, idle ones included, so that a shard with empty tiles
// shows in its MFU. Shares are percent of the elapsed time. Every engine's named times must add up to the
// elapsed time and no rate may pass its peak: an invariant, checked here for every run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/measurements.h"
#include "model/system/machine_params.h"
#include "model/system/system.h"
#include "runtime/report/links/link_summary.h"
#include "runtime/report/memory/memory_summary.h"
#include "runtime/report/regions/regions.h"
#include "runtime/run/workload.h"

namespace tahoma::runtime {

// What the run was, as the workload and the command line said.
struct RunFacts {
  std::string workload, machine, mode;
  std::uint64_t seed = 0;
  double useful_flops = 0;
  isa::DType dtype = isa::DType::kBf16;
  isa::MatmulMode array_mode = isa::MatmulMode::kDense;
  std::uint32_t cores_used = 0;
  GoldenResult golden;
  model::check::Findings checks;
  std::vector<CollectiveResult> collectives;
  std::vector<WorkloadFigure> figures;  // of the workload
  RegionRecorder::Summaries regions;
};

struct FlopSummary {
  double useful = 0;
  std::uint64_t hardware = 0;  // 2 x multiply-accumulates of the tensor engines, useful or not
  double achieved_tflops = 0;  // useful / elapsed
  double peak_tflops =
      0;  // cores_used x rows x columns x 2 x clock; a quarter of it for fp32, twice for double_row
};

struct EngineSummary {  // all engines of a kind on the active cores
  base::EngineKind kind = base::EngineKind::kTensor;
  std::uint64_t engines = 0, instructions = 0;
  double active_percent = 0;  // the vendor's *_active: first issue to last result, united
  std::array<double, base::kCycleNames> percent{};  // busy and every stall reason; adds up to 100
};

struct DmaSummary {
  double busy_percent = 0;    // of the 16 engines of each active core, average
  double active_percent = 0;  // at least one of the 16 moving, average over the active cores
  std::uint64_t bytes = 0, packets = 0, transfers = 0;
};

struct ChipFault {
  std::string chip;
  model::ChipFaults faults;
};

// What bound the run; see bound_by.h for the rule.
struct Bound {
  std::string resource;  // "tensor", "dma", "hbm", "link", ..., or "latency"
  double share_percent = 0;
  std::string reason;  // one sentence
};

struct Summary {
  RunFacts facts;
  base::Duration elapsed;
  std::uint64_t instructions = 0;
  std::uint64_t machine_cores = 0, active_cores = 0;
  std::vector<ChipFault> chip_faults;  // as configured
  FlopSummary flops;
  double mfu_percent = 0;
  std::optional<double> mbu_percent;
  std::vector<EngineSummary> engines;  // in the order of EngineKind, kinds that the machine has
  DmaSummary dma;
  HbmSummary hbm;
  LinkSummary links;
  Bound bound;
};

Summary summarise(const RunFacts& facts, const model::MachineParams& machine,
                  const base::RunMeasurement& run);

}  // namespace tahoma::runtime
