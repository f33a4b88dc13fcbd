// SPDX-License-Identifier: Apache-2.0
#include "runtime/nki/lower/reorder.h"

#include <algorithm>
#include <numeric>

#include "isa/table/table_fields.h"
#include "runtime/nki/lower/memory/allocate.h"
#include "runtime/nki/lower/memory/split_values.h"
#include "runtime/nki/lower/tensor_regions.h"

namespace tahoma::runtime::nki {

namespace {

// The tensors that an entry touches.
std::vector<std::uint32_t> storages_of(const Recorded& entry) {
  std::vector<std::uint32_t> touched;
  for_storages(entry, [&](std::uint32_t storage) { touched.push_back(storage); });
  return touched;
}

bool has_fixed_addresses(const TransferWork& work) {
  return work.dst.dynamic.kind == Dynamic::Kind::kNone && work.sources.size() == 1 &&
         work.sources.front().dynamic.kind == Dynamic::Kind::kNone && !work.accumulate;
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
  bool sinks(const Recorded& entry) const {
    if (entry.transfer)
      return trace_.storages[entry.transfer->dst.storage]->on_chip() && has_fixed_addresses(*entry.transfer);
    return entry.instruction.op == isa::Opcode::kMemset && !is_fence(entry);
  }

  bool rises(const Recorded& entry) const {
    return entry.instruction.op == isa::Opcode::kTensorCopy && entry.operands.size() == 2 &&
           !entry.transfer && entry.instruction.src0.space == isa::Space::kPsum &&
           entry.instruction.dst.space == isa::Space::kSbuf;
  }

  static bool meet(const std::vector<std::uint32_t>& a, const std::vector<std::uint32_t>& b) {
    return std::any_of(a.begin(), a.end(),
                       [&](std::uint32_t s) { return std::find(b.begin(), b.end(), s) != b.end(); });
  }

  // From the end, so that a load passes those that follow it before it moves itself.
  void sink() {
    for (std::size_t n = order_.size(); n-- > 0;) {
      if (!sinks(at(n))) continue;
      const std::vector<std::uint32_t> own = storages_of(at(n));
      std::size_t to = n;
      while (to + 1 < order_.size() && !is_fence(at(to + 1)) && !meet(own, storages_of(at(to + 1)))) ++to;
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
      while (to > 0 && !is_fence(at(to - 1)) && !meet(own, storages_of(at(to - 1)))) --to;
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
  Trace moved = with_split_values(trace);
  // Tensors at hand-given addresses may share bytes, which storages do not tell.
  const bool placed = std::any_of(trace.storages.begin(), trace.storages.end(),
                                  [](const auto& s) { return s->on_chip() && s->place; });
  if (!loops_of(trace).empty() || placed) return moved;
  std::vector<Recorded> entries;
  entries.reserve(moved.entries.size());
  for (const std::uint32_t n : Mover(moved).order()) entries.push_back(moved.entries[n]);
  moved.entries = std::move(entries);
  return moved;
}

}  // namespace tahoma::runtime::nki
