// SPDX-License-Identifier: Apache-2.0
// The clock of a port that sends whole words, one per cycle, at the rate of the link. Edges are computed from
// the count, so that rounding never accumulates. A port without this clock sends bytes at any time.
#pragma once

#include "model/base/units.h"

namespace tahoma::model {

class WordClock {
 public:
  // There is no clock if the word has no bytes or the wire has unlimited bandwidth.
  WordClock(base::Bandwidth rate, base::Bytes word)
      : rate_(rate.bytes_per_second), word_(rate.ideal ? 0 : word.count) {}

  bool runs() const { return word_ != 0; }
  // Returns the time of edge `n`, rounded down to a femtosecond.
  base::Time edge(base::Cycles n) const {
    return {static_cast<std::int64_t>(static_cast<base::Uint128>(n.count) * word_ * kFsPerSecond / rate_)};
  }
  base::Cycles at_or_after(base::Time t) const {
    const auto scaled = static_cast<base::Uint128>(t.fs) * rate_;
    base::Cycles n{static_cast<std::int64_t>(scaled / (base::Uint128{word_} * kFsPerSecond))};
    while (edge(n) < t) ++n.count;
    return n;
  }
  // Cycles for bytes that are rounded to whole words.
  base::Cycles cycles_for(base::Bytes bytes) const {
    return {static_cast<std::int64_t>(bytes.count / word_)};
  }

 private:
  static constexpr std::uint64_t kFsPerSecond = 1'000'000'000'000'000ULL;
  std::uint64_t rate_, word_;
};

}  // namespace tahoma::model
