// SPDX-License-Identifier: Apache-2.0
// The orders in which lowering tries to place a kernel's tensors on chip, until they fit:
//   1. program order;
//   2. short ranges: loads move down to their first use, copies out of PSUM up (reorder.h);
//   3. by memory: what fits beside the tensors that live starts (memory_order.h); of 2, else of 1;
//   4. with spills to HBM (spill.h), of 2; only Compiler::kNeuron. They leave a quarter of SBUF free, then
//   half.
// With Compiler::kNeuron each of them is first given to the list scheduler. It counts units of memory, but
// free addresses may be fragmented, so it is tried again with less memory before the order is taken as it
// is.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "frontend/nki/lower/order/choose.h"
#include "frontend/nki/record/trace.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime::nki {

class OrderAttempts {
 public:
  OrderAttempts(const Trace& trace, const model::MachineParams& machine, const Choices& choices);

  // The next one, which is valid until the one after it. Null: all have been tried.
  const Trace* next();
  bool has_spills() const { return tried_ > kWithSpills * kWays; }
  // Returns a warning about the current order; empty if there is none.
  std::string warning() const;

 private:
  // The list scheduler gets these shares of SBUF, in per cent (policy).
  static constexpr std::array<std::int64_t, 2> kListShares{100, 75};
  // Each base is tried by the list scheduler with each share, then as it is.
  static constexpr std::size_t kWays = kListShares.size() + 1;
  enum Base : std::uint8_t { kAsWritten, kShortRanges, kByMemory, kWithSpills, kWithMoreSpills, kBases };
  // False if there is no such order.
  bool make(Base base);
  std::optional<Trace> by_memory(const Trace& trace) const;
  const Trace& base() const { return moved_ ? *moved_ : trace_; }

  const Trace& trace_;
  const model::MachineParams& machine_;
  Choices choices_;
  bool movable_, listable_;  // the latter: by the list scheduler
  std::size_t tried_ = 0;
  bool has_base_ = false;
  std::optional<Trace> moved_;   // the base, if it is not the trace itself
  std::optional<Trace> listed_;  // of the base
  std::string spills_;           // their cost
};

}  // namespace tahoma::runtime::nki
