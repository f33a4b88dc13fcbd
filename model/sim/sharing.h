// SPDX-License-Identifier: Apache-2.0
// Where the engines of a core meet in its on-chip memories. Both resources are asked at kernel time, when an
// instruction is handed to its engine, and reserve the interval in which it will run: who asks first is
// served first. A user is a number of the asker's choice, the same at every call.
#pragma once

#include <cstdint>
#include <systemc>

#include "model/base/units.h"

namespace tahoma::sim {

// A set of banks: one bit each.
using BankSet = std::uint64_t;

// Banks of which each serves one user at a time.
struct BanksIf : virtual sc_core::sc_interface {
  // When those are through who have any of `banks` at `at`; `at` when nobody else has.
  virtual base::Time free_from(BankSet banks, unsigned user, base::Time at) const = 0;
  // A user's intervals come in order.
  virtual void reserve(BankSet banks, unsigned user, base::Time from, base::Time until) = 0;
};

// A port whose users are served side by side as long as it is wide enough for all of them.
struct SharedPortIf : virtual sc_core::sc_interface {
  // A user moves `bytes` evenly between `from` and `until`: how much longer that takes because of the others.
  virtual base::Duration reserve(unsigned user, base::Bytes bytes, base::Time from, base::Time until) = 0;
};

}  // namespace tahoma::sim
