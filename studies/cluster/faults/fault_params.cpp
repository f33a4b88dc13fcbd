// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/faults/fault_params.h"

namespace tahoma::runtime::cluster {

namespace {

// Interruptions of one cause in a million chip-hours, of the 16,384 GPUs of Llama 3 405B in 54 days.
constexpr double published(double interruptions) { return interruptions / (16384.0 * 54 * 24) * 1e6; }

base::Source llama3() { return base::documented("arXiv 2407.21783, table 5"); }

}  // namespace

void FaultRates::declare(base::ParamTree& t) {
  constexpr double kMost = 1e9;
  t.add("chip", chip, published(148 + 19 + 17), {0.0, kMost},
        "faulty accelerators, their SRAM and system processor", llama3());
  t.add("memory", memory, published(72), {0.0, kMost}, "HBM", llama3());
  t.add("network", network, published(35), {0.0, kMost}, "switches and cables", llama3());
  t.add("host", host, published(32 + 2), {0.0, kMost}, "maintenance of hosts, CPUs", llama3());
  t.add("software", software, published(54), {0.0, kMost}, "software", llama3());
  t.add("other", other, published(419 - 148 - 19 - 17 - 72 - 35 - 32 - 2 - 54), {0.0, kMost}, "all others",
        llama3());
  t.add("planned", planned, published(47), {0.0, kMost}, "planned interruptions", llama3());
  t.add("slow", slow, 0.0, {0.0, kMost}, "chips, links and stacks that become slow",
        base::assumed("no rate is published"));
}

void FaultParams::declare(base::ParamTree& t) {
  constexpr double kMostMinutes = 1e6, kMostHours = 1e5;
  t.group("rates", rates);
  t.add("detection_minutes", detection_minutes, 2.0, {0.0, kMostMinutes},
        "from a fault to the end of the job",
        base::assumed("a hang is found by a time limit of the collectives"));
  t.add("restart_minutes", restart_minutes, 8.0, {0.0, kMostMinutes}, "until the first step after a fault",
        base::assumed("allocation, loading of the checkpoint, warm-up"));
  t.add("planned_minutes", planned_minutes, 15.0, {0.0, kMostMinutes}, "a planned interruption",
        base::assumed("firmware and configuration; the job saves a checkpoint first"));
  t.add("repair_hours", repair_hours, 24.0, {0.0, kMostHours}, "until a failed chip is a spare again",
        base::assumed("a server is exchanged within a day"));
  t.add("slow_factor", slow_factor, 1.0, {1.0, 1000.0},
        "passes of a stage with a slow part take so many times as long; times.slow_instance measures it",
        base::chosen());
  t.add("slow_hours", slow_hours, 1.0, {0.0, kMostHours}, "until a slow part is found and replaced",
        base::assumed("the slowest rank is found from traces of collectives"));
  t.add("maintenance_days", maintenance_days, 0.0, {0.0, 1e5},
        "between two maintenances of an UltraServer, one after the other, while spares replace it; 0: none",
        base::chosen());
  t.add("maintenance_hours", maintenance_hours, 4.0, {0.0, kMostHours}, "for which an UltraServer is away",
        base::assumed("firmware and tests"));
  t.add("maintenance_minutes", maintenance_minutes, 1.0, {0.0, kMostMinutes},
        "in which the job stands while spares take over the state of an UltraServer",
        base::assumed("its replica reads weights and moments from another one"));
  t.add("trials", trials, std::uint64_t{200}, {1, 1'000'000}, "trainings that are simulated", base::chosen());
  t.add("seed", seed, std::uint64_t{1}, {0, UINT64_MAX}, "of the random faults", base::chosen());
  t.add("days", days, 30.0, {0.01, 1e5}, "of training that a trial simulates at most", base::chosen());
}

}  // namespace tahoma::runtime::cluster
