// SPDX-License-Identifier: Apache-2.0
// The utilisation of each engine, window by window, for engines.csv and the lines of the page. Busy is the
// issue of instructions, as in base::StallReason::kBusy. Not included: stall reasons per window; the
// statistics have those of the whole run.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "model/base/busy_series.h"

namespace tahoma::runtime {

base::EngineKind engine_of_queue(std::uint8_t queue);

// Collects the series while the machine runs; one object per run.
class EngineRecorder final : public base::Observer {
 public:
  explicit EngineRecorder(std::uint64_t cores) : series_(cores * isa::kQueueCount) {}

  void instruction(const base::InstructionActivity& a) override {
    series_[a.core * isa::kQueueCount + a.queue].add(a.start, a.start + a.busy);
  }
  void transfer(const base::TransferActivity&) override {}

  struct Engine {
    std::uint32_t core = 0;
    std::uint8_t queue = 0;  // isa::Queue
    base::Series series;
  };
  // The engines that were ever busy, cores in order, engines in the order of their queues.
  std::vector<Engine> engines() const;

 private:
  std::vector<base::BusySeries> series_;
};

}  // namespace tahoma::runtime
