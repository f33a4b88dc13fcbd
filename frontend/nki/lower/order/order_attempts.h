// SPDX-License-Identifier: Apache-2.0
// The orders in which lowering tries to place a kernel's tensors on chip, until they fit:
//   1. program order;
//   2. short ranges: loads move down to their first use, copies out of PSUM up (reorder.h);
//   3. by memory: what fits beside the tensors that live starts (memory_order.h); of 2, else of 1.
// With Order::kList each of them is first given to the list scheduler. It counts units of memory, but free
// addresses may be fragmented, so it is tried again with less memory before the order is taken as it is.
#pragma once

#include <optional>
#include <string>

#include "frontend/nki/lower/order/choose.h"
#include "frontend/nki/record/trace.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::runtime::nki {

// The instructions of each queue have the kernel's order, or a list scheduler's.
enum class Order : std::uint8_t { kProgram, kList };

class OrderAttempts {
 public:
  OrderAttempts(const Trace& trace, const model::MachineParams& machine, const Choices& choices, Order order);

  // The next one, which is valid until the one after it. Null: all have been tried.
  const Trace* next();
  // Returns a warning about the current order; empty if there is none.
  std::string warning() const;

 private:
  enum Base : std::uint8_t { kAsWritten, kShortRanges, kByMemory, kBases };
  // False if there is no such order.
  bool make(Base base);
  std::optional<Trace> by_memory(const Trace& trace) const;
  const Trace& base() const { return moved_ ? *moved_ : trace_; }

  const Trace& trace_;
  const model::MachineParams& machine_;
  Choices choices_;
  Order order_;
  bool movable_;
  std::size_t tried_ = 0;
  bool has_base_ = false;
  std::optional<Trace> moved_;   // the base, if it is not the trace itself
  std::optional<Trace> listed_;  // of the base
};

}  // namespace tahoma::runtime::nki
