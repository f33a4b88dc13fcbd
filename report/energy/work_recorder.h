// SPDX-License-Identifier: Apache-2.0
// Counts the energy events of instructions and transfers while the machine runs, by core and by region. Work
// belongs to the region of its instruction, and a transfer to that of its doorbell.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "report/energy/work_counts.h"
#include "report/regions/region_numbers.h"

namespace tahoma::runtime {

struct RegionWork {
  std::string name;
  WorkCounts work;
};

struct RecordedWork {
  std::vector<WorkCounts> cores;    // by global core number
  std::vector<RegionWork> regions;  // that have any, by name
};

// One object per run.
class WorkRecorder final : public base::Observer {
 public:
  WorkRecorder(std::uint64_t cores, std::uint64_t cores_per_chip);
  void program(std::uint32_t core, std::shared_ptr<const isa::Program> program);

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;

  RecordedWork finish() const;

 private:
  // The work of the instructions of a program that ran so far.
  using KnownWork = std::array<std::vector<const InstructionWork*>, isa::kQueueCount>;
  const InstructionWork& known_work(std::uint32_t core, std::uint8_t queue, std::uint32_t index);
  void book(std::uint32_t core, std::uint32_t region, const WorkCounts& work);
  bool elsewhere(std::uint64_t address, std::uint32_t core) const;  // on another chip

  std::uint64_t cores_per_chip_;
  RegionNumbers numbers_;
  RegionCursor instructions_, transfers_;
  std::map<const isa::Program*, KnownWork> known_;
  std::vector<KnownWork*> known_by_core_;
  std::set<InstructionWork> works_;  // the few that differ
  std::vector<isa::DType> weights_;  // loaded last, by core
  std::vector<WorkCounts> cores_, regions_;
};

}  // namespace tahoma::runtime
