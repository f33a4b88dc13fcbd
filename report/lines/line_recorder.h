// SPDX-License-Identifier: Apache-2.0
// The time of a run by source line (isa::Program::lines). A line with several call chains has one entry for
// each of them; the cores of a run share the entries. The rules for engine time are those of regions
// (report/regions/region_times.h): a wait belongs to the instruction that waits, so the times of all lines
// and the idle time add up to the elapsed time of each engine that executed anything.
//
// `waited_for` is the other view of a wait: the time that instructions waited for a semaphore, given to the
// line of the instruction or transfer that raised it last. `critical` is the time of the line on the critical
// path of the run (path/critical_path.h); it adds up to the simulated time, with a line 0 for the time that
// no instruction explains.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "model/system/machine/machine_params.h"
#include "report/path/critical_path.h"
#include "report/regions/region_times.h"

namespace tahoma::runtime {

struct LineCounts {
  std::uint64_t instructions = 0;  // executed
  std::uint64_t transfers = 0, bytes = 0;
  base::Duration dma;         // of its transfers, summed over DMA engines
  base::Duration waited_for;  // by instructions of all engines
  base::Duration critical;    // on the critical path
  LineCounts& operator+=(const LineCounts& other);
};

struct LineTime {
  std::string file, function;
  std::uint64_t line = 0;  // 0: instructions without a line
  std::string callers;     // "kernel.py:30 kernel < main.py:5 main"; "" for a line of the kernel itself
  KindTimes engines{};     // without idle time
  LineCounts counts;

  base::Duration total() const;                       // engine time
  base::Duration of(base::StallReason reason) const;  // over all engines
  base::Duration busy() const { return of(base::StallReason::kBusy); }
  void add(const LineTime& other);  // its times and counts
};

struct LineTimes {
  LineTime whole;               // all together
  std::vector<LineTime> lines;  // by file, line and callers; those that took part
};

// Collects lines while the machine runs; use one per run.
class LineRecorder final : public base::Observer {
 public:
  // `path` observes the same run, and outlives the recorder.
  LineRecorder(const model::MachineParams& machine, const CriticalPath& path);
  void program(std::uint32_t core, std::shared_ptr<const isa::Program> program);
  bool any() const { return !programs_.empty(); }

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;

  LineTimes summarise(const base::RunMeasurement& run);  // to be called once, after the run

 private:
  struct Known {  // a program that several cores may run
    std::shared_ptr<const isa::Program> program;
    std::vector<std::uint32_t> numbers;  // of entries_, by the program's number of a line
  };
  struct Entry {
    isa::SourceLine place;  // with the caller's number in entries_
    LineCounts counts;
  };

  std::uint32_t number_of(const isa::SourceLine& place);
  std::uint32_t number_at(const InstructionPlace& at) const;
  std::string callers_of(const Entry& entry) const;

  std::vector<const Known*> by_core_;  // null: without lines
  std::map<const isa::Program*, Known> programs_;
  std::map<std::tuple<std::uint32_t, std::string, std::uint32_t, std::string>, std::uint32_t> numbers_;
  std::vector<Entry> entries_;
  const CriticalPath& path_;
  std::vector<base::Duration> waited_;  // so far, by core and queue
  RegionTimes times_;
};

}  // namespace tahoma::runtime
