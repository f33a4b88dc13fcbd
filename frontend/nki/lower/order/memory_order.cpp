// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/memory_order.h"

#include <algorithm>

#include "frontend/nki/lower/memory/tensor_regions.h"
#include "frontend/nki/lower/order/dependences.h"
#include "frontend/nki/lower/order/ready_pool.h"
#include "frontend/nki/lower/order/reordered.h"
#include "frontend/nki/lower/order/tensor_uses.h"

namespace tahoma::runtime::nki {

namespace {

class MemoryOrder {
 public:
  MemoryOrder(const Trace& trace, const std::vector<isa::Queue>& queues)
      : dependences_(trace, queues),
        followers_(dependences_),
        uses_(trace),
        capacity_(capacity_of(trace)),
        state_(trace.entries.size()),
        begun_(uses_.storages(), false),
        users_left_(uses_.storages()) {
    for (std::uint32_t s = 0; s < uses_.storages(); ++s)
      users_left_[s] = static_cast<std::uint32_t>(uses_.users(s).size());
    for (std::uint32_t e = 0; e < state_.size(); ++e) {
      state_[e].source = is_source(trace, trace.entries[e]);
      for (const std::uint32_t before : dependences_.before(e)) {
        ++state_[e].missing;
        if (!state_[before].source) ++state_[e].missing_work;
      }
    }
  }

  std::optional<std::vector<std::uint32_t>> order() {
    for (std::uint32_t e = 0; e < state_.size(); ++e) offer(e);
    std::vector<std::uint32_t> order;
    order.reserve(state_.size());
    while (order.size() < state_.size()) {
      const auto next =
          pool_.best(1, [&](std::uint32_t, const Units& need) { return within(live_ + need, capacity_); });
      if (!next) return std::nullopt;
      start(*next);
      order.push_back(*next);
    }
    return order;
  }

 private:
  struct State {
    std::uint32_t missing = 0;       // entries that it must follow and that have not started
    std::uint32_t missing_work = 0;  // of these, those that are no sources
    bool source = false, offered = false, started = false;
    Units need{};  // while it is in the pool
  };

  bool is_wanted(std::uint32_t e) const {
    const auto all = followers_.of(e);
    return !state_[e].source || all.empty() ||
           std::any_of(all.begin(), all.end(), [&](std::uint32_t f) { return state_[f].missing_work == 0; });
  }

  Units need_of(std::uint32_t e) const {
    Units need{};
    for (const std::uint32_t s : uses_.of(e))
      if (!begun_[s]) need = need + uses_.size(s);
    return need;
  }

  // Into the pool, if it is ready and wanted. An entry's rank is its number: program order.
  void offer(std::uint32_t e) {
    State& state = state_[e];
    if (state.missing > 0 || state.offered || !is_wanted(e)) return;
    state.offered = true;
    state.need = need_of(e);
    pool_.add(e, state.need);
  }

  void start(std::uint32_t e) {
    pool_.remove(e, state_[e].need);
    state_[e].started = true;
    for (const std::uint32_t s : uses_.of(e))
      if (!begun_[s]) begin(s);
    for (const std::uint32_t s : uses_.of(e))
      if (--users_left_[s] == 0) live_ = live_ - uses_.size(s);
    for (const std::uint32_t f : followers_.of(e)) {
      State& state = state_[f];
      --state.missing;
      if (!state_[e].source && --state.missing_work == 0)
        for (const std::uint32_t before : dependences_.before(f)) offer(before);
      offer(f);
    }
  }

  // The other users of the tensor need less now.
  void begin(std::uint32_t storage) {
    begun_[storage] = true;
    live_ = live_ + uses_.size(storage);
    for (const std::uint32_t user : uses_.users(storage)) {
      State& state = state_[user];
      if (!state.offered || state.started) continue;
      pool_.remove(user, state.need);
      state.need = need_of(user);
      pool_.add(user, state.need);
    }
  }

  Dependences dependences_;
  Followers followers_;
  TensorUses uses_;
  Units capacity_, live_{};
  std::vector<State> state_;  // by entry
  std::vector<bool> begun_;   // by storage
  std::vector<std::uint32_t> users_left_;
  ReadyPool pool_;
};

}  // namespace

std::optional<Trace> ordered_by_memory(const Trace& trace, const std::vector<isa::Queue>& queues) {
  if (!is_movable(trace)) return std::nullopt;
  const auto order = MemoryOrder(trace, queues).order();
  if (!order) return std::nullopt;
  return reordered(trace, *order, queues);
}

}  // namespace tahoma::runtime::nki
