// SPDX-License-Identifier: Apache-2.0
#include "model/memory/scratchpad/psum_banks.h"

#include <algorithm>
#include <bit>

#include "model/sim/time.h"

namespace tahoma::model {

using base::Duration, base::Time;

// Returns how long other engines stream through the bank in this interval. Streams that have ended by
// now are dropped.
Duration PsumBanks::shared(Bank& bank, unsigned user, Time from, Time until) {
  while (!bank.empty() && bank.front().until <= sim::now()) bank.pop_front();
  Duration sum{0};
  for (const Stream& s : bank)
    if (s.user != user) sum += std::max(Duration{0}, std::min(until, s.until) - std::max(from, s.from));
  return sum;
}

Duration PsumBanks::reserve(sim::BankSet banks, unsigned user, Time from, Time until) {
  Duration longer{0};
  const auto for_each = [&](auto&& f) {
    for (sim::BankSet left = banks; left != 0; left &= left - 1)
      f(banks_[static_cast<std::size_t>(std::countr_zero(left))]);
  };
  for_each([&](Bank& bank) { longer = std::max(longer, shared(bank, user, from, until)); });
  for_each([&](Bank& bank) { bank.push_back({user, from, until + longer}); });
  return longer;
}

}  // namespace tahoma::model
