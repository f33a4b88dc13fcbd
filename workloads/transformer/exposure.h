// SPDX-License-Identifier: Apache-2.0
// Time that a core spends on exposed collectives: a collective of the core is in progress and its tensor,
// vector, scalar and GpSimd engines are all idle.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "isa/core/instruction.h"
#include "model/base/activity.h"

namespace tahoma::workloads {

class Exposure final : public base::Observer {
 public:
  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity&) override {}

  void collective(std::uint32_t core, base::Time start, base::Time end);  // after the run

  // Mean over the cores that computed anything.
  base::Duration exposed() const;

 private:
  using Interval = std::pair<base::Time, base::Time>;
  using Intervals = std::vector<Interval>;
  struct Core {
    std::array<Intervals, isa::kQueueCount> busy;  // by queue, adjacent intervals joined
    Intervals collectives;
  };
  static base::Duration exposed(const Core& core);
  std::map<std::uint32_t, Core> cores_;
};

}  // namespace tahoma::workloads
