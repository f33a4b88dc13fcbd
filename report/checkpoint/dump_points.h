// SPDX-License-Identifier: Apache-2.0
// Finds when a run reaches the points of dump requests (report/checkpoint/dump_request.h).
//
// UserError: E-CKP-004, a point that a core's program does not have; E-CKP-005, a point that
// the run did not reach.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "isa/core/program.h"
#include "model/base/activity.h"
#include "report/checkpoint/dump_request.h"

namespace tahoma::runtime {

class DumpPoints {
 public:
  using Programs = std::map<std::uint32_t, std::shared_ptr<const isa::Program>>;
  explicit DumpPoints(const Programs& programs) : programs_(programs) {}

  // Registers a region or an instruction of a core and returns its number. `request` is quoted in errors.
  std::size_t add(std::uint32_t core, const DumpPoint& point, const std::string& request);
  bool empty() const { return named_.empty(); }

  // The points that are reached with this record; valid until the next call.
  const std::vector<std::size_t>& reached_by(const base::InstructionActivity& a);
  const std::vector<std::size_t>& reached_by(const base::ResultActivity& a);
  void refuse_unreached() const;

 private:
  struct Stretch {  // a range of one queue in a region: its first and last instruction
    std::uint32_t first = 0, last = 0;
  };
  struct Wanted {
    std::uint32_t occurrence = 1;
    std::size_t point = 0;
  };
  // The visits of a region on one core.
  struct Visits {
    std::array<std::vector<Stretch>, isa::kQueueCount> stretches;
    std::array<bool, isa::kQueueCount> branches{};       // may return to a range
    std::array<std::uint32_t, isa::kQueueCount> left{};  // how often each queue has left the region
    // Transfers started but without a first packet, by occurrence
    std::map<std::uint32_t, std::uint64_t> in_flight;
    std::map<std::uint64_t, std::deque<std::uint32_t>> rung;  // by queue and index: their occurrences
    std::vector<Wanted> wanted;
    bool over(std::uint32_t occurrence) const;
  };
  struct Executions {  // the executions of one instruction
    bool transfer = false;
    std::uint32_t count = 0;
    std::vector<Wanted> wanted;
  };
  struct Named {
    std::string request, what;
    bool reached = false;
  };
  using Position = std::tuple<std::uint32_t, std::uint8_t, std::uint32_t>;  // core, queue, index

  Visits& visits_of(std::uint32_t core, const std::string& region, const std::string& request);
  Executions& executions_of(std::uint32_t core, const DumpPoint& point, const std::string& request);
  void execute(const Position& position, bool transfer);
  void reach(std::size_t point);
  void check(Visits& visits);

  const Programs& programs_;
  std::map<std::uint32_t, std::map<std::string, Visits>> regions_;  // by core
  std::map<Position, Executions> instructions_;
  std::vector<Named> named_;
  std::vector<std::size_t> reached_;
};

}  // namespace tahoma::runtime
