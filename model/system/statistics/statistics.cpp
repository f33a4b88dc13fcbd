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

MeasuredNode measure_chip(Chip& chip, const MachineParams& params, Duration elapsed) {
  MeasuredNode m;
  m.path = chip.name();
  for (std::uint32_t n = 0; n < params.chip.cores; ++n) {
    NeuronCore& core = chip.core(n);
    for (const auto& engine : core.engines()) m.engines.push_back(engine->measure(elapsed));
    m.dma.push_back(core.dma().measure());
  }
  for (std::uint32_t n = 0; n < params.chip.hbm.stacks; ++n) m.hbm.push_back(chip.stack(n).measure(elapsed));
  m.crossings = chip.network().measure();
  m.sent = chip.network().sent();
  m.received = chip.network().received();
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

// The node that has measured for a node.
using Measured = std::vector<const MeasuredNode*>;

std::vector<base::TrafficMeasurement> traffic_of(const Measured& by_number, std::uint32_t chips,
                                                 const Unfolding& unfolding) {
  std::vector<base::TrafficMeasurement> all;
  for (std::uint32_t from = 0; from < chips; ++from) {
    for (std::uint32_t to = 0; to < chips; ++to) {
      const OnChipNetwork::Traffic sent = by_number[from]->sent[unfolding.seen_from(from, to)];
      check_traffic(unfolding.path(from, by_number[from]->path), unfolding.path(to, by_number[to]->path),
                    sent, by_number[to]->received[unfolding.seen_from(to, from)]);
      if (sent.packets > 0) all.push_back({from, to, sent.packets, sent.bytes});
    }
  }
  return all;
}

base::LinkMeasurement& measured_link(std::map<std::uint32_t, MeasuredNode>& nodes, const base::LinkId& id) {
  std::vector<MeasuredLink>& links = nodes.at(id.first).links;
  const auto found = std::find_if(links.begin(), links.end(),
                                  [&](const MeasuredLink& link) { return link.port == id.second; });
  TAHOMA_INVARIANT(found != links.end(), "a link was not measured");
  return found->link;
}

// The counters of links that end in another process than they begin in.
void add_high_waters(const std::vector<Fabric::HighWater>& high_waters,
                     std::map<std::uint32_t, MeasuredNode>& nodes) {
  for (const Fabric::HighWater& h : high_waters)
    measured_link(nodes, {h.node, h.port}).queue_high_water = h.packets;
}

// All links that leave switches, in order. In a folded machine some of them are simulated.
void append_switch_links(std::map<std::uint32_t, MeasuredNode>& nodes, const Unfolding& unfolding,
                         const Fabric& fabric, std::vector<base::LinkMeasurement>& all) {
  for (std::uint32_t node = fabric.topology.chips(); node < fabric.topology.nodes(); ++node)
    for (base::PortIndex port = 0; port < fabric.topology.ports(node); ++port) {
      if (!Router::place_of(fabric.shared, node, port)) continue;
      const auto of = unfolding.switch_links().find({node, port});
      if (of != unfolding.switch_links().end()) {
        all.push_back(measured_link(nodes, of->second.simulated));
        Unfolding::rename(of->second, all.back());
      } else {
        all.push_back(unfolding.folds() ? fabric.unused_link({node, port})
                                        : measured_link(nodes, {node, port}));
      }
    }
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

base::Time last_effect(const FinishedChips& chips, const sim::Meter& rest) {
  base::Time last = rest.last_effect;
  for (const sim::Meter* meter : chips.meters)
    if (meter != nullptr) last = std::max(last, meter->last_effect);
  return last;
}

MeasuredPart measure_part(const FinishedChips& chips, const Fabric& fabric, const MachineParams& params,
                          const sim::Meter& rest, Duration elapsed) {
  MeasuredPart part;
  part.counts = rest;
  base::add_counters(part.counts, fabric.switch_counts());
  for (const sim::Meter* meter : chips.meters)
    if (meter != nullptr) base::add_counters(part.counts, static_cast<const base::RunCounts&>(*meter));
  fabric.check_ended();
  const auto simulated = [&](std::uint32_t chip) {
    return chips.by_number[chip] != nullptr && chips.by_number[chip]->link().node() == chip;
  };
  for (std::uint32_t node = 0; node < fabric.topology.nodes(); ++node) {
    const bool is_chip = node < chips.by_number.size();
    if (is_chip && !simulated(node)) continue;
    std::vector<MeasuredLink> links = fabric.measure_node(node, elapsed);
    if (is_chip)
      part.nodes[node] = measure_chip(*chips.by_number[node], params, elapsed);
    else if (links.empty())
      continue;
    part.nodes[node].links = std::move(links);
  }
  part.high_waters = fabric.high_waters();
  return part;
}

base::RunMeasurement assemble(std::vector<MeasuredPart> parts, const Unfolding& unfolding,
                              const Fabric& fabric, const MachineParams& params, Duration elapsed) {
  base::RunMeasurement run;
  run.elapsed = elapsed;
  std::map<std::uint32_t, MeasuredNode> nodes;
  for (MeasuredPart& part : parts) {
    base::add_counters(static_cast<base::RunCounts&>(run), part.counts);
    nodes.merge(part.nodes);
  }
  for (const MeasuredPart& part : parts) add_high_waters(part.high_waters, nodes);
  const std::uint32_t chips = fabric.topology.chips();
  Measured by_number;
  for (std::uint32_t chip = 0; chip < chips; ++chip) {
    const MeasuredNode& m = nodes.at(unfolding.representative(chip));
    by_number.push_back(&m);
    append(m.engines, chip, unfolding, run.engines);
    append(m.dma, chip, unfolding, run.dma);
    append(m.hbm, chip, unfolding, run.hbm);
    append(m.crossings, chip, unfolding, run.crossings);
    for (const MeasuredLink& measured : m.links) {
      run.links.push_back(measured.link);
      unfolding.rename(chip, run.links.back());
    }
  }
  append_switch_links(nodes, unfolding, fabric, run.links);
  run.traffic = traffic_of(by_number, chips, unfolding);
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
