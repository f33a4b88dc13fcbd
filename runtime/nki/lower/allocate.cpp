// SPDX-License-Identifier: Apache-2.0
#include "runtime/nki/lower/allocate.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "model/base/error.h"
#include "runtime/nki/lower/tensor_regions.h"

namespace tahoma::runtime::nki {

namespace {

constexpr std::int64_t kSbufUnit = 64;        // bytes: one HBM access, as the pools of runtime::Kernel
constexpr std::int64_t kNever = -1;           // no tensor has used these bytes
constexpr std::int64_t kForever = INT64_MAX;  // placed by hand

// One memory, in units that are allocated as a whole.
class Space {
 public:
  Space(std::int64_t bytes, std::int64_t unit)
      : unit_(unit), last_use_(static_cast<std::size_t>(bytes / unit), kNever) {}

  std::int64_t units(std::int64_t bytes) const { return (bytes + unit_ - 1) / unit_; }

  void reserve(std::int64_t byte, std::int64_t bytes, std::int64_t until) {
    const auto end = std::min<std::int64_t>((byte + bytes + unit_ - 1) / unit_,
                                            static_cast<std::int64_t>(last_use_.size()));
    for (std::int64_t u = byte / unit_; u < end; ++u) last_use_[static_cast<std::size_t>(u)] = until;
  }

  // The first byte for a tensor that is first used at `now`; nothing if there is no room.
  std::optional<std::int64_t> find(std::int64_t bytes, std::int64_t now, Allocation policy) const {
    const std::int64_t need = units(bytes), count = static_cast<std::int64_t>(last_use_.size());
    std::deque<std::int64_t> largest;  // indices of descending last uses in the window that ends at `u`
    std::optional<std::int64_t> best;
    std::int64_t best_use = now;
    for (std::int64_t u = 0; u < count; ++u) {
      while (!largest.empty() &&
             last_use_[static_cast<std::size_t>(largest.back())] <= last_use_[static_cast<std::size_t>(u)])
        largest.pop_back();
      largest.push_back(u);
      const std::int64_t first = u - need + 1;
      if (first < 0) continue;
      if (largest.front() < first) largest.pop_front();
      const std::int64_t use = last_use_[static_cast<std::size_t>(largest.front())];
      if (use >= best_use) continue;
      best = first * unit_;
      best_use = use;
      if (policy == Allocation::kFirstFit || use == kNever) break;
    }
    return best;
  }

 private:
  std::int64_t unit_;
  std::vector<std::int64_t> last_use_;  // of each unit: index of an entry
};

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
    text += fmt::format("\n  {:>7} bytes  {}{}", live[n]->row_bytes(), live[n]->text(),
                        live[n]->line == isa::kNoLine ? "" : ", " + place_of(trace, live[n]->line));
  if (live.size() > kShown) text += fmt::format("\n  and {} more", live.size() - kShown);
  throw base::UserError("E-NKI-020", place_of(trace, wanted.line), text, base::ExitStatus::kProgram);
}

}  // namespace

std::string place_of(const Trace& trace, std::uint32_t line) {
  if (line >= trace.lines.size()) return "";
  return fmt::format("{}:{}", trace.lines[line].file, trace.lines[line].line);
}

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

std::vector<Place> allocate(const Trace& trace, const std::vector<LiveRange>& ranges, Allocation policy) {
  const isa::Limits& limits = trace.limits();
  // Tensors of the front end itself lie behind what a kernel may use, as long as there is room.
  Space sbuf(trace.usable(), kSbufUnit), psum(limits.psum_bytes, limits.psum_bank_bytes),
      own(std::max<std::int64_t>(
              0, std::int64_t{limits.sbuf_bytes} - limits.sbuf_reserved - (trace.usable() + kSbufUnit)),
          kSbufUnit);
  std::vector<Place> places(trace.storages.size());
  std::vector<const Storage*> automatic;
  for (const auto& storage : trace.storages) {
    if (!storage->on_chip()) continue;
    Space& space = storage->buffer == Buffer::kSbuf ? sbuf : psum;
    if (storage->place) {
      places[storage->id] = *storage->place;
      space.reserve(storage->place->byte, storage->row_bytes(), kForever);
    } else if (ranges[storage->id].used()) {
      automatic.push_back(storage.get());
    }
  }
  std::stable_sort(automatic.begin(), automatic.end(), [&](const Storage* a, const Storage* b) {
    return ranges[a->id].first < ranges[b->id].first;
  });
  for (const Storage* storage : automatic) {
    const bool in_sbuf = storage->buffer == Buffer::kSbuf;
    Space& space = in_sbuf ? sbuf : psum;
    const LiveRange& range = ranges[storage->id];
    if (storage->implicit && in_sbuf) {
      if (const auto byte = own.find(storage->row_bytes(), range.first, Allocation::kRotating)) {
        const auto first = static_cast<std::int64_t>(own.units(trace.usable()) * kSbufUnit);
        places[storage->id] = {0, static_cast<std::uint32_t>(*byte + first)};
        own.reserve(*byte, storage->row_bytes(), range.last);
        continue;
      }
    }
    const auto byte = space.find(storage->row_bytes(), range.first, policy);
    if (!byte) refuse_full(trace, ranges, *storage, in_sbuf ? trace.usable() : limits.psum_bytes);
    places[storage->id] = {0, static_cast<std::uint32_t>(*byte)};
    space.reserve(*byte, storage->row_bytes(), range.last);
  }
  return places;
}

}  // namespace tahoma::runtime::nki
