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
// Not followed: waits for the other core at a barrier, which stay with the barrier; and what lies before the last
// instructions of a very long run (kMostPathInstructions), so that the memory of a run does not grow with its length. The
// time before them is given to no instruction.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
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

// At most this many instructions are kept, and at least the last half of them. Each takes some 110 bytes of the host's memory.
constexpr std::size_t kMostPathInstructions = std::size_t{1} << 21;

// Records the instructions and transfers of a run; use one per run.
class CriticalPath final : public base::Observer {
 public:
  explicit CriticalPath(std::size_t cores, std::size_t most = kMostPathInstructions);

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;
  // The instruction that raised the semaphore for which another one waited, or that started the transfer that did.
  std::optional<InstructionPlace> raiser(std::uint64_t cause) const;

  std::uint64_t forgotten() const { return first_; }  // instructions before those that the path covers

  // Calls visit(step) for each part of the path, the last one first.
  void follow(base::Time end, const std::function<void(const PathStep&)>& visit) const;

 private:
  using Number = std::uint64_t;  // of an instruction, in the order of the records
  static constexpr Number kNone = std::numeric_limits<Number>::max();
  struct Node {                          // an instruction that was executed
    base::Time begin{0};                 // the engine was done with the one before,
    base::Time free{0};                  // and is done with this one
    base::Time released = base::kNever;  // the semaphore had the value that it waited for
    base::Time end{0};                   // its result and its transfer are complete
    std::uint64_t released_by = 0;
    InstructionPlace at;
    Number previous = kNone;       // on its engine
    base::Time rung{0}, start{0};  // of its transfer
    Number behind = kNone;         // whose transfer of its ring was not complete when this one was rung
  };
  struct Step {
    base::Time from{0};
    Number node = kNone;  // the path goes on here
  };
  Node& node(Number number) { return nodes_[number - first_]; }
  const Node& node(Number number) const { return nodes_[number - first_]; }
  bool has(Number number) const { return number != kNone && number >= first_; }
  void forget_the_older_half();
  Number number_of(std::uint64_t cause) const;  // kNone: unknown or forgotten
  Number last() const;
  Step before(Number number, base::Time until) const;
  base::Time left_the_queue(const Node& node) const;

  std::size_t most_;
  std::deque<Node> nodes_;  // grows without copies, which would need twice the memory
  Number first_ = 0;        // number of the first node
  struct Latest {           // of a core's queue
    Number node = kNone;
    base::Time free{0};
    base::Duration waited;  // for semaphores, so far
  };
  std::vector<Latest> latest_;  // by core and queue
  struct Ring {
    Number node = kNone;  // of the latest transfer that is complete,
    base::Time end{0};    // and its end
  };
  std::unordered_map<std::uint64_t, Ring> rings_;  // by core and ring
  struct Caused {
    std::uint64_t cause = 0;
    Number node = kNone;
  };
  std::vector<std::deque<Caused>> caused_;  // by the queue that a cause names, in the order of its causes
  base::Duration shortest_start_ = base::kNever;  // from a doorbell to the first data, of any transfer
};

}  // namespace tahoma::runtime
