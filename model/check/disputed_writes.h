// SPDX-License-Identifier: Apache-2.0
// Races between transfers of different cores that may turn out to be harmless: if two transfers write the
// same values into the bytes that they share, their order does not matter. Programs that execute one kernel
// on both cores of a pair, with results in shared HBM, do this.
//
// A race is disputed until values decide it. Transfers have numbers; a transfer moves its values once, in
// one step, and the step tells which disputed bytes it has changed:
//   - two writes: harmless if the transfer that moves later changes none of the shared bytes
//   - a write of one core and a read of another: as two writes, if the reader's own core has written the same
//     bytes before it reads them
// A transfer that has not moved when the run ends decides nothing; its races are not reported.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "model/check/access_log.h"

namespace tahoma::model::check {

struct ByteRange {  // of HBM, with global addresses
  std::uint64_t begin = 0, end = 0;
};

struct Race {
  Record first, second;
};

// The bytes that both footprints contain, ascending.
std::vector<ByteRange> common_bytes(const Footprint& a, const Footprint& b);

class DisputedWrites {
 public:
  using Number = std::uint64_t;  // of a transfer; 0 is none

  Number next() { return ++last_; }

  // Disputes a race of two writes.
  void writes(const Race& race);
  // The transfer `writer` writes, and the other side of the race reads what `own` wrote too. Returns false if
  // it is a race: the two writes are not disputed, or their values differ.
  bool read(const Race& race, Number writer, Number own);

  // The bytes whose change decides a race when this transfer moves.
  std::vector<ByteRange> decided_by(Number transfer) const;

  struct Verdict {
    std::vector<Race> races, harmless;
  };
  // The transfer has moved. `changed` has an entry for each range of decided_by().
  Verdict moved(Number transfer, const std::vector<bool>& changed);

 private:
  using Pair = std::pair<Number, Number>;  // ascending
  enum class State : std::uint8_t { kOpen, kHarmless, kRace };
  struct Dispute {
    std::vector<Race> races;
    std::vector<ByteRange> bytes;
    State state = State::kOpen;
    void add(const Race& race);
  };
  static Pair pair_of(Number a, Number b) { return {std::min(a, b), std::max(a, b)}; }
  std::vector<Pair> pairs_decided_by(Number transfer) const;

  Number last_ = 0;
  std::set<Number> moved_;
  std::map<Pair, Dispute> pairs_;                 // two writes, and reads of their bytes
  std::map<Number, std::vector<Pair>> pairs_of_;  // by transfer
};

}  // namespace tahoma::model::check
