// SPDX-License-Identifier: Apache-2.0
// Contention between the engines of a core in its on-chip memories. An instruction queries both resources at
// kernel time, when it is issued, and reserves the interval in which it streams; a later request bears the
// delay of the conflict. A user is a number below kSharers that the caller chooses and uses in every call.
#pragma once

#include <cstdint>
#include <systemc>

#include "model/base/units.h"

namespace tahoma::sim {

inline constexpr unsigned kSharers = 8;

// A set of banks: bit n stands for banks n, n + 64 and so on.
using BankSet = std::uint64_t;

struct BanksIf : virtual sc_core::sc_interface {
  // A user streams through `banks` between `from` and `until`. Returns the extra time that contention causes.
  virtual base::Duration reserve(BankSet banks, unsigned user, base::Time from, base::Time until) = 0;
};

struct SharedPortIf : virtual sc_core::sc_interface {
  // A user moves `bytes` evenly between `from` and `until`. Returns the extra time that contention causes.
  virtual base::Duration reserve(unsigned user, base::Bytes bytes, base::Time from, base::Time until) = 0;
};

}  // namespace tahoma::sim
