// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/reorder.h"

#include <algorithm>
#include <numeric>

#include "frontend/nki/lower/memory/split_values.h"
#include "frontend/nki/lower/memory/tensor_regions.h"
#include "frontend/nki/lower/order/reordered.h"
#include "isa/table/table_fields.h"

namespace tahoma::runtime::nki {

namespace {

// The tensors that an entry touches.
std::vector<std::uint32_t> storages_of(const Recorded& entry) {
  std::vector<std::uint32_t> touched;
  for_storages(entry, [&](std::uint32_t storage) { touched.push_back(storage); });
  return touched;
}

class Mover {
 public:
  explicit Mover(const Trace& trace) : trace_(trace), order_(trace.entries.size()) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  std::vector<std::uint32_t> order() {
    sink();
    raise();
    return order_;
  }

 private:
  const Recorded& at(std::size_t n) const { return trace_.entries[order_[n]]; }

  static bool rises(const Recorded& entry) {
    return entry.instruction.op == isa::Opcode::kTensorCopy && entry.operands.size() == 2 &&
           !entry.transfer && entry.instruction.src0.space == isa::Space::kPsum &&
           entry.instruction.dst.space == isa::Space::kSbuf;
  }

  // Whether `moving`, which touches the tensors `own`, must not pass `other`.
  bool keeps_place(std::uint32_t moving, const std::vector<std::uint32_t>& own, std::uint32_t other) const {
    const Recorded& entry = trace_.entries[other];
    const auto follows = [](const Recorded& later, std::uint32_t earlier) {
      return std::find(later.after.begin(), later.after.end(), earlier) != later.after.end();
    };
    if (is_fence(entry) || follows(entry, moving) || follows(trace_.entries[moving], other)) return true;
    const std::vector<std::uint32_t> touched = storages_of(entry);
    return std::find_first_of(own.begin(), own.end(), touched.begin(), touched.end()) != own.end();
  }

  // From the end, so that a load passes those that follow it before it moves itself.
  void sink() {
    for (std::size_t n = order_.size(); n-- > 0;) {
      if (!is_source(trace_, at(n))) continue;
      const std::vector<std::uint32_t> own = storages_of(at(n));
      std::size_t to = n;
      while (to + 1 < order_.size() && !keeps_place(order_[n], own, order_[to + 1])) ++to;
      std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(n),
                  order_.begin() + static_cast<std::ptrdiff_t>(n) + 1,
                  order_.begin() + static_cast<std::ptrdiff_t>(to) + 1);
    }
  }

  void raise() {
    for (std::size_t n = 0; n < order_.size(); ++n) {
      if (!rises(at(n))) continue;
      const std::vector<std::uint32_t> own = storages_of(at(n));
      std::size_t to = n;
      while (to > 0 && !keeps_place(order_[n], own, order_[to - 1])) --to;
      std::rotate(order_.begin() + static_cast<std::ptrdiff_t>(to),
                  order_.begin() + static_cast<std::ptrdiff_t>(n),
                  order_.begin() + static_cast<std::ptrdiff_t>(n) + 1);
    }
  }

  const Trace& trace_;
  std::vector<std::uint32_t> order_;
};

}  // namespace

Trace with_short_ranges(const Trace& trace) {
  const Trace split = with_split_values(trace);
  return is_movable(trace) ? in_order(split, Mover(split).order()) : split;
}

}  // namespace tahoma::runtime::nki
