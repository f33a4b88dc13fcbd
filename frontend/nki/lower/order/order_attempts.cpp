// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/order_attempts.h"

#include <fmt/format.h>

#include <array>

#include "frontend/nki/lower/order/list_scheduler.h"
#include "frontend/nki/lower/order/memory_order.h"
#include "frontend/nki/lower/order/reorder.h"
#include "frontend/nki/lower/order/reordered.h"
#include "frontend/nki/lower/order/spill.h"

namespace tahoma::runtime::nki {

namespace {

constexpr std::int64_t kAll = 100;  // per cent

}  // namespace

OrderAttempts::OrderAttempts(const Trace& trace, const model::MachineParams& machine, const Choices& choices)
    : trace_(trace),
      machine_(machine),
      choices_(choices),
      movable_(is_movable(trace)),
      listable_(movable_ && !computes_addresses(trace)) {}

const Trace* OrderAttempts::next() {
  while (tried_ < kBases * kWays) {
    const std::size_t way = tried_ % kWays;
    if (way == 0) has_base_ = make(static_cast<Base>(tried_ / kWays));
    ++tried_;
    listed_.reset();
    if (!has_base_) continue;
    if (way == kListShares.size()) return &base();
    if (choices_.compiler != Compiler::kNeuron || !listable_) continue;
    Units capacity = capacity_of(trace_);
    capacity[0] = capacity[0] * kListShares[way] / kAll;  // PSUM has few units, of the size of most tensors
    listed_ = list_scheduled(base(), choose_queues(base(), machine_, choices_),
                             Estimator(base(), machine_, choices_.descriptors), capacity);
    if (listed_) return &*listed_;
  }
  return nullptr;
}

std::string OrderAttempts::warning() const {
  switch ((tried_ - 1) / kWays) {
    case kShortRanges:
      return "the tensors do not fit on chip in program order: loads were moved down to their first use, and "
             "copies from PSUM up to the results that they copy";
    case kByMemory:
      return "the tensors do not fit on chip in program order: instructions start when their tensors fit "
             "beside those that live";
    case kWithSpills:
    case kWithMoreSpills:
      return "the tensors do not fit on chip in any order: " + spills_;
    default:
      return "";
  }
}

bool OrderAttempts::make(Base base) {
  if (base == kAsWritten) return true;
  if (!movable_) return false;
  if (base == kShortRanges) {
    moved_ = with_short_ranges(trace_);
    return true;
  }
  if (base == kWithSpills || base == kWithMoreSpills) {
    if (choices_.compiler != Compiler::kNeuron) return false;
    std::optional<Spilled> spilled = with_spills(with_short_ranges(trace_), base == kWithSpills ? 75 : 50);
    if (!spilled) return false;
    spills_ = fmt::format("{} stores and {} loads of spilled tensors move {} bytes more", spilled->stores,
                          spilled->loads, spilled->bytes);
    moved_ = std::move(spilled->trace);
    return true;
  }
  std::optional<Trace> ordered = by_memory(*moved_);
  if (!ordered) ordered = by_memory(trace_);
  moved_ = std::move(ordered);
  return moved_.has_value();
}

std::optional<Trace> OrderAttempts::by_memory(const Trace& trace) const {
  return ordered_by_memory(trace, choose_queues(trace, machine_, choices_));
}

}  // namespace tahoma::runtime::nki
