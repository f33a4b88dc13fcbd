// SPDX-License-Identifier: Apache-2.0
#include "model/memory/psum_banks.h"

#include <algorithm>
#include <bit>

#include "model/sim/time.h"

namespace tahoma::model {

namespace {

template <class F>
void for_each_bank(sim::BankSet banks, F&& f) {
  for (; banks != 0; banks &= banks - 1) f(static_cast<std::size_t>(std::countr_zero(banks)));
}

}  // namespace

base::Time PsumBanks::free_from(sim::BankSet banks, unsigned user, base::Time at) const {
  base::Time free = at;
  for_each_bank(banks, [&](std::size_t bank) {
    for (unsigned other = 0; other < kUsers; ++other)
      if (other != user)
        for (const Turn& turn : turns_[bank][other])
          if (turn.from <= at && at < turn.until) free = std::max(free, turn.until);
  });
  return free;
}

// Nobody asks for times before kernel time, which the turns that ended before this one was asked for are.
void PsumBanks::reserve(sim::BankSet banks, unsigned user, base::Time from, base::Time until) {
  const base::Time now = sim::now();
  for_each_bank(banks, [&](std::size_t bank) {
    std::deque<Turn>& turns = turns_[bank].at(user);
    while (!turns.empty() && turns.front().until <= now) turns.pop_front();
    turns.push_back({from, until});
  });
}

}  // namespace tahoma::model
