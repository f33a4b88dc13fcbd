// SPDX-License-Identifier: Apache-2.0
// Collectives inside kernels that also compute. A collective works on existing tensors and is ordered with
// the kernel's accesses before and after it. It starts on a queue as soon as this rank's input is written,
// and readers of its output wait for it. Nothing else waits, so computation overlaps a collective where the
// data permit it. Writes to an input or output need no wait: they may follow the next collective of the same
// ranks, for the reason below.
//
// Collectives follow each other without a barrier. A queue has two sets of semaphores, which its collectives
// use in turn. A rank that begins a collective has ended the previous one, which required every other rank to
// begin that one. So all ranks have ended the collective that last used the same set. This holds for
// operations in which every rank receives something from every other: all_reduce, all_gather, reduce_scatter
// and all_to_all. Therefore no chunk may be empty: a rank without data for another one sends kLeast elements,
// one access of HBM, which is enough for each of the two queues to carry a part. Kernels must add the
// collectives of all communicators in the same order on all of their ranks.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <tuple>
#include <vector>

#include "runtime/collective/lowering/core_program.h"
#include "runtime/collective/lowering/planned_collective.h"

namespace tahoma::runtime::collective {

// The position of a rank's chunks, one after the other, chunk_pitch() apart: the view of its program and the
// offset of the first chunk. Chunks with individual counts may be anywhere in the window, whose rows are
// whole: `starts`, in elements from the first one.
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
  // Memory for staging in a rank's stack: returns the address of that many elements.
  using Staging = std::function<std::uint64_t(std::uint32_t rank, isa::DType dtype, std::uint64_t elements)>;
  // Each rank has one core; `programs` are by rank.
  Communicator(const model::MachineParams& machine, Group group, std::vector<CoreProgram*> programs,
               Staging staging);

  const Group& group() const { return group_; }
  std::uint32_t ranks() const { return group_.ranks(); }

  // How a sum (or a gathering) of `elements` in total is cut: the number of chunks and their distance.
  // `algorithm`: best, auto, or a name. Throws the errors of choose().
  PlannedCollective plan(Operation operation, isa::DType dtype, std::uint64_t elements, Algorithm algorithm);
  // `counts`: elements of each chunk, at least kLeast.
  static constexpr std::uint64_t kLeast = 32;
  PlannedCollective plan(Operation operation, isa::DType dtype, std::vector<std::uint64_t> counts,
                         Algorithm algorithm);
  // Appends to the programs. Throws the errors of the lowering.
  void add(PlannedCollective& planned, const Ends& ends);

 private:
  // The resources of one queue on the ranks' cores for its collectives, used in turn.
  struct Sets {
    std::array<std::vector<CoreKernel>, 2> by_turn;
    std::size_t uses = 0;
  };
  PlannedCollective cut(Spec spec, Algorithm algorithm);
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
  // Caches chosen algorithms by request, because an estimate takes host time.
  using Question = std::tuple<Algorithm, Operation, std::uint64_t>;  // bytes
  std::map<Question, const AlgorithmRow*> chosen_;
};

// Distance in elements between adjacent chunks of equal size.
std::uint64_t chunk_pitch(const PlannedCollective& planned);

}  // namespace tahoma::runtime::collective
