// SPDX-License-Identifier: Apache-2.0
// Events that an observer received from one program on core 0: instructions by queue, packets, changes of
// semaphores.
#pragma once

#include <algorithm>
#include <map>
#include <vector>

#include "model/base/activity.h"
#include "model/sim/meter.h"
#include "tests/support/bench/machine_fixture.h"
#include "tests/support/program/text_program.h"

namespace tahoma::tests {

struct ActivityLog : base::Observer, base::ProbeObserver {
  std::map<isa::Queue, std::vector<base::InstructionActivity>> queues;  // in the order of execution
  std::map<std::uint8_t, std::vector<base::PacketActivity>> engines;
  std::map<std::uint8_t, std::vector<base::Time>> changes;  // by semaphore

  void instruction(const base::InstructionActivity& a) override {
    if (a.core == 0) queues[static_cast<isa::Queue>(a.queue)].push_back(a);
  }
  void transfer(const base::TransferActivity&) override {}
  void packet(const base::PacketActivity& a) override {
    if (a.core == 0) engines[a.engine].push_back(a);
  }
  void semaphore(const base::SemaphoreActivity& a) override {
    if (a.core == 0) changes[a.semaphore].push_back(a.visible);
  }

  void watch(model::System& system) {
    system.observe(static_cast<base::Observer*>(this));
    system.observe(static_cast<base::ProbeObserver*>(this));
  }
  void watch(sim::Meter& meter) {
    meter.observer = this;
    meter.probes = this;
  }

  const base::InstructionActivity& at(isa::Queue queue, std::size_t n) const {
    return queues.at(queue).at(n);
  }
  // Returns when the n-th change of a semaphore, in order of time, becomes visible.
  base::Time change(std::uint8_t semaphore, std::size_t n) const {
    std::vector<base::Time> times = changes.at(semaphore);
    std::sort(times.begin(), times.end());
    return times.at(n);
  }
};

// Runs the program on core 0, and on core 1 if core 0 is half of a logical core.
inline ActivityLog activity_of(const std::string& text, const model::MachineParams& machine,
                               bool run_ahead = true) {
  const auto program = text_program(text);
  model::System system(machine, model::Mode::kTiming, run_ahead);
  ActivityLog log;
  log.watch(system);
  for (std::uint32_t core = 0; core < machine.chip.lnc; ++core)
    system.load(core, program, tensor_arguments());
  system.run();
  return log;
}

}  // namespace tahoma::tests
