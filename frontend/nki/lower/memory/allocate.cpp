// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/memory/allocate.h"

#include <fmt/format.h>

#include <algorithm>

#include "frontend/nki/lower/memory/address_space.h"
#include "frontend/nki/lower/memory/tensor_regions.h"
#include "model/base/error.h"

namespace tahoma::runtime::nki {

namespace {

constexpr std::int64_t kSbufUnit = 64;  // bytes: one HBM access, as the pools of runtime::Kernel
constexpr std::int64_t kPsumUnit = 64;  // bytes, where small tensors share a bank
constexpr std::int64_t kForever = INT64_MAX;

[[noreturn]] void refuse_full(const Trace& trace, const std::vector<LiveRange>& ranges, const Storage& wanted,
                              std::int64_t capacity) {
  const std::uint32_t now = ranges[wanted.id].first;
  std::string text = fmt::format(
      "{} needs {} bytes of each partition; {} has {}, of which these tensors hold:", wanted.text(),
      wanted.row_bytes(), name_of(wanted.buffer), capacity);
  std::vector<const Storage*> live;
  for (const auto& s : trace.storages)
    if (s->buffer == wanted.buffer && s->id != wanted.id &&
        (s->place || (ranges[s->id].used() && ranges[s->id].first <= now && ranges[s->id].last >= now)))
      live.push_back(s.get());
  std::stable_sort(live.begin(), live.end(),
                   [](const Storage* a, const Storage* b) { return a->row_bytes() > b->row_bytes(); });
  constexpr std::size_t kShown = 20;
  for (std::size_t n = 0; n < std::min(live.size(), kShown); ++n)
    text += fmt::format(
        "\n  {:>7} bytes  {}{}", live[n]->row_bytes(), live[n]->text(),
        live[n]->named && live[n]->line != isa::kNoLine ? ", " + place_of(trace, live[n]->line) : "");
  if (live.size() > kShown) text += fmt::format("\n  and {} more", live.size() - kShown);
  throw base::UserError("E-NKI-020", place_of(trace, wanted.line), text, base::ExitStatus::kProgram);
}

// The source of an elementwise instruction may give its bytes to the destination, if nothing reads it
// afterwards: the tensor whose place `wanted` can take, or null.
const Storage* in_place_source(const Trace& trace, const std::vector<LiveRange>& ranges,
                               const Storage& wanted) {
  const std::uint32_t now = ranges[wanted.id].first;
  const Recorded& entry = trace.entries[now];
  const isa::Instruction& i = entry.instruction;
  if (entry.transfer || is_fence(entry) || !is_elementwise(i.op) || i.dst.dtype != i.src0.dtype ||
      i.dst.offset != i.src0.offset || i.dst.stride != i.src0.stride || i.dst.partition != i.src0.partition)
    return nullptr;
  const Storage *source = nullptr, *written = nullptr;
  for (const Operand& o : entry.operands) {
    const Storage& storage = *trace.storages[o.storage];
    if (o.field == isa::FieldKind::kDst) written = &storage;
    if (o.field == isa::FieldKind::kSrc0) source = &storage;
  }
  const auto uses = std::count_if(entry.operands.begin(), entry.operands.end(), [&](const Operand& o) {
    return source != nullptr && o.storage == source->id;
  });
  const bool fits = written == &wanted && source != nullptr && uses == 1 && !source->place &&
                    !source->implicit && source->buffer == wanted.buffer &&
                    source->row_bytes() == wanted.row_bytes() && ranges[source->id].last == now;
  return fits ? source : nullptr;
}

}  // namespace

std::vector<Loop> loops_of(const Trace& trace) {
  using Kind = RegisterWork::Kind;
  std::vector<Loop> loops;
  std::vector<std::uint32_t> open;
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e) {
    const auto& work = trace.entries[e].registers;
    if (!work) continue;
    if (work->kind == Kind::kLoopBegin || work->kind == Kind::kWhileBegin) open.push_back(e);
    if (work->kind != Kind::kLoopEnd && work->kind != Kind::kWhileEnd) continue;
    loops.push_back({open.back(), e});
    open.pop_back();
  }
  return loops;
}

std::vector<LiveRange> live_ranges(const Trace& trace) {
  std::vector<LiveRange> ranges(trace.storages.size());
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e) {
    for_storages(trace.entries[e], [&](std::uint32_t storage) {
      LiveRange& range = ranges[storage];
      range.first = std::min(range.first, e);
      range.last = std::max(range.last, e);
    });
  }
  for (const Loop& loop : loops_of(trace))
    for (const auto& storage : trace.storages) {
      LiveRange& range = ranges[storage->id];
      const bool inside = range.used() && range.first < loop.end && range.last > loop.begin;
      if (!inside || storage->declared > loop.begin) continue;
      range.first = std::min(range.first, loop.begin);
      range.last = std::max(range.last, loop.end);
    }
  return ranges;
}

Units units_of(const Storage& storage, const isa::Limits& limits) {
  const auto rounded = [&](std::int64_t unit) { return (storage.row_bytes() + unit - 1) / unit; };
  if (storage.buffer == Buffer::kSbuf) return {rounded(kSbufUnit), 0};
  if (storage.buffer == Buffer::kPsum) return {0, rounded(limits.psum_bank_bytes)};
  return {0, 0};
}

Units capacity_of(const Trace& trace) {
  const isa::Limits& limits = trace.limits();
  return {trace.usable() / kSbufUnit, limits.psum_bytes / limits.psum_bank_bytes};
}

namespace {

// How tightly tensors are packed.
struct Packing {
  std::int64_t psum_unit = 0;  // bytes
  // Bytes that the kernel places by hand are free while it does not use them.
  bool shares_placed_bytes = false;
  // For tensors that rotate: those of SBUF with long lives lie together, from the highest address down. The
  // others rotate below them and leave no gaps between them.
  bool separates_long_lives = false;
};

// A life that is so many times as long as the median one is long (policy).
constexpr std::uint32_t kLong = 8;

std::uint32_t length(const LiveRange& range) { return range.last - range.first + 1; }

std::uint32_t median_length(const std::vector<const Storage*>& tensors,
                            const std::vector<LiveRange>& ranges) {
  if (tensors.empty()) return 0;
  std::vector<std::uint32_t> lengths;
  for (const Storage* storage : tensors) lengths.push_back(length(ranges[storage->id]));
  const auto middle = lengths.begin() + static_cast<std::ptrdiff_t>(lengths.size() / 2);
  std::nth_element(lengths.begin(), middle, lengths.end());
  return *middle;
}

// Places all tensors, or names the first one without room.
struct Allocated {
  std::vector<Place> places;
  const Storage* without_room = nullptr;
};

Allocated allocate_in(const Trace& trace, const std::vector<LiveRange>& ranges, Allocation policy,
                      const Packing& packing) {
  const isa::Limits& limits = trace.limits();
  // Tensors of the front end itself lie behind what a kernel may use, as long as there is room.
  AddressSpace sbuf(trace.usable(), kSbufUnit),
      psum(limits.psum_bytes, packing.psum_unit, limits.psum_bank_bytes),
      own(std::max<std::int64_t>(
              0, std::int64_t{limits.sbuf_bytes} - limits.sbuf_reserved - (trace.usable() + kSbufUnit)),
          kSbufUnit);
  Allocated made{std::vector<Place>(trace.storages.size()), nullptr};
  std::vector<const Storage*> automatic;
  for (const auto& storage : trace.storages) {
    if (!storage->on_chip()) continue;
    AddressSpace& space = storage->buffer == Buffer::kSbuf ? sbuf : psum;
    if (storage->place) {
      made.places[storage->id] = *storage->place;
      const LiveRange& used = ranges[storage->id];
      const bool shared = packing.shares_placed_bytes;
      space.place(storage->place->byte, storage->row_bytes(), shared ? used.first : 0,
                  shared ? used.last : kForever);
    } else if (ranges[storage->id].used()) {
      automatic.push_back(storage.get());
    }
  }
  std::stable_sort(automatic.begin(), automatic.end(), [&](const Storage* a, const Storage* b) {
    return ranges[a->id].first < ranges[b->id].first;
  });
  const std::uint32_t long_life = packing.separates_long_lives ? kLong * median_length(automatic, ranges) : 0;
  const Fit usual = policy == Allocation::kFirstFit ? Fit::kLowest : Fit::kLongestUnused;
  for (const Storage* storage : automatic) {
    const bool in_sbuf = storage->buffer == Buffer::kSbuf;
    AddressSpace& space = in_sbuf ? sbuf : psum;
    const LiveRange& range = ranges[storage->id];
    if (storage->implicit && in_sbuf) {
      if (const auto byte = own.find(storage->row_bytes(), range.first, range.last, Fit::kLongestUnused)) {
        const auto first = static_cast<std::int64_t>(own.units(trace.usable()) * kSbufUnit);
        made.places[storage->id] = {0, static_cast<std::uint32_t>(*byte + first)};
        own.reserve(*byte, storage->row_bytes(), range.last);
        continue;
      }
    }
    const bool separate = packing.separates_long_lives && in_sbuf && length(range) >= long_life;
    auto byte = space.find(storage->row_bytes(), range.first, range.last, separate ? Fit::kHighest : usual);
    if (!byte)
      if (const Storage* source = in_place_source(trace, ranges, *storage))
        byte = made.places[source->id].byte;
    if (!byte) {
      made.without_room = storage;
      return made;
    }
    made.places[storage->id] = {0, static_cast<std::uint32_t>(*byte)};
    space.reserve(*byte, storage->row_bytes(), range.last);
  }
  return made;
}

}  // namespace

std::vector<Place> allocate(const Trace& trace, const std::vector<LiveRange>& ranges, Allocation policy) {
  const isa::Limits& limits = trace.limits();
  Allocated made;
  for (const Packing& packing :
       {Packing{.psum_unit = limits.psum_bank_bytes},
        {.psum_unit = limits.psum_bank_bytes, .separates_long_lives = true},
        {.psum_unit = kPsumUnit},
        {.psum_unit = kPsumUnit, .separates_long_lives = true},
        {.psum_unit = kPsumUnit, .shares_placed_bytes = true},
        {.psum_unit = kPsumUnit, .shares_placed_bytes = true, .separates_long_lives = true}}) {
    if (packing.separates_long_lives && policy == Allocation::kFirstFit) continue;
    if (made = allocate_in(trace, ranges, policy, packing); made.without_room == nullptr) break;
  }
  if (made.without_room != nullptr)
    refuse_full(trace, ranges, *made.without_room,
                made.without_room->buffer == Buffer::kSbuf ? trace.usable() : limits.psum_bytes);
  return std::move(made.places);
}

}  // namespace tahoma::runtime::nki
