// SPDX-License-Identifier: Apache-2.0
// The summary of a run's measurements: its time, its rates, its efficiency and its bottleneck. Plain values
// without text; the writers (summary.json, summary.txt) only format them.
//
// Averages over engines are taken over the *active* cores: those that retired at least one instruction. Peaks
// are those of the cores that the workload asked for, idle ones included, so that the MFU shows a shard with
// empty tiles. Shares are percent of the elapsed time. Every engine's times by stall reason must add up to
// the elapsed time and no rate may exceed its peak: an invariant, checked here for every run.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/base/columns.h"
#include "model/base/measurements.h"
#include "model/system/machine/machine_params.h"
#include "model/system/system.h"
#include "report/area/chip_area.h"
#include "report/cost/priced_run.h"
#include "report/energy/energy_ledger.h"
#include "report/files/program_report.h"
#include "report/lines/hot_spots.h"
#include "report/links/link_summary.h"
#include "report/memory/memory_summary.h"
#include "report/path/path_summary.h"
#include "report/regions/regions.h"
#include "report/summary/bottleneck.h"
#include "report/summary/time_band.h"
#include "report/summary/time_interval.h"
#include "runtime/workload/workload.h"

namespace tahoma::runtime {

// The description of the run by the workload and the command line.
struct RunFacts {
  std::string workload, machine, mode;
  std::uint64_t seed = 0;
  double useful_flops = 0;
  bool stated_flops = false;  // by the user, so they may exceed the peak
  ArrayWorks array_works;     // decide the peak
  std::uint32_t cores_used = 0;
  GoldenResult golden;
  model::check::Findings checks;
  std::vector<CollectiveResult> collectives;
  std::vector<WorkloadFigure> figures;  // of the workload
  RegionRecorder::Summaries regions;
  HotSpots hot_spots;
  PathSummary path;
  std::optional<EnergyLedger> energy;
  std::optional<ChipArea> area;
  std::optional<PricedRun> cost;           // if prices are known
  std::optional<Bottlenecks> bottlenecks;  // if the run was explained
  std::optional<TimeInterval> interval;    // if one is stored for this run
  std::optional<TimeBand> band;            // if the run was repeated with other start phases
  std::vector<ProgramRow> together;        // programs that share the machine
  std::string programs;                    // runtime/run/programs_hash.h
  std::vector<std::string> warnings;       // sentences: what about the machine may not be intended
  std::uint64_t assumed = 0;  // parameters in use that are assumed (runtime/config/assumptions.h)
};

struct FlopSummary {
  TAHOMA_STATISTICS(FlopSummary);
  TAHOMA_COUNTER(double, useful, kFlop, "operations that the definition of the workload requires");
  TAHOMA_COUNTER(std::uint64_t, hardware, kFlop,
                 "2 x multiply-accumulates of the tensor engines, useful or not");
  TAHOMA_FIGURE(double, achieved_tflops, kTeraflops, "useful operations over the elapsed time",
                base::per_second(self.useful, elapsed) * 1e-12);
  TAHOMA_LEVEL(double, peak_tflops, kTeraflops,
               "cores used x rows x columns x 2 x clock; a quarter of it for fp32, twice for double_row");
};

struct EngineSummary {  // all engines of a kind on the active cores
  base::EngineKind kind = base::EngineKind::kTensor;
  std::uint64_t engines = 0, instructions = 0;
  double active_percent = 0;  // the vendor's *_active: first issue to last result, united
  std::array<double, base::kStallReasons> percent{};  // busy and every stall reason; adds up to 100
};

struct DmaSummary {
  TAHOMA_STATISTICS(DmaSummary);
  TAHOMA_COUNTER(std::uint64_t, bytes, kBytes, "payload moved, the larger side of a cast");
  TAHOMA_COUNTER(std::uint64_t, packets, kCount, "packets moved by DMA engines");
  TAHOMA_COUNTER(std::uint64_t, transfers, kCount, "transfers started by a doorbell");
  TAHOMA_LEVEL(double, busy_percent, kPercent,
               "time an engine was moving packets, mean over the 16 engines of the active cores");
  TAHOMA_LEVEL(double, active_percent, kPercent,
               "time at least one of the 16 engines was moving, mean over the active cores");
};

// How much of the array matmuls use, each with the rows and columns of its weights; those on tiles side by
// side count apart.
struct ArrayUse {
  TAHOMA_STATISTICS(ArrayUse);
  TAHOMA_LEVEL(double, rows, kCount, "rows of the array that matmuls use, mean over its streaming cycles");
  TAHOMA_LEVEL(double, columns, kCount, "columns of the array that matmuls use, the same mean");
  TAHOMA_LEVEL(double, idle_percent, kPercent, "cells that matmuls do not use, of all that they could");
  std::uint64_t of_rows = 0, of_columns = 0, partitions = 0;  // of the machine
};

struct ChipFault {
  std::string chip;
  model::ChipFaults faults;
};

// The busiest resource; busiest.h has the rule.
struct Busiest {
  std::string resource;      // "tensor", "dma", "hbm", "link", ...
  double share_percent = 0;  // busy time
  std::string instance;      // "the DMA engines", "HBM stack server0.chip00.hbm1"
};

struct Summary {
  RunFacts facts;
  base::Duration elapsed;
  std::uint64_t instructions = 0;
  std::uint64_t machine_cores = 0, active_cores = 0;
  std::vector<ChipFault> chip_faults;  // as configured
  FlopSummary flops;
  std::vector<EngineSummary> engines;  // in the order of EngineKind, kinds that the machine has
  std::optional<ArrayUse> array;  // if the machine has another array, or other partitions, than Trainium2
  DmaSummary dma;
  HbmSummary hbm;
  LinkSummary links;
  Busiest busiest;

  TAHOMA_STATISTICS(Summary);
  TAHOMA_DERIVED("seed", kIdentifier, "seed of the inputs", self.facts.seed);
  TAHOMA_DERIVED("simulated_time_ns", kNanoseconds, "first instruction on any core to the last completion",
                 base::clean_nanoseconds(self.elapsed));
  TAHOMA_DERIVED("instructions", kCount, "instructions retired on all queues", self.instructions);
  TAHOMA_FIGURE(double, mfu_estimated_percent, kPercent,
                "achieved rate of useful operations over the peak of the cores used",
                base::percent_of(self.flops.achieved_tflops(elapsed), self.flops.peak_tflops));
  TAHOMA_FIGURE(std::optional<double>, mbu_estimated_percent, kPercent,
                "achieved bandwidth of HBM over the peak of the stacks used; none when one of them is ideal",
                self.hbm.bandwidth_percent(elapsed));
  TAHOMA_DERIVED("dma_active_time_percent", kPercent, "dma.active_percent by the vendor's name",
                 self.dma.active_percent);
  TAHOMA_DERIVED("hbm_read_bytes", kBytes, "bytes read from HBM", self.hbm.read_bytes);
  TAHOMA_DERIVED("hbm_write_bytes", kBytes, "bytes written to HBM", self.hbm.write_bytes);
};

Summary summarise(const RunFacts& facts, const model::MachineParams& machine,
                  const base::RunMeasurement& run);

}  // namespace tahoma::runtime
