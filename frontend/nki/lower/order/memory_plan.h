// SPDX-License-Identifier: Apache-2.0
// The memory of entries that start out of order. The tensors fit if everything runs in the trace's order. An
// entry may start ahead of its turn only if the entries that are left still fit when they then run in the
// trace's order; so the order can always be completed. Besides, it must leave as much free as it takes.
//
// A tensor lives from the start of the first entry that uses it. For the order it dies when its last entry
// has started; its bytes are free when that entry is complete.
#pragma once

#include <array>
#include <optional>
#include <vector>

#include "frontend/nki/lower/order/memory_profile.h"
#include "frontend/nki/lower/order/tensor_uses.h"

namespace tahoma::runtime::nki {

class MemoryPlan {
 public:
  // `capacity`: what tensors may take.
  MemoryPlan(const Trace& trace, const Units& capacity);

  // Whether the trace's own order fits.
  bool is_feasible() const;
  // Returns what the start of this entry would allocate.
  Units need_of(std::uint32_t entry) const;
  bool may_start(std::uint32_t entry, const Units& need) const;
  // Starts an entry and calls begun(user) for all users of the tensors that begin to live.
  template <class Begun>
  void start(std::uint32_t entry, Begun&& begun) {
    for (const std::uint32_t s : uses_.of(entry)) {
      if (tensors_[s].begun) continue;
      begin(s);
      for (const std::uint32_t user : uses_.users(s)) begun(user);
    }
    finish_start(entry);
  }
  // Returns whether an entry that may_start() has refused could be allowed now.
  bool complete(std::uint32_t entry);

  // The first entry of the trace's order that has not started.
  std::uint32_t next() const { return next_; }

 private:
  static constexpr std::size_t kMemories = std::tuple_size_v<Units>;
  struct Tensor {
    bool begun = false;
    std::size_t end = 0;           // users before this one may still have to start
    std::uint32_t incomplete = 0;  // users
  };
  void begin(std::uint32_t storage);
  void finish_start(std::uint32_t entry);
  void shorten(std::uint32_t storage);
  void add(std::uint32_t storage, std::size_t first, std::size_t end, std::int64_t times);

  TensorUses uses_;
  Units capacity_, held_{};  // held_: by tensors that have begun and whose users are not all complete
  std::vector<Tensor> tensors_;
  std::vector<bool> started_;
  std::array<MemoryProfile, kMemories> profiles_;
  std::uint32_t next_ = 0;
  std::size_t running_ = 0;
};

}  // namespace tahoma::runtime::nki
