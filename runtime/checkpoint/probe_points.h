// SPDX-License-Identifier: Apache-2.0
// When the points of dump requests are reached in a run (runtime/checkpoint/dump_request.h).
//
// UserError: E-CKP-004, a point that a core's program does not have; E-CKP-005, one that the run did not come
// to.
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
#include "runtime/checkpoint/dump_request.h"

namespace tahoma::runtime {

class Points {
 public:
  using Programs = std::map<std::uint32_t, std::shared_ptr<const isa::Program>>;
  explicit Points(const Programs& programs) : programs_(programs) {}

  // Numbers a region or instruction of a core. `request` is named in errors.
  std::size_t add(std::uint32_t core, const DumpPoint& point, const std::string& request);
  bool empty() const { return named_.empty(); }

  // The points that are reached with this record; valid until the next call.
  const std::vector<std::size_t>& reached_by(const base::InstructionActivity& a);
  const std::vector<std::size_t>& reached_by(const base::ResultActivity& a);
  void refuse_unreached() const;

 private:
  struct Stretch {  // of one queue in a region: its first and last instruction
    std::uint32_t first = 0, last = 0;
  };
  struct Wanted {
    std::uint32_t occurrence = 1;
    std::size_t point = 0;
  };
  // A region on one core.
  struct Visits {
    std::array<std::vector<Stretch>, isa::kQueueCount> stretches;
    std::array<bool, isa::kQueueCount> branches{};            // may come to a stretch again
    std::array<std::uint32_t, isa::kQueueCount> left{};       // how often each queue has left it
    std::map<std::uint32_t, std::uint64_t> in_flight;         // transfers rung and not begun, by occurrence
    std::map<std::uint64_t, std::deque<std::uint32_t>> rung;  // by queue and index: their occurrences
    std::vector<Wanted> wanted;
    bool over(std::uint32_t occurrence) const;
  };
  struct Executions {  // of one instruction
    bool transfer = false;
    std::uint32_t count = 0;
    std::vector<Wanted> wanted;
  };
  struct Named {
    std::string request, what;
    bool reached = false;
  };
  using Place = std::tuple<std::uint32_t, std::uint8_t, std::uint32_t>;  // core, queue, index

  Visits& visits_of(std::uint32_t core, const std::string& region, const std::string& request);
  Executions& executions_of(std::uint32_t core, const DumpPoint& point, const std::string& request);
  void execute(const Place& place, bool transfer);
  void reach(std::size_t point);
  void check(Visits& visits);

  const Programs& programs_;
  std::map<std::uint32_t, std::map<std::string, Visits>> regions_;  // by core
  std::map<Place, Executions> instructions_;
  std::vector<Named> named_;
  std::vector<std::size_t> reached_;
};

}  // namespace tahoma::runtime
