// SPDX-License-Identifier: Apache-2.0
// Collectives among kernels that compute as well: on tensors that are there, between what the kernels do to
// them before and after. It starts on a queue as soon as this rank's input is written, and whoever reads its
// output waits for it; nothing else waits, so computing goes on beside a collective where no data forbid it.
// Nobody waits to write an input or output again: that may happen behind the next collective of the same
// ranks, of which the one below holds.
//
// One collective follows another without a barrier. A queue has two sets of semaphores, which its
// collectives use in turn. Who begins one has ended the one before, which it could not without every other
// rank having begun that: so all of them are behind the one that used the same set last. This holds for
// operations in which every rank gets something of every other: all_reduce, all_gather, reduce_scatter and
// an all_to_all. So no chunk may be empty: who has nothing for another rank sends kLeast elements, an access
// of HBM, which is enough for each of the two queues to carry some of it. Kernels must add the collectives of
// all communicators in one order on all of their ranks.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <vector>

#include "runtime/collective/lowering/core_program.h"
#include "runtime/collective/lowering/planned_collective.h"

namespace tahoma::runtime::collective {

// Where a rank's chunks are, one behind the other, chunk_pitch() apart: as its program sees them all, and
// where they begin. Chunks with counts of their own may lie anywhere in the window, whose rows are
// whole: `starts`, in elements from its first one.
struct End {
  HbmView window;
  std::uint64_t address = 0;
  std::uint64_t places = 1;
  bool descending = false;  // the last chunk comes first
  std::vector<std::uint64_t> starts{};
};
struct Ends {  // by rank
  std::vector<End> input, output;
};

class Communicator {
 public:
  // Memory for staging in a rank's stack: the address of so many elements.
  using Staging = std::function<std::uint64_t(std::uint32_t rank, isa::DType dtype, std::uint64_t elements)>;
  // Of ranks of one core each; their programs, by rank.
  Communicator(const model::MachineParams& machine, Group group, std::vector<CoreProgram*> programs,
               Staging staging);

  const Group& group() const { return group_; }
  std::uint32_t ranks() const { return group_.ranks(); }

  // How a sum (or a gathering) of `elements` in all would be cut: how many chunks there are, and how far
  // apart. `algorithm`: best, auto, or a name. Throws what choose() throws.
  PlannedCollective plan(Operation operation, isa::DType dtype, std::uint64_t elements,
                         Algorithm algorithm) const;
  // Of chunks with so many elements each, at least kLeast.
  static constexpr std::uint64_t kLeast = 32;
  PlannedCollective plan(Operation operation, isa::DType dtype, std::vector<std::uint64_t> counts,
                         Algorithm algorithm) const;
  // Behind what the programs have so far. Throws what the lowering throws.
  void add(PlannedCollective& planned, const Ends& ends);

 private:
  // Of one queue: what the ranks' cores have for its collectives, in turn.
  struct Sets {
    std::array<std::vector<CoreKernel>, 2> by_turn;
    std::size_t uses = 0;
  };
  PlannedCollective cut(Spec spec, Algorithm algorithm) const;
  std::vector<CoreKernel>& next_set(isa::Queue queue);
  struct Strips {  // by rank
    std::vector<Strip> input, output;
  };
  Strip strip_of(std::uint32_t rank, const End& end, std::uint64_t pitch) const;
  void run_channel(PlannedCollective& planned, std::uint32_t number, isa::Queue queue, const Ends& ends,
                   const Strips& strips);

  const model::MachineParams& machine_;
  Group group_;
  std::vector<CoreProgram*> programs_;
  Staging staging_;
  std::map<isa::Queue, Sets> sets_;
};

// Elements between chunks of equal size that lie one behind the other.
std::uint64_t chunk_pitch(const PlannedCollective& planned);

}  // namespace tahoma::runtime::collective
