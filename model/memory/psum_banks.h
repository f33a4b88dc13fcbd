// SPDX-License-Identifier: Apache-2.0
// The banks of PSUM. Documented: the vector and the scalar engine may use different banks at the same time.
// Assumed: in the same bank they take turns, instruction by instruction, and the tensor engine takes its turn
// like the others. An engine's queue reserves turns ahead of time; who comes then waits for the turn in
// progress, and those behind it go on beside him. Left out: that, and the DMA engines' accesses.
#pragma once

#include <array>
#include <deque>

#include "model/sim/sharing.h"

namespace tahoma::model {

class PsumBanks : public sim::BanksIf {
 public:
  base::Time free_from(sim::BankSet banks, unsigned user, base::Time at) const override;
  void reserve(sim::BankSet banks, unsigned user, base::Time from, base::Time until) override;

 private:
  static constexpr unsigned kBanks = 64, kUsers = 8;
  struct Turn {
    base::Time from, until;
  };
  std::array<std::array<std::deque<Turn>, kUsers>, kBanks> turns_;
};

}  // namespace tahoma::model
