// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/memory/split_values.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "frontend/nki/lower/memory/allocate.h"
#include "frontend/nki/lower/memory/tensor_regions.h"

namespace tahoma::runtime::nki {

namespace {

bool is_static(const Side& side) { return side.dynamic.kind == Dynamic::Kind::kNone; }

// Every element of the destination is written, and none of it is read.
bool only_writes(isa::Opcode op) { return op == isa::Opcode::kMemset || is_elementwise(op); }

bool fills(const isa::Instruction& i, const Storage& storage) {
  const isa::Shape& shape = i.shape;
  const auto size = static_cast<std::int64_t>(isa::size_of(i.dst.dtype));
  std::int64_t step = 1;
  for (std::size_t d = isa::kFreeDims; d-- > 0;) {
    if (shape.count[d] > 1 && i.dst.stride[d] != step) return false;
    step *= shape.count[d];
  }
  return i.dst.partition == 0 && i.dst.offset == 0 && shape.partitions == storage.shape[0] &&
         step * size == storage.row_bytes();
}

bool fills(const Side& side, const Storage& storage) {
  const auto size = static_cast<std::int64_t>(isa::size_of(side.dtype));
  std::int64_t elements = 1, partitions = 1;
  for (auto axis = side.axes.rbegin(); axis != side.axes.rend(); ++axis) {
    if (axis->partition) {
      partitions = axis->count;
      continue;
    }
    if (axis->count > 1 && axis->stride != elements) return false;
    elements *= axis->count;
  }
  return is_static(side) && side.partition == 0 && side.offset == 0 && partitions == storage.shape[0] &&
         elements * size == storage.row_bytes();
}

class Splitter {
 public:
  explicit Splitter(const Trace& trace) : trace_(trace), current_(trace.storages.size()) {
    std::iota(current_.begin(), current_.end(), 0U);
    movable_.resize(trace.storages.size());
    for (const auto& s : trace.storages) movable_[s->id] = s->on_chip() && !s->place;
    for (const Recorded& entry : trace.entries) pin(entry);
  }

  Trace split() {
    for (Recorded& entry : trace_.entries) {
      const std::uint32_t filled = filled_by(entry);
      rename(entry, filled);
    }
    return std::move(trace_);
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;

  void pin_index(const Side& side) {
    if (side.dynamic.index) movable_[side.dynamic.index->storage->id] = false;
  }
  void pin(const Recorded& entry) {
    if (is_fence(entry)) for_storages(entry, [&](std::uint32_t storage) { movable_[storage] = false; });
    if (!entry.transfer) return;
    pin_index(entry.transfer->dst);
    for (const Side& side : entry.transfer->sources) pin_index(side);
  }

  // The tensor that an entry fills without reading it, or kNone.
  std::uint32_t filled_by(const Recorded& entry) const {
    const std::uint32_t filled = destination_of(entry);
    if (filled == kNone || !movable_[filled]) return kNone;
    if (entry.transfer) {
      const TransferWork& work = *entry.transfer;
      const bool reads = work.accumulate || std::any_of(work.sources.begin(), work.sources.end(),
                                                        [&](const Side& s) { return s.storage == filled; });
      return !reads && fills(work.dst, *trace_.storages[filled]) ? filled : kNone;
    }
    const auto uses = std::count_if(entry.operands.begin(), entry.operands.end(),
                                    [&](const Operand& o) { return o.storage == filled; });
    return uses == 1 && fills(entry.instruction, *trace_.storages[filled]) ? filled : kNone;
  }

  static std::uint32_t destination_of(const Recorded& entry) {
    if (entry.transfer) return entry.transfer->kind == Transfer::kCopy ? entry.transfer->dst.storage : kNone;
    if (is_fence(entry) || !only_writes(entry.instruction.op)) return kNone;
    for (const Operand& o : entry.operands)
      if (o.field == isa::FieldKind::kDst) return o.storage;
    return kNone;
  }

  void rename(Recorded& entry, std::uint32_t filled) {
    if (filled != kNone && written_.contains(filled)) {
      Storage copy = *trace_.storages[filled];
      copy.id = static_cast<std::uint32_t>(trace_.storages.size());
      current_[filled] = copy.id;
      trace_.storages.push_back(std::make_shared<Storage>(std::move(copy)));
    }
    if (filled != kNone) written_.insert(filled);
    for (Operand& operand : entry.operands) operand.storage = current_[operand.storage];
    if (!entry.transfer) return;
    TransferWork work = *entry.transfer;
    work.dst.storage = current_[work.dst.storage];
    for (Side& side : work.sources) side.storage = current_[side.storage];
    entry.transfer = std::make_shared<const TransferWork>(std::move(work));
  }

  Trace trace_;
  std::vector<std::uint32_t> current_;  // by storage of the kernel: the one with its value now
  std::vector<bool> movable_;
  std::set<std::uint32_t> written_;
};

}  // namespace

Trace with_split_values(const Trace& trace) {
  return loops_of(trace).empty() ? Splitter(trace).split() : trace;
}

}  // namespace tahoma::runtime::nki
