// SPDX-License-Identifier: Apache-2.0
// The times of one resource that are taken in advance, not always in order. A reservation uses what earlier
// ones left free, in pieces if need be, so the resource is work-conserving. Times and lengths are counts of
// any unit.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "model/base/error.h"

namespace tahoma::sim {

class Reservations {
 public:
  struct Slot {
    std::int64_t start = 0, end = 0;  // of the first and the last piece
  };
  // Takes `length` from the first free instant at or after `from` on, and calls piece(start, end) for every
  // piece. Times before `settled`, which never goes back, may be forgotten: nothing is reserved there again.
  template <class Piece>
  Slot reserve(std::int64_t from, std::int64_t length, std::int64_t settled, Piece&& piece);
  Slot reserve(std::int64_t from, std::int64_t length, std::int64_t settled) {
    return reserve(from, length, settled, [](std::int64_t, std::int64_t) {});
  }

 private:
  struct Span {
    std::int64_t start, end;
  };
  using Spans = std::vector<Span>;
  void forget(std::int64_t settled);
  void take(Spans::iterator first, Spans::iterator behind, Span whole);

  Spans taken_;  // disjoint and in order
};

template <class Piece>
Reservations::Slot Reservations::reserve(std::int64_t from, std::int64_t length, std::int64_t settled,
                                         Piece&& piece) {
  TAHOMA_INVARIANT(from >= settled, "a reservation in a time that may be forgotten");
  if (taken_.size() == taken_.capacity()) forget(settled);
  auto span = taken_.end();  // most reservations are near the end
  while (span != taken_.begin() && (span - 1)->end >= from) --span;

  // From the first free instant on, every gap is filled up to the end, and all spans touched merge into one.
  const bool joins = span != taken_.end() && span->start <= from;
  const auto first = span;
  const std::int64_t start = joins ? span->end : from;
  if (joins) ++span;
  std::int64_t at = start, left = length;
  for (; span != taken_.end() && span->start < at + left; ++span) {
    piece(at, span->start);
    left -= span->start - at;
    at = span->end;
  }
  const std::int64_t end = at + left;
  piece(at, end);
  if (length > 0) take(first, span, {joins ? first->start : start, end});
  return {start, end};
}

inline void Reservations::forget(std::int64_t settled) {
  auto span = taken_.begin();
  while (span != taken_.end() && span->end < settled) ++span;
  taken_.erase(taken_.begin(), span);
}

// Replaces the spans [first, behind) by one that covers them, and merges the next one if it is adjacent.
inline void Reservations::take(Spans::iterator first, Spans::iterator behind, Span whole) {
  if (behind != taken_.end() && behind->start == whole.end) whole.end = (behind++)->end;
  if (first == behind) {
    taken_.insert(first, whole);
    return;
  }
  *first = whole;
  taken_.erase(first + 1, behind);
}

}  // namespace tahoma::sim
