// SPDX-License-Identifier: Apache-2.0
#include "model/system/statistics/statistics.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/base/statistics_walk.h"
#include "model/system/statistics/books.h"

namespace tahoma::model {

using base::Duration;

namespace {

// Measures every engine of a core that has a program, and the two collective cores as two entries.
void measure_core(NeuronCore& core, Duration elapsed, base::RunMeasurement& run) {
  for (const auto& engine : core.engines()) run.engines.push_back(engine->measure(elapsed));
  run.dma.push_back(core.dma().measure());
}

std::vector<base::TrafficMeasurement> measure_traffic(const std::vector<Chip*>& chips) {
  std::vector<base::TrafficMeasurement> all;
  for (std::uint32_t from = 0; from < chips.size(); ++from) {
    for (std::uint32_t to = 0; to < chips.size(); ++to) {
      const OnChipNetwork::Traffic sent = chips[from]->network().sent()[to];
      check_traffic(chips[from]->name(), chips[to]->name(), sent, chips[to]->network().received()[from]);
      if (sent.packets > 0) all.push_back({from, to, sent.packets, sent.bytes});
    }
  }
  return all;
}

}  // namespace

void check_traffic(std::string_view from, std::string_view to, const OnChipNetwork::Traffic& sent,
                   const OnChipNetwork::Traffic& received) {
  TAHOMA_INVARIANT(sent == received,
                   fmt::format("{} sent {} {} packets of {} bytes with checksums of {:#x}, which has "
                               "received {} of {} with {:#x}",
                               from, to, sent.packets, sent.bytes, sent.checksums, received.packets,
                               received.bytes, received.checksums));
}

base::RunMeasurement measure(const std::vector<Chip*>& chips, const Fabric& fabric,
                             const MachineParams& params, const sim::Meter& meter) {
  base::RunMeasurement run;
  static_cast<base::RunCounts&>(run) = meter;
  run.elapsed = meter.last_effect;
  for (Chip* chip : chips) {
    for (std::uint32_t n = 0; n < params.chip.cores; ++n) measure_core(chip->core(n), run.elapsed, run);
    for (std::uint32_t n = 0; n < params.chip.hbm.stacks; ++n)
      run.hbm.push_back(chip->stack(n).measure(run.elapsed));
    for (base::CrossingMeasurement& c : chip->network().measure()) run.crossings.push_back(std::move(c));
  }
  run.links = fabric.measure(run.elapsed);
  run.traffic = measure_traffic(chips);
  for (const auto& d : run.dma) run.dma_packets += d.packets;
  check_books(run, params);
  return run;
}

void list_statistics(const base::RunMeasurement& run, base::StatSink& sink) {
  base::Lister(sink, run.elapsed).list(run, "");
}

void list_declared(const base::RunMeasurement& run, base::StatSink& sink) {
  base::Lister(sink, run.elapsed, base::Lister::What::kDeclared).list(run, "");
}

}  // namespace tahoma::model
