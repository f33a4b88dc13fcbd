// SPDX-License-Identifier: Apache-2.0
#include "model/memory/psum_banks.h"

#include <algorithm>
#include <bit>

namespace tahoma::model {

namespace {

template <class F>
void for_each_bank(sim::BankSet banks, F&& f) {
  for (; banks != 0; banks &= banks - 1) f(static_cast<std::size_t>(std::countr_zero(banks)));
}

}  // namespace

base::Time PsumBanks::free_from(sim::BankSet banks, unsigned user, base::Time at) const {
  for_each_bank(banks, [&](std::size_t bank) {
    for (unsigned other = 0; other < kUsers; ++other)
      if (other != user) at = std::max(at, taken_until_[bank][other]);
  });
  return at;
}

void PsumBanks::reserve(sim::BankSet banks, unsigned user, base::Time until) {
  for_each_bank(banks, [&](std::size_t bank) {
    taken_until_[bank].at(user) = std::max(taken_until_[bank].at(user), until);
  });
}

}  // namespace tahoma::model
