// SPDX-License-Identifier: Apache-2.0
// Random collectives and GEMMs on random machines, with and without DRAM, faults and logical cores; and what
// observers see of them.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "model/base/stats.h"
#include "report/files/statistics_tables.h"
#include "runtime/host/sha256.h"
#include "tests/support/program/workload_run.h"
#include "workloads/collective/collective.h"
#include "workloads/gemm/gemm.h"

namespace tahoma::tests {

// Every event as a line of text.
struct EventLines final : base::Observer, base::ProbeObserver, base::TimelineObserver {
  std::vector<std::string> lines;
  template <class... Values>
  void add(const Values&... values) {
    std::string line;
    ((line += fmt::format("{} ", values)), ...);
    lines.push_back(line);
  }
  void instruction(const base::InstructionActivity& a) override {
    add("i", a.core, a.queue, a.index, a.start.fs, a.next.fs, a.complete.fs, a.busy.fs, a.cause,
        a.released_by);
  }
  void transfer(const base::TransferActivity& a) override {
    add("t", a.core, a.ring, a.queue, a.index, a.cause, a.packets, a.bytes, a.read_bytes, a.read_address,
        a.write_bytes, a.write_address, a.rung.fs, a.start.fs, a.read_done.fs, a.end.fs);
  }
  void packet(const base::PacketActivity& a) override {
    add("p", a.core, a.engine, a.ring, a.queue, a.index, a.bytes, a.read_bytes, a.read_address, a.write_bytes,
        a.write_address, a.last, a.start.fs, a.read_done.fs, a.write_done.fs);
  }
  void semaphore(const base::SemaphoreActivity& a) override {
    add("s", a.core, a.semaphore, a.sets, a.by, a.visible.fs);
  }
  void stretch(const base::StretchActivity& a) override {
    add("u", a.core, a.queue, static_cast<int>(a.name), a.start.fs, a.end.fs);
  }
  void ring(const base::RingActivity& a) override { add("r", a.core, a.ring, a.held, a.when.fs); }
  void link(const base::LinkActivity& a) override {
    add("l", a.path, a.chip, a.from_chip, a.to_chip, a.payload_bytes, a.wire_bytes, a.start.fs, a.end.fs);
  }
};

struct RandomCase {
  model::MachineParams machine;
  MakeWorkload make;
  Settings settings;
  std::string text;  // for the message of a failure
};

class RandomCases {
 public:
  explicit RandomCases(std::uint32_t seed) : random_(seed) {}

  RandomCase next() {
    RandomCase c;
    c.machine = machine_of(one_of({2, 4, 4}), one_of({1, 2, 4, 4}), one_of({1, 1, 2}));
    c.machine.link.topology =
        base::fabric_named(word({"torus", "torus", "torus", "mesh", "switched", "two_level", "rails"}));
    const bool switches = model::topology_of(c.machine)->switches() > 0;
    c.machine.chip.hbm.model = model::kHbmModels[one_of({0, 1, 2})].value;
    if (one_of({0, 0, 1})) c.machine.chip.lnc = 2;
    if (one_of({0, 0, 1}) && !switches) c.machine.link.routing = model::Routing::kAdaptive;
    if (one_of({0, 0, 1})) add_fault(c.machine);
    one_of({0, 1, 1}) ? make_collective(c) : make_gemm(c);
    c.text = fmt::format("{} x {} x {} {}, {}, lnc {}", c.machine.torus.x, c.machine.torus.y,
                         c.machine.torus.z, name_of(c.machine.link.topology),
                         base::name_in(model::kHbmModels, c.machine.chip.hbm.model), c.machine.chip.lnc);
    for (const auto& [key, value] : c.settings) c.text += fmt::format(", {}={}", key, value);
    return c;
  }

 private:
  std::uint64_t one_of(std::initializer_list<std::uint64_t> values) {
    return *(values.begin() + random_() % values.size());
  }
  std::string word(std::initializer_list<const char*> values) {
    return *(values.begin() + random_() % values.size());
  }

  void add_fault(model::MachineParams& m) {
    const std::string chip = chip_name(m, random_() % m.chips());
    switch (random_() % 3) {
      case 0:
        m.instances.chips[chip].slow = 1.25;
        return;
      case 1:
        m.instances.stacks[chip + ".hbm1"].rate = 0.5;
        return;
      default:
        slow_link(m, chip);
    }
  }

  void slow_link(model::MachineParams& m, const std::string& chip) {
    const auto topology = model::topology_of(m);
    if (topology->switches() == 0) {
      if (m.torus.x > 2) m.instances.links[chip + ".link.xp"].rate = 0.5;
    } else if (one_of({0, 1})) {
      m.instances.links[chip + ".link." + topology->port(0, topology->ports(0) - 1).name].rate = 0.5;
    } else {
      const auto node = static_cast<std::uint32_t>(topology->chips() + random_() % topology->switches());
      const auto port = static_cast<base::PortIndex>(random_() % topology->ports(node));
      m.instances.switch_links[topology->switch_name(node) + "." + topology->port(node, port).name].rate =
          0.5;
    }
  }

  // Groups of a divisor of the machine's chips, so that several groups may be equal.
  std::string groups(const model::MachineParams& m, std::uint64_t per_chip) {
    const std::uint64_t chips = m.chips(), of = std::min<std::uint64_t>(chips, one_of({2, 2, 4, 8, 16}));
    std::string all;
    for (std::uint64_t first = 0; first < chips; first += of)
      all += fmt::format("{}{}-{}", all.empty() ? "" : "|", first * per_chip, (first + of) * per_chip - 1);
    return all;
  }

  void make_collective(RandomCase& c) {
    c.make = workloads::make_collective;
    const bool logical = c.machine.chip.lnc == 2;
    const std::string ranks = word({"chips", logical ? "logical_cores" : "cores"});
    c.settings = {
        {"operation", word({"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "broadcast"})},
        {"ranks", ranks},
        {"over", groups(c.machine, ranks == "chips" ? 1 : c.machine.chip.cores / c.machine.chip.lnc)},
        {"bytes", word({"8 KiB", "64 KiB", "256 KiB"})}};
  }

  void make_gemm(RandomCase& c) {
    c.make = workloads::make_gemm;
    const std::uint64_t k = one_of({1, 2, 8, 16});
    const std::uint64_t tiles = std::max<std::uint64_t>(1, c.machine.cores() / c.machine.chip.lnc / k);
    c.settings = {{"m", std::to_string(128 * tiles)}, {"n", "128"},
                  {"k", std::to_string(128 * k)},     {"dtype", "bf16"},
                  {"shard.m", std::to_string(tiles)}, {"shard.n", "1"},
                  {"shard.k", std::to_string(k)}};
  }

  std::mt19937 random_;
};

// The workload of a case, for its machine. Throws base::UserError if one of them is refused.
inline std::unique_ptr<runtime::Workload> checked_workload(const RandomCase& c) {
  auto workload = workload_with(c.make, c.settings);
  c.machine.check();
  workload->check(c.machine);
  return workload;
}

struct ObservedRun {
  std::string statistics, events;  // events are sorted: simultaneous ones have no order
};

inline ObservedRun observed_run(runtime::Workload& workload, runtime::Machine& machine) {
  workload.prepare(machine, 1);
  machine.seed(7);
  EventLines events;
  machine.observe(static_cast<base::Observer*>(&events));
  machine.observe(static_cast<base::ProbeObserver*>(&events));
  machine.observe(static_cast<base::TimelineObserver*>(&events));
  machine.run();
  base::StatSink sink;
  machine.collect(sink);
  std::sort(events.lines.begin(), events.lines.end());
  ObservedRun run{runtime::stats_csv(sink.stats()), ""};
  for (const std::string& line : events.lines) run.events += line + "\n";
  return run;
}

// The digests of all outputs, after the golden check: "wrong" first if it fails. Nothing in timing mode.
inline std::string values_of(runtime::Workload& workload, runtime::Machine& machine) {
  if (!machine.functional()) return "";
  std::string values;
  if (machine.params().chip.core.rounding == model::RoundingMode::kNearest) {
    const runtime::GoldenResult golden = workload.verify(machine);
    values += golden.checked() && golden.passed() ? "right " : "wrong " + golden.first_mismatch;
  }
  for (const runtime::NamedValues& output : workload.outputs(machine))
    values +=
        output.name + " " +
        runtime::sha256_of({reinterpret_cast<const char*>(output.values.data()), output.values.size()}) +
        "\n";
  return values;
}

}  // namespace tahoma::tests
