// SPDX-License-Identifier: Apache-2.0
// The critical path of a run: the chain of dependent instructions that explains its simulated time. The path is followed
// from the end of the run to its beginning. At an instruction that waited for a semaphore it goes on with the instruction,
// or the doorbell of the transfer, that raised the semaphore; otherwise with the instruction before it on its engine. A
// transfer that stood behind another one of its ring goes on with that one.
//
// The time between two points of the path belongs to the later instruction: its own execution, the latency of the
// semaphore that it raises, and its transfer. All parts add up to the simulated time; what no instruction explains, such
// as the time after the last one, is given to no instruction.
//
// Not followed: waits for the other core at a barrier, which stay with the barrier.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/base/activity.h"
#include "runtime/report/path/instruction_place.h"

namespace tahoma::runtime {

// A part of the path. `to` is the `from` of the part that follows in time.
struct PathStep {
  std::optional<InstructionPlace> at;  // empty for time that no instruction explains
  base::Time from{0}, to{0};
  base::Duration time() const { return to - from; }
};

// Records the instructions and transfers of a run; use one per run.
class CriticalPath final : public base::Observer {
 public:
  explicit CriticalPath(std::size_t cores);

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;
  // The instruction that raised the semaphore for which another one waited, or that started the transfer that did.
  std::optional<InstructionPlace> raiser(std::uint64_t cause) const;

  // Calls visit(step) for each part of the path, the last one first.
  void follow(base::Time end, const std::function<void(const PathStep&)>& visit) const;

 private:
  static constexpr std::uint32_t kNone = ~0U;
  struct Node {                          // an instruction that was executed
    base::Time begin{0};                 // the engine was done with the one before,
    base::Time free{0};                  // and is done with this one
    base::Time released = base::kNever;  // the semaphore had the value that it waited for
    base::Time end{0};                   // its result and its transfer are complete
    std::uint64_t released_by = 0;
    InstructionPlace at;
    std::uint32_t previous = kNone;  // on its engine
    std::uint32_t transfer = kNone;
  };
  struct Transfer {
    base::Time rung{0}, start{0};
    std::uint32_t before = kNone;  // node of the transfer of its ring that was not complete when it was rung
  };
  struct Step {
    base::Time from{0};
    std::uint32_t node = kNone;  // the path goes on here
  };
  std::uint32_t last() const;
  Step before(std::uint32_t number, base::Time until) const;
  base::Time left_the_queue(const Transfer& transfer) const;

  std::deque<Node> nodes_;  // grows without copies, which would need twice the memory
  std::vector<Transfer> transfers_;
  struct Latest {  // of a core's queue
    std::uint32_t node = kNone;
    base::Duration waited;  // for semaphores, so far
  };
  std::vector<Latest> latest_;  // by core and queue
  struct Ring {
    std::uint32_t node = kNone;  // of the latest transfer that is complete,
    base::Time end{0};           // and its end
  };
  std::unordered_map<std::uint64_t, Ring> rings_;  // by core and ring
  std::unordered_map<std::uint64_t, std::uint32_t> nodes_by_cause_;
  base::Duration shortest_start_ = base::kNever;  // from a doorbell to the first data, of any transfer
};

}  // namespace tahoma::runtime
