// SPDX-License-Identifier: Apache-2.0
#include "report/energy/chip_events.h"

#include <map>
#include <string>

namespace tahoma::runtime {

namespace {

double counted(std::uint64_t count) { return static_cast<double>(count); }

// Adds to the counts of the chips that work.
class Counter {
 public:
  explicit Counter(const model::MachineParams& machine) : machine_(machine), counts_(machine.chips()) {
    for (std::uint64_t chip = 0; chip < machine.chips(); ++chip)
      by_name_.emplace(model::chip_name(machine, chip), chip);
  }

  void add(std::uint64_t chip, EnergyEvent event, double count) {
    if (chip < counts_.size() && !machine_.is_dead(chip))
      counts_[chip][static_cast<std::size_t>(event)] += count;
  }
  // Returns the chip of an instance, "server0.chip03" of "server0.chip03.hbm1"; `other` if its path does not
  // begin with a chip.
  std::uint64_t chip_of(const std::string& path, std::uint64_t other) const {
    const std::size_t end = path.find('.', path.find('.') + 1);
    const auto found = by_name_.find(path.substr(0, end));
    return found == by_name_.end() ? other : found->second;
  }
  std::vector<EventCounts> counts() { return std::move(counts_); }

 private:
  const model::MachineParams& machine_;
  std::vector<EventCounts> counts_;
  std::map<std::string, std::uint64_t> by_name_;
};

void count_work(const RecordedWork& work, std::uint64_t cores, Counter& counter) {
  for (std::size_t core = 0; core < work.cores.size(); ++core)
    for (std::size_t n = 0; n < kWorkEvents; ++n)
      counter.add(core / cores, static_cast<EnergyEvent>(n), counted(work.cores[core].events[n]));
}

void count_clocks(const model::MachineParams& machine, const base::RunMeasurement& run, Counter& counter) {
  for (const base::EngineMeasurement& engine : run.engines) {
    const auto kind = static_cast<std::size_t>(engine.kind);
    if (kind >= kClockedEngines) continue;
    const std::uint64_t chip = engine.core / machine.chip.cores;
    const double hz = clock_hz(machine.chip.core, kind) / machine.slowdown_of(chip);
    const base::Duration busy = engine.time[static_cast<std::size_t>(base::StallReason::kBusy)];
    counter.add(chip, EnergyEvent::kBusyCycle, busy.seconds() * hz);
    counter.add(chip, EnergyEvent::kUngatedCycle, (run.elapsed - busy).seconds() * hz);
  }
}

void count_memory(const model::MachineParams& machine, const base::RunMeasurement& run, Counter& counter) {
  const double page = counted(machine.chip.hbm.dram.page.count);
  for (const base::HbmMeasurement& stack : run.hbm) {
    const std::uint64_t chip = counter.chip_of(stack.path, 0);
    const double bytes = counted(stack.read_bytes + stack.write_bytes);
    counter.add(chip, EnergyEvent::kHbmBit, bytes * kBitsPerByte);
    counter.add(chip, EnergyEvent::kStackSecond, run.elapsed.seconds());
    if (stack.channels.empty()) counter.add(chip, EnergyEvent::kActivate, bytes / page);
    for (const base::ChannelMeasurement& channel : stack.channels) {
      counter.add(chip, EnergyEvent::kActivate, counted(channel.activates));
      counter.add(chip, EnergyEvent::kRefresh, counted(channel.refreshes));
    }
  }
}

void count_wires(const base::RunMeasurement& run, Counter& counter) {
  for (const base::CrossingMeasurement& crossing : run.crossings)
    counter.add(counter.chip_of(crossing.path, 0), EnergyEvent::kCrossBit,
                counted(crossing.bytes) * kBitsPerByte);
  for (const base::LinkMeasurement& link : run.links) {
    const std::uint64_t chip = counter.chip_of(link.path, link.to_chip);
    counter.add(chip, EnergyEvent::kLinkBit, counted(link.wire_bytes) * kBitsPerByte);
    if (!link.peak.ideal)
      counter.add(chip, EnergyEvent::kLinkCapacityBit,
                  counted(link.peak.bytes_per_second) * kBitsPerByte * run.elapsed.seconds());
  }
}

}  // namespace

double clock_hz(const model::CoreParams& core, std::size_t engine) {
  const std::array<base::Frequency, kClockedEngines> clocks{core.tensor.clock, core.vector.clock,
                                                            core.scalar.clock, core.gpsimd.clock};
  return counted(clocks.at(engine).hz);
}

std::vector<EventCounts> chip_events(const model::MachineParams& machine, const base::RunMeasurement& run,
                                     const RecordedWork& work) {
  Counter counter(machine);
  count_work(work, machine.chip.cores, counter);
  count_clocks(machine, run, counter);
  count_memory(machine, run, counter);
  count_wires(run, counter);
  for (std::uint64_t chip = 0; chip < machine.chips(); ++chip) {
    counter.add(chip, EnergyEvent::kChipSecond, run.elapsed.seconds());
    counter.add(chip, EnergyEvent::kCoreSecond, counted(machine.chip.cores) * run.elapsed.seconds());
  }
  return counter.counts();
}

}  // namespace tahoma::runtime
