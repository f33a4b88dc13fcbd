// SPDX-License-Identifier: Apache-2.0
#include "model/system/statistics/statistics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "model/base/error.h"
#include "model/base/statistics_walk.h"
#include "model/system/statistics/books.h"

namespace tahoma::model {

using base::Duration;

namespace {

// What a chip has measured, by its own names.
struct ChipMeasurement {
  std::vector<base::EngineMeasurement> engines;
  std::vector<base::DmaMeasurement> dma;
  std::vector<base::HbmMeasurement> hbm;
  std::vector<base::CrossingMeasurement> crossings;
};

ChipMeasurement measure_chip(Chip& chip, const MachineParams& params, Duration elapsed) {
  ChipMeasurement m;
  for (std::uint32_t n = 0; n < params.chip.cores; ++n) {
    NeuronCore& core = chip.core(n);
    for (const auto& engine : core.engines()) m.engines.push_back(engine->measure(elapsed));
    m.dma.push_back(core.dma().measure());
  }
  for (std::uint32_t n = 0; n < params.chip.hbm.stacks; ++n) m.hbm.push_back(chip.stack(n).measure(elapsed));
  m.crossings = chip.network().measure();
  return m;
}

// Appends what the representative of `chip` has measured, as that of `chip`.
template <class Measurement>
void append(const std::vector<Measurement>& measured, std::uint32_t chip, const Unfolding& unfolding,
            std::vector<Measurement>& all) {
  for (const Measurement& m : measured) {
    all.push_back(m);
    unfolding.rename(chip, all.back());
  }
}

std::vector<base::TrafficMeasurement> measure_traffic(const FinishedChips& chips) {
  std::vector<base::TrafficMeasurement> all;
  const Unfolding& unfolding = chips.unfolding;
  for (std::uint32_t from = 0; from < chips.by_number.size(); ++from) {
    for (std::uint32_t to = 0; to < chips.by_number.size(); ++to) {
      const OnChipNetwork::Traffic sent =
          chips.by_number[from]->network().sent()[unfolding.seen_from(from, to)];
      check_traffic(unfolding.path(from, chips.by_number[from]->name()),
                    unfolding.path(to, chips.by_number[to]->name()), sent,
                    chips.by_number[to]->network().received()[unfolding.seen_from(to, from)]);
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

base::RunMeasurement measure(const FinishedChips& chips, const Fabric& fabric, const MachineParams& params,
                             const sim::Meter& rest) {
  base::RunMeasurement run;
  static_cast<base::RunCounts&>(run) = rest;
  run.elapsed = rest.last_effect;
  for (const sim::Meter* meter : chips.meters) {
    base::add_counters(static_cast<base::RunCounts&>(run), static_cast<const base::RunCounts&>(*meter));
    run.elapsed = std::max(run.elapsed, meter->last_effect);
  }
  fabric.check_ended();
  std::map<const Chip*, ChipMeasurement> measured;
  for (std::uint32_t chip = 0; chip < chips.by_number.size(); ++chip) {
    const auto [known, added] = measured.try_emplace(chips.by_number[chip]);
    if (added) known->second = measure_chip(*chips.by_number[chip], params, run.elapsed);
    append(known->second.engines, chip, chips.unfolding, run.engines);
    append(known->second.dma, chip, chips.unfolding, run.dma);
    append(known->second.hbm, chip, chips.unfolding, run.hbm);
    append(known->second.crossings, chip, chips.unfolding, run.crossings);
  }
  for (std::uint32_t node = 0; node < fabric.topology.nodes(); ++node) {
    std::vector<base::LinkMeasurement> links = fabric.measure_node(node, run.elapsed);
    if (node < chips.by_number.size())
      append(links, node, chips.unfolding, run.links);
    else
      std::move(links.begin(), links.end(), std::back_inserter(run.links));
  }
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
