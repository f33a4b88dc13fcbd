// SPDX-License-Identifier: Apache-2.0
// Where the engines of a core meet in its on-chip memories. Both resources are asked at kernel time, when an
// instruction is issued, and reserve the interval in which it streams: who asks later pays for both. A user
// is a number of the asker's choice, below kSharers, the same at every call.
#pragma once

#include <cstdint>
#include <systemc>

#include "model/base/units.h"

namespace tahoma::sim {

inline constexpr unsigned kSharers = 8;

// A set of banks: bit n stands for banks n, n + 64 and so on.
using BankSet = std::uint64_t;

struct BanksIf : virtual sc_core::sc_interface {
  // A user streams through `banks` between `from` and `until`: how much longer that takes because of others.
  virtual base::Duration reserve(BankSet banks, unsigned user, base::Time from, base::Time until) = 0;
};

struct SharedPortIf : virtual sc_core::sc_interface {
  // A user moves `bytes` evenly between `from` and `until`: how much longer that takes because of others.
  virtual base::Duration reserve(unsigned user, base::Bytes bytes, base::Time from, base::Time until) = 0;
};

}  // namespace tahoma::sim
