// SPDX-License-Identifier: Apache-2.0
// The banks of PSUM. Documented: the vector and the scalar engine may use different banks at the same time.
// Assumed: engines that use the same bank alternate access by access, including the tensor engine, so two
// concurrent streams through a bank take as long as one after the other. Not modelled: the DMA engines'
// accesses, and that one engine's access may be shorter than another's.
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
