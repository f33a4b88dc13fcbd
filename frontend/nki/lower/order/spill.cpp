// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/order/spill.h"

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "frontend/nki/lower/memory/tensor_regions.h"
#include "frontend/nki/lower/order/reordered.h"
#include "frontend/nki/lower/order/tensor_uses.h"
#include "isa/table/table_fields.h"

namespace tahoma::runtime::nki {

namespace {

constexpr std::int64_t kWhole = 100;  // per cent
constexpr std::uint32_t kNever = 0xffffffff;

class Spiller {
 public:
  Spiller(const Trace& trace, std::int64_t share)
      : trace_(trace),
        uses_(trace),
        spilled_{in_order(trace, {})},
        room_(capacity_of(trace)[0] * share / kWhole),
        tensors_(uses_.storages()),
        number_(trace.entries.size(), 0) {
    for (std::uint32_t s = 0; s < tensors_.size(); ++s) tensors_[s].name = s;
    find_origins();
  }

  std::optional<Spilled> run() {
    for (std::uint32_t e = 0; e < trace_.entries.size(); ++e)
      if (!visit(e)) return std::nullopt;
    for (const auto& [element, area] : areas_) area->shape[0] = std::max<std::int64_t>(1, area->shape[0]);
    return std::move(spilled_);
  }

 private:
  struct Tensor {
    std::uint32_t name = 0;  // storage that has its value now
    bool on_chip = false, begun = false;
    bool stored = false;                  // HBM has its value
    std::size_t next = 0;                 // its uses before this one have been visited
    std::optional<std::uint32_t> origin;  // entry that loads it from an input, if nothing else writes it
    std::optional<std::int64_t> slot;     // element of the area
  };

  bool in_sbuf(std::uint32_t s) const { return uses_.size(s)[0] > 0; }
  std::uint32_t next_use(std::uint32_t s) const {
    const auto users = uses_.users(s);
    return tensors_[s].next < users.size() ? users[tensors_[s].next] : kNever;
  }

  template <class Visit>
  static void for_written(const Recorded& entry, Visit&& visit) {
    if (entry.transfer) visit(entry.transfer->dst.storage);
    for (const Operand& operand : entry.operands)
      if (isa::traits_of(operand.field).role == isa::Role::kWrite) visit(operand.storage);
  }

  void find_origins() {
    std::vector<unsigned> writers(tensors_.size(), 0);
    for (std::uint32_t e = 0; e < trace_.entries.size(); ++e)
      for_written(trace_.entries[e], [&](std::uint32_t s) {
        if (s < writers.size() && ++writers[s] == 1 && loads_input(trace_.entries[e])) tensors_[s].origin = e;
      });
    for (std::uint32_t s = 0; s < tensors_.size(); ++s)
      if (writers[s] != 1) tensors_[s].origin.reset();
  }

  bool loads_input(const Recorded& entry) const {
    if (!entry.transfer || entry.transfer->kind != Transfer::kCopy || entry.transfer->accumulate)
      return false;
    const Side& source = entry.transfer->sources.front();
    const Storage::Role role = trace_.storages[source.storage]->role;
    return entry.transfer->sources.size() == 1 && source.dynamic.kind == Dynamic::Kind::kNone &&
           entry.transfer->dst.dynamic.kind == Dynamic::Kind::kNone &&
           (role == Storage::Role::kInput || role == Storage::Role::kConstant);
  }

  bool visit(std::uint32_t e) {
    const auto needed = uses_.of(e);
    for (const std::uint32_t s : needed)
      if (in_sbuf(s) && !tensors_[s].on_chip && !bring(s, needed, trace_.entries[e].line)) return false;
    number_[e] = static_cast<std::uint32_t>(spilled_.trace.entries.size());
    append(trace_.entries[e], /*with_after=*/true);
    for_written(trace_.entries[e], [&](std::uint32_t s) {
      if (s < tensors_.size()) tensors_[s].stored = tensors_[s].origin.has_value();
    });
    for (const std::uint32_t s : needed) {
      if (!in_sbuf(s)) continue;
      while (next_use(s) != kNever && next_use(s) <= e) ++tensors_[s].next;
      if (next_use(s) == kNever) leave(s);
    }
    return true;
  }

  // An entry of the kernel, with the tensors' present names.
  void append(Recorded entry, bool with_after) {
    for (Operand& operand : entry.operands) operand.storage = name_of(operand.storage);
    if (entry.transfer) {
      TransferWork work = *entry.transfer;
      work.dst.storage = name_of(work.dst.storage);
      for (Side& side : work.sources) side.storage = name_of(side.storage);
      entry.transfer = std::make_shared<const TransferWork>(std::move(work));
    }
    if (with_after)
      for (std::uint32_t& before : entry.after) before = number_[before];
    else
      entry.after.clear();
    spilled_.trace.entries.push_back(std::move(entry));
  }
  std::uint32_t name_of(std::uint32_t s) const { return s < tensors_.size() ? tensors_[s].name : s; }

  void leave(std::uint32_t s) {
    tensors_[s].on_chip = false;
    resident_.erase(s);
    held_ -= uses_.size(s)[0];
  }

  bool bring(std::uint32_t s, std::span<const std::uint32_t> needed, std::uint32_t line) {
    while (held_ + uses_.size(s)[0] > room_)
      if (!evict(needed, line)) return false;
    Tensor& tensor = tensors_[s];
    tensor.on_chip = true;
    resident_.insert(s);
    held_ += uses_.size(s)[0];
    if (!std::exchange(tensor.begun, true)) return true;
    Storage copy = *trace_.storages[s];
    copy.id = static_cast<std::uint32_t>(spilled_.trace.storages.size());
    tensor.name = copy.id;
    spilled_.trace.storages.push_back(std::make_shared<Storage>(std::move(copy)));
    spilled_.trace.at_line = line;
    if (tensor.origin)
      append(trace_.entries[*tensor.origin], /*with_after=*/false);
    else
      move(s, /*to_hbm=*/false);
    ++spilled_.loads;
    spilled_.bytes += bytes_of(s);
    return true;
  }

  bool evict(std::span<const std::uint32_t> needed, std::uint32_t line) {
    std::optional<std::uint32_t> farthest;
    for (const std::uint32_t s : resident_)
      if (std::find(needed.begin(), needed.end(), s) == needed.end() &&
          (!farthest || next_use(s) > next_use(*farthest)))
        farthest = s;
    if (!farthest) return false;
    if (!tensors_[*farthest].stored) {
      spilled_.trace.at_line = line;
      move(*farthest, /*to_hbm=*/true);
      tensors_[*farthest].stored = true;
      ++spilled_.stores;
      spilled_.bytes += bytes_of(*farthest);
    }
    leave(*farthest);
    return true;
  }

  std::uint64_t bytes_of(std::uint32_t s) const {
    const Storage& storage = *trace_.storages[s];
    return static_cast<std::uint64_t>(storage.elements() * storage.element->bytes);
  }

  // Between SBUF and the tensor's slot in the area of its dtype.
  void move(std::uint32_t s, bool to_hbm) {
    const auto& storage = spilled_.trace.storages[tensors_[s].name];
    const std::shared_ptr<Storage>& area = area_of(*storage);
    if (!tensors_[s].slot) {
      tensors_[s].slot = area->shape[0];
      area->shape[0] += storage->elements();
    }
    const std::int64_t row = storage->row_elements();
    View slot;
    slot.storage = area;
    slot.element = storage->element;
    slot.offset = *tensors_[s].slot;
    slot.dims = {{row, storage->shape[0]}, {1, row}};
    View tile = reshape(whole(storage), {storage->shape[0], row});
    TransferWork work;
    work.kind = Transfer::kCopy;
    work.dst = spilled_.trace.side_of(to_hbm ? slot : tile);
    work.sources = {spilled_.trace.side_of(to_hbm ? tile : slot)};
    spilled_.trace.transfer(std::move(work), std::nullopt);
  }

  const std::shared_ptr<Storage>& area_of(const Storage& storage) {
    std::shared_ptr<Storage>& area = areas_[storage.element];
    if (area) return area;
    Storage made;
    made.name = "spilled";
    made.named = true;
    made.buffer = Buffer::kPrivateHbm;
    made.element = storage.element;
    made.shape = {0};
    made.id = static_cast<std::uint32_t>(spilled_.trace.storages.size());
    area = std::make_shared<Storage>(std::move(made));
    spilled_.trace.storages.push_back(area);
    return area;
  }

  const Trace& trace_;
  TensorUses uses_;
  Spilled spilled_;
  std::int64_t room_, held_ = 0;  // units of SBUF
  std::vector<Tensor> tensors_;
  std::vector<std::uint32_t> number_;  // of each entry, in the new trace
  std::set<std::uint32_t> resident_;
  std::map<const Element*, std::shared_ptr<Storage>> areas_;
};

}  // namespace

std::optional<Spilled> with_spills(const Trace& trace, std::int64_t share) {
  if (!is_movable(trace)) return std::nullopt;
  for (const Recorded& entry : trace.entries)
    if (is_fence(entry)) return std::nullopt;
  return Spiller(trace, share).run();
}

}  // namespace tahoma::runtime::nki
