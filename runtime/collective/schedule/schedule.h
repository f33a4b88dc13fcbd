// SPDX-License-Identifier: Apache-2.0
// A collective algorithm as a value: which rank sends which chunks to which rank, in rounds. It does not
// depend on machines, sizes or time. runtime/collective/lowering/lowering.h lowers any schedule to programs,
// and a symbolic test proves that each schedule implements its operation
// (tests/support/reference/symbolic.h).
//
// Semantics: for each chunk a rank holds a list of contributions: initially its own if the operation lets it
// begin with the chunk, otherwise none. All transfers of a round see what was held when the round began, and
// take effect in the order of the list:
//   combine   the sender's contributions, folded into one, are appended to the receiver's list
//   lend      as combine, of the sender's own input alone: the receiver reads it where it is when it folds.
//             The sender keeps its input (Inputs::kStay)
//   copy      the receiver holds what the sender holds, and nothing else
//   settle    (from == to) the rank folds its list into one and keeps it in its output
// A list is folded in its order: own first, then in the order of arrival. Sums of 16-bit and 8-bit types are
// computed in fp32 over a whole list and rounded once, when they leave for the next rank or the output.
//
// Rules that the lowering relies on: a rank receives a chunk at most once in a round; a settled chunk never
// changes again; a chunk that a rank must end with is either settled there or arrives as a copy; all chunks
// of one transfer have reached the sender in the same kind of transfer.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "runtime/collective/schedule/chunk_set.h"
#include "runtime/collective/schedule/operation.h"

namespace tahoma::runtime::collective {

enum class TransferKind : std::uint8_t { kCopy, kCombine, kLend, kSettle };

// The receiver appends what the transfer brings to its list.
inline bool combines(TransferKind kind) {
  return kind == TransferKind::kCombine || kind == TransferKind::kLend;
}

struct Transfer {
  std::uint32_t round = 0, from = 0, to = 0;
  ChunkSet chunks;
  TransferKind kind = TransferKind::kCopy;
};

struct Schedule {
  Problem problem;
  std::uint32_t chunks = 1;  // of the vector
  std::uint32_t rounds = 0;
  std::vector<Transfer> transfers;  // by round
  std::string what;                 // "ring over cycle 2 of 3, downwards"
};

// The same schedule with a separate transfer for every chunk: chunks of different sizes cannot share one.
inline Schedule one_by_one(const Schedule& schedule) {
  Schedule result = schedule;
  result.transfers.clear();
  for (const Transfer& t : schedule.transfers)
    t.chunks.for_each([&](std::uint32_t chunk) {
      result.transfers.push_back({t.round, t.from, t.to, ChunkSet::one(chunk), t.kind});
    });
  return result;
}

// Builds a schedule round by round.
class ScheduleBuilder {
 public:
  ScheduleBuilder(Problem problem, std::uint32_t chunks, std::string what) {
    schedule_.problem = std::move(problem);
    schedule_.chunks = chunks;
    schedule_.what = std::move(what);
  }
  const Problem& problem() const { return schedule_.problem; }
  std::uint32_t chunks() const { return schedule_.chunks; }
  void copy(std::uint32_t from, std::uint32_t to, const ChunkSet& set) {
    add(from, to, set, TransferKind::kCopy);
  }
  void combine(std::uint32_t from, std::uint32_t to, const ChunkSet& set) {
    add(from, to, set, TransferKind::kCombine);
  }
  void lend(std::uint32_t from, std::uint32_t to, const ChunkSet& set) {
    add(from, to, set, TransferKind::kLend);
  }
  void settle(std::uint32_t rank, const ChunkSet& set) { add(rank, rank, set, TransferKind::kSettle); }
  void rename(std::string what) { schedule_.what = std::move(what); }
  void next_round() { ++schedule_.rounds; }
  Schedule finish() {
    if (!schedule_.transfers.empty() && schedule_.transfers.back().round == schedule_.rounds) next_round();
    return std::move(schedule_);
  }

 private:
  void add(std::uint32_t from, std::uint32_t to, const ChunkSet& set, TransferKind kind) {
    schedule_.transfers.push_back({schedule_.rounds, from, to, set, kind});
  }
  Schedule schedule_;
};

}  // namespace tahoma::runtime::collective
