// SPDX-License-Identifier: Apache-2.0
// The critical path of a run: the chain of dependent instructions that explains its simulated time. The path
// is followed from the end of the run to its beginning. At an instruction that waited for a semaphore it goes
// on with the instruction, or the doorbell of the transfer, that raised the semaphore; otherwise with the
// instruction before it on its engine. A transfer that was queued behind another one of its ring goes on with
// that one.
//
// The time between two points of the path belongs to the later instruction: its own execution, the latency of
// the semaphore that it raises, and its transfer. All parts add up to the simulated time; what no instruction
// explains, such as the time after the last one, is given to no instruction.
//
// The time of a step is divided by cause (PathPart). While the data of a transfer move, the parts are in the
// proportion of the engines' sums: passing data, waiting for a memory, waiting for the fabric.
//
// Not followed: waits for the other core at a barrier, which stay with the barrier; and what lies before the
// last instructions of a very long run (kMostPathInstructions), so that the memory of a run does not grow
// with its length. The time before them is given to no instruction.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <unordered_map>
#include <vector>

#include "model/base/activity.h"
#include "report/path/instruction_place.h"

namespace tahoma::runtime {

// The time of a step is attributed to these.
enum class PathPart : std::uint8_t {
  kUnexplained,  // no instruction, or a wait for a semaphore whose cause is not known
  kHandover,     // a sequencer, or the latency of a semaphore that an engine raises
  kRendezvous,   // the other core of a logical core
  kPort,         // another engine at a port of SBUF
  kExecution,    // the engine
  kDescriptors,  // from the doorbell until a transfer has its descriptors
  kMove,         // start-up of a transfer, DMA engines that pass data, their writes and semaphores
  kMemory,       // reads or writes of HBM
  kLink,         // NeuronLink and what is beyond it
};
inline constexpr std::size_t kPathParts = 9;
using PathParts = std::array<base::Duration, kPathParts>;

// A step of the path. `to` is the `from` of the step that follows in time.
struct PathStep {
  std::optional<InstructionPlace> at;  // empty for time that no instruction explains
  base::Time from{0}, to{0};
  PathParts parts{};  // add up to the time
  base::Duration time() const { return to - from; }
};

// At most this many instructions are kept, and at least the last half of them. Each takes some 110 bytes of
// the host's memory, and as many again if it starts a transfer.
constexpr std::size_t kMostPathInstructions = std::size_t{1} << 21;

// Records the instructions and transfers of a run; use one per run.
class CriticalPath final : public base::Observer {
 public:
  // `start_up` is the time from the descriptors of a transfer to its first packet.
  CriticalPath(std::size_t cores, base::Duration start_up, std::size_t most = kMostPathInstructions);

  void instruction(const base::InstructionActivity& activity) override;
  void transfer(const base::TransferActivity& activity) override;
  // The instruction that raised the semaphore for which another one waited, or that started the transfer that
  // did.
  std::optional<InstructionPlace> raiser(std::uint64_t cause) const;

  std::uint64_t forgotten() const { return first_; }  // instructions before those that the path covers

  // Calls visit(step) for each part of the path, the last one first.
  void follow(base::Time end, const std::function<void(const PathStep&)>& visit) const;

 private:
  using Number = std::uint64_t;  // of an instruction or a transfer, in the order of the records
  static constexpr Number kNone = std::numeric_limits<Number>::max();
  struct Node {              // an instruction that was executed
    base::Time begin{0};     // the engine was done with the one before,
    base::Time free{0};      // and is done with this one
    base::Time released{0};  // the semaphore had the value that it waited for; `begin` if it did not wait
    base::Time end{0};       // its result and its transfer are complete
    std::uint64_t released_by = 0;
    InstructionPlace at;
    base::Duration handover, rendezvous, port;  // of the time from `released` to `free`
    Number previous = kNone;                    // on its engine
    Number transfer = kNone;
  };
  struct Transfer {
    Number node = kNone;                         // its doorbell
    base::Time rung, issued, start, moved, end;  // `moved`: read
    base::Duration busy, blocked, starved, held;
    bool reads_far = false, writes_far = false;
    Number behind = kNone;  // whose transfer of its ring was not complete when this one was rung
  };
  struct Step {
    base::Time from{0};
    Number node = kNone;  // the path goes on here
  };
  class Layout;
  Node& node(Number number) { return nodes_[number - first_]; }
  const Node& node(Number number) const { return nodes_[number - first_]; }
  bool has(Number number) const { return number != kNone && number >= first_; }
  void forget_the_older_half();
  Number number_of(std::uint64_t cause) const;  // kNone: unknown or forgotten
  Number last() const;
  const Transfer* transfer_of(const Node& node) const {
    return node.transfer == kNone ? nullptr : &transfers_[node.transfer - first_transfer_];
  }
  Step before(Number number, base::Time until) const;
  PathParts parts_of(const Node& node, base::Time from, base::Time until) const;
  base::Time left_the_queue(const Transfer& transfer) const;

  base::Duration start_up_;
  std::size_t most_;
  std::deque<Node> nodes_;  // grows without copies, which would need twice the memory
  Number first_ = 0;        // number of the first node
  std::deque<Transfer> transfers_;
  Number first_transfer_ = 0;
  struct Latest {  // of a core's queue
    Number node = kNone;
    base::Time free{0};
    base::Duration waited;  // for semaphores, so far
    base::Duration handover, rendezvous, port;
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
