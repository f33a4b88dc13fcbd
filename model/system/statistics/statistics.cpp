// SPDX-License-Identifier: Apache-2.0
#include "model/system/statistics/statistics.h"

#include <fmt/format.h>

#include "model/base/error.h"
#include "model/system/statistics/books.h"
#include "model/system/statistics/memory_statistics.h"

namespace tahoma::model {

using base::Duration, base::Unit;

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

void list_engine(const base::EngineMeasurement& e, base::StatSink& sink) {
  for (std::size_t n = 0; n < base::kCycleNames; ++n) {
    const auto name = static_cast<base::Cycle>(n);
    sink.add(fmt::format("{}.{}", e.path, base::name_of(name)), e.time[n].ns(), Unit::kNanoseconds,
             base::doc_of(name));
  }
  sink.add(e.path + ".active", e.active.ns(), Unit::kNanoseconds,
           "union of the instructions' start-to-end intervals");
  sink.add(e.path + ".instructions", e.instructions, Unit::kCount, "instructions retired");
  if (e.kind != base::EngineKind::kTensor) return;
  sink.add(e.path + ".hardware_flops", e.hardware_flops, Unit::kFlop,
           "2 x multiply-accumulates issued, useful or not");
  sink.add(e.path + ".cell_cycles", e.cell_cycles, Unit::kCount,
           "cycles of single cells of the array: one for each multiply-accumulate and pass, slices of "
           "double_row together");
  sink.add(e.path + ".array_cycles", e.array_cycles, Unit::kCount,
           "first moving row in to last sum out of the array, summed over matmuls and transposes");
}

void list_dma(const base::DmaMeasurement& d, base::StatSink& sink) {
  sink.add(d.path + ".transfers", d.transfers, Unit::kCount, "transfers started by a doorbell");
  sink.add(d.path + ".packets", d.packets, Unit::kCount, "packets moved by the 16 engines");
  sink.add(d.path + ".bytes", d.bytes, Unit::kBytes, "payload moved, the larger side of a cast");
  sink.add(d.path + ".busy", d.busy.ns(), Unit::kNanoseconds, "moving packets, summed over the 16 engines");
  sink.add(d.path + ".active", d.active.ns(), Unit::kNanoseconds,
           "at least one engine with a packet issued and not yet read");
  sink.add(d.path + ".blocked_memory", d.blocked_memory.ns(), Unit::kNanoseconds,
           "work pending, but too many packets in flight to and from HBM, summed over the engines");
  sink.add(d.path + ".blocked_link", d.blocked_link.ns(), Unit::kNanoseconds,
           "waiting for the fabric to take a packet, summed over the engines");
}

void list_link(const base::LinkMeasurement& l, Duration elapsed, base::StatSink& sink) {
  sink.add(l.path + ".payload_bytes", l.payload_bytes, Unit::kBytes, "payload sent in this direction");
  sink.add(l.path + ".wire_bytes", l.wire_bytes, Unit::kBytes, "payload and headers sent in this direction");
  sink.add(l.path + ".packets", l.packets, Unit::kCount, "packets sent in this direction");
  sink.add(l.path + ".goodput",
           elapsed.fs <= 0 ? 0 : static_cast<double>(l.payload_bytes) / elapsed.seconds(),
           Unit::kBytesPerSecond, "payload sent in this direction over the elapsed time");
  sink.add(l.path + ".busy", l.busy.ns(), Unit::kNanoseconds, "time the wire was sending");
  sink.add(l.path + ".blocked", l.blocked.ns(), Unit::kNanoseconds,
           "time a packet was ready and the wire free, but the next buffer had no credit");
  sink.add(l.path + ".queue_full", l.queue_full.ns(), Unit::kNanoseconds,
           "time a packet waited for the full queue");
  sink.add(l.path + ".queue_high_water", l.queue_high_water, Unit::kCount, "most packets in the queue");
  sink.add(l.path + ".flows", static_cast<std::uint64_t>(l.flows.size()), Unit::kCount,
           "pairs of chips whose packets used this direction");
}

void list_traffic(const base::RunMeasurement& run, base::StatSink& sink) {
  std::uint64_t packets = 0, bytes = 0;
  for (const base::TrafficMeasurement& t : run.traffic) {
    packets += t.packets;
    bytes += t.payload_bytes;
  }
  sink.add("traffic.pairs", static_cast<std::uint64_t>(run.traffic.size()), Unit::kCount,
           "pairs of a sending and a receiving chip with traffic over the fabric");
  sink.add("traffic.packets", packets, Unit::kCount, "packets that chips sent each other, once each");
  sink.add("traffic.payload_bytes", bytes, Unit::kBytes, "payload that chips sent each other, once each");
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
  run.elapsed = meter.last_effect;
  for (Chip* chip : chips) {
    for (std::uint32_t n = 0; n < params.chip.cores; ++n) measure_core(chip->core(n), run.elapsed, run);
    for (std::uint32_t n = 0; n < params.chip.hbm.stacks; ++n)
      run.hbm.push_back(chip->stack(n).measure(run.elapsed));
    for (base::CrossingMeasurement& c : chip->network().measure()) run.crossings.push_back(std::move(c));
  }
  run.links = fabric.measure(run.elapsed);
  run.traffic = measure_traffic(chips);
  run.instructions = meter.instructions;
  for (const auto& d : run.dma) run.dma_packets += d.packets;
  run.link_packet_hops = meter.link_packet_hops;
  run.activations = meter.engine_activations;
  run.dma_activations = meter.dma_activations;
  run.link_activations = meter.link_activations;
  run.memory_activations = meter.memory_activations;
  check_books(run, params);
  return run;
}

void list_statistics(const base::RunMeasurement& run, base::StatSink& sink) {
  sink.add("elapsed", run.elapsed.ns(), Unit::kNanoseconds,
           "first instruction on any core to the last completion");
  sink.add("instructions", run.instructions, Unit::kCount, "instructions retired on all queues");
  sink.add("dma_packets", run.dma_packets, Unit::kCount, "packets moved by DMA engines");
  sink.add("link_packet_hops", run.link_packet_hops, Unit::kCount, "packets sent over links, once per hop");
  sink.add("engine_activations", run.activations, Unit::kCount, "SystemC activations of engines");
  sink.add("dma_activations", run.dma_activations, Unit::kCount, "SystemC activations of DMA engines");
  sink.add("link_activations", run.link_activations, Unit::kCount,
           "SystemC activations of ports, routers and networks");
  for (const auto& e : run.engines)
    if (e.instructions > 0) list_engine(e, sink);
  for (const auto& d : run.dma)
    if (d.transfers > 0) list_dma(d, sink);
  for (const auto& h : run.hbm)
    if (h.read_bytes + h.write_bytes > 0) list_hbm(h, run.elapsed, sink);
  for (const auto& c : run.crossings) {
    if (c.bytes == 0) continue;
    sink.add(c.path + ".bytes", c.bytes, Unit::kBytes, "data carried from one die to the other");
    sink.add(c.path + ".busy", c.busy.ns(), Unit::kNanoseconds, "time the crossing's bandwidth was in use");
  }
  for (const auto& l : run.links) list_link(l, run.elapsed, sink);
  list_traffic(run, sink);
}

}  // namespace tahoma::model
