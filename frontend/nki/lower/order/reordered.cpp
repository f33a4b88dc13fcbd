// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/reordered.h"

#include <algorithm>

#include "frontend/nki/lower/memory/allocate.h"
#include "frontend/nki/lower/memory/tensor_regions.h"

namespace tahoma::runtime::nki {

bool is_movable(const Trace& trace) {
  return loops_of(trace).empty() && std::none_of(trace.storages.begin(), trace.storages.end(),
                                                 [](const auto& s) { return s->on_chip() && s->place; });
}

bool computes_addresses(const Trace& trace) {
  const auto computed = [](const Side& side) {
    return side.dynamic.kind == Dynamic::Kind::kScalar || side.dynamic.kind == Dynamic::Kind::kRegister;
  };
  return std::any_of(trace.entries.begin(), trace.entries.end(), [&](const Recorded& entry) {
    return entry.transfer &&
           (computed(entry.transfer->dst) ||
            std::any_of(entry.transfer->sources.begin(), entry.transfer->sources.end(), computed));
  });
}

Trace in_order(const Trace& trace, const std::vector<std::uint32_t>& order) {
  Trace moved(trace.limits(), trace.usable(), trace.name);
  moved.storages = trace.storages;
  moved.lines = trace.lines;
  moved.registers = trace.registers;
  moved.warnings = trace.warnings;
  constexpr std::uint32_t kLeftOut = 0xffffffff;
  // Of each entry, in the new order.
  std::vector<std::uint32_t> number(trace.entries.size(), kLeftOut);
  for (std::uint32_t n = 0; n < order.size(); ++n) number[order[n]] = n;
  for (const std::uint32_t e : order) {
    std::vector<std::uint32_t>& after = moved.entries.emplace_back(trace.entries[e]).after;
    for (std::uint32_t& before : after) before = number[before];
    std::erase(after, kLeftOut);
  }
  return moved;
}

Trace reordered(const Trace& trace, const std::vector<std::uint32_t>& order,
                const std::vector<isa::Queue>& queues) {
  Trace moved = in_order(trace, order);
  // The choice of an engine depends on the order: what has been chosen is now asked for.
  for (std::size_t n = 0; n < order.size(); ++n)
    if (!is_fence(moved.entries[n])) moved.entries[n].engine = queues[order[n]];
  return moved;
}

}  // namespace tahoma::runtime::nki
