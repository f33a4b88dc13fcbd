// SPDX-License-Identifier: Apache-2.0
// The banks of PSUM. Documented: the vector and the scalar engine may use different banks at the same time.
// Assumed: in the same bank engines take turns, access by access, the tensor engine like the others, so that
// what two of them stream through a bank at the same time takes as long as one after the other. Left out: the
// DMA engines' accesses, and that a turn of one may be shorter than another's.
#pragma once

#include <array>
#include <deque>

#include "model/sim/sharing.h"

namespace tahoma::model {

class PsumBanks : public sim::BanksIf {
 public:
  base::Duration reserve(sim::BankSet banks, unsigned user, base::Time from, base::Time until) override;

 private:
  struct Stream {
    unsigned user;
    base::Time from, until;
  };
  using Bank = std::deque<Stream>;
  static base::Duration shared(Bank& bank, unsigned user, base::Time from, base::Time until);

  std::array<Bank, 64> banks_;
};

}  // namespace tahoma::model
