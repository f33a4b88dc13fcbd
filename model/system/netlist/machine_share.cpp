// SPDX-License-Identifier: Apache-2.0
#include "model/system/netlist/machine_share.h"

#include <algorithm>

#include "model/base/error.h"
#include "model/system/netlist/deadlock.h"
#include "model/system/netlist/time_windows.h"
#include "model/system/parallel/agreement.h"
#include "model/system/parallel/measurement_fields.h"

namespace tahoma::base {

template <class Stream, Is<RunCounts> T>
void fields(Stream& stream, T& counts) {
  statistics_fields(stream, counts);
}

}  // namespace tahoma::base

namespace tahoma::model {

template <class Stream, base::Is<BlockedEngines::Line> T>
void fields(Stream& stream, T& line) {
  stream(line.chip, line.text);
}

namespace {

// Bytes of events, before they are brought to process 0: few enough for the caches, many more than an
// exchange costs.
constexpr std::size_t kMostLogged = std::size_t{1} << 18;
// A window of processes whose chips cannot reach each other. They synchronise only to pass on events and
// errors.
constexpr base::Duration kApart = {20'000'000'000};

template <class Stream, base::Is<MeasuredNode> T>
void node_fields(Stream& stream, T& m) {
  stream(m.path, m.engines, m.dma, m.hbm, m.crossings, m.links, m.sent, m.received);
}

// A measured part with what its process has sent.
ByteString bytes_of(const MeasuredPart& part, std::uint64_t messages, std::uint64_t bytes) {
  base::ByteWriter to;
  to(messages, bytes, part.counts, part.high_waters, part.nodes.size());
  for (const auto& [node, measured] : part.nodes) {
    to(node);
    node_fields(to, measured);
  }
  return std::move(to.bytes());
}

MeasuredPart part_from(const ByteString& bytes, ParallelCounts& counts) {
  MeasuredPart part;
  std::uint64_t messages = 0, sent = 0;
  std::size_t nodes = 0;
  base::ByteReader from(bytes);
  from(messages, sent, part.counts, part.high_waters, nodes);
  for (; nodes > 0; --nodes) {
    std::uint32_t node = 0;
    from(node);
    node_fields(from, part.nodes[node]);
  }
  counts.messages += messages;
  counts.bytes += sent;
  return part;
}

ByteString bytes_of(const BlockedEngines& blocked) {
  base::ByteWriter to;
  to(blocked.count, blocked.first);
  return std::move(to.bytes());
}

}  // namespace

MachineShare::MachineShare(Processes& processes, const Fabric& fabric, const MachineParams& params,
                           sim::PayloadPool& pool, AddressMap& memory, bool functional)
    : processes_(processes),
      fabric_(fabric),
      params_(params),
      pool_(pool),
      shares_(fabric.topology, processes),
      peers_(processes, shares_, memory, functional),
      cut_(shares_, processes, pool, peers_) {
  counts_.processes = processes.count();
}

void MachineShare::deal(const Folding& folding) {
  std::vector<std::int64_t> both_ways;  // the least of x and of -x are opposite if x is the same everywhere
  for (const std::uint32_t chip : folding.representative)
    for (const std::int64_t sign : {1, -1}) both_ways.push_back(sign * chip);
  TAHOMA_INVARIANT(processes_.least(both_ways) == both_ways,
                   "the processes found different classes of chips");
  shares_.deal(folding.representative);
}

void MachineShare::observe(sim::Meter& meter) {
  replay_ = std::make_unique<EventReplay>(Observers{meter.observer, meter.probes, meter.timeline});
  meter.redirect(log_);
}

void MachineShare::gather_events() {
  std::vector<ByteString> logs = processes_.gather(log_.take());
  agree(processes_, &sim::now, [&] {
    if (reports()) replay_->add(std::move(logs));
  });
}

// Runs while process 0 waits for others. An observer may throw.
bool MachineShare::replay_some(sim::Meter& meter) {
  if (!reports() || meter.failed()) return false;
  try {
    return replay_->some();
  } catch (...) {
    meter.fail();
    return false;
  }
}

void MachineShare::replay_all() {
  gather_events();
  agree(processes_, &sim::now, [&] {
    if (reports()) replay_->all();
  });
}

base::Duration MachineShare::window() {
  const bool apart = processes_.least({cut_.has_links() ? 0 : 1})[0] == 1;
  return apart ? kApart : std::min(params_.link.wire, params_.link.efa.wire);
}

void MachineShare::run(Netlist& netlist, sim::Meter& meter) {
  Windows windows(processes_, cut_, window());
  const Windows::End end = windows.run(params_.time_limit, meter,
                                       {[this] { return log_.bytes() > kMostLogged; },
                                        [this] { gather_events(); }, [&] { return replay_some(meter); }});
  counts_.windows = windows.count();
  const auto together = [this](const std::function<void()>& body) { agree(processes_, &sim::now, body); };
  together([&] { meter.rethrow(); });
  together([&] {
    if (end == Windows::End::kLimit) refuse_overtime(params_.time_limit);
    netlist.check_stacks(params_);
  });
  refuse_deadlock(netlist);
  together([&] {
    check_idle(netlist.chips(), params_);
    TAHOMA_INVARIANT(cut_.all_home(), "a read waits for an answer from another process");
    TAHOMA_INVARIANT(peers_.all_ended(), "a transfer waits for values from another process");
    TAHOMA_INVARIANT(pool_.in_use() == 0, "packets are left in the fabric");
  });
  replay_all();
  peers_.gather_written();
}

void MachineShare::refuse_deadlock(const Netlist& netlist) const {
  const ByteString own = bytes_of(blocked_engines(netlist.chips(), params_, netlist.unfolding()));
  const base::Time last{-processes_.least({-sim::Agenda::of_process().acted_at().fs})[0]};
  const std::vector<ByteString> all = processes_.gather(own);
  agree(processes_, &sim::now, [&] {
    std::vector<BlockedEngines> parts;
    for (const ByteString& bytes : all) {
      base::ByteReader from(bytes);
      BlockedEngines& part = parts.emplace_back();
      from(part.count, part.first);
    }
    model::refuse_deadlock(parts, last);
  });
}

base::RunMeasurement MachineShare::measure(const Netlist& netlist, const sim::Meter& meter) {
  const FinishedChips chips = netlist.finished();
  const base::Duration elapsed{-processes_.least({-last_effect(chips, meter).fs})[0]};
  ByteString own;
  agree(processes_, &sim::now, [&] {
    own = bytes_of(measure_part(chips, fabric_, params_, meter, elapsed), cut_.messages(), cut_.bytes());
  });
  const std::vector<ByteString> all = processes_.gather(own);
  base::RunMeasurement run;
  agree(processes_, &sim::now, [&] {
    if (!reports()) return;
    std::vector<MeasuredPart> parts;
    for (const ByteString& bytes : all) parts.push_back(part_from(bytes, counts_));
    run = assemble(std::move(parts), netlist.unfolding(), fabric_, params_, elapsed);
  });
  replay_all();  // the stretches that end with the run
  return run;
}

}  // namespace tahoma::model
