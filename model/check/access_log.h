// SPDX-License-Identifier: Apache-2.0
// The latest accesses to the bytes of one memory. Accesses are filed in blocks. A record is dropped once a
// later one covers and implies it, so an access is compared with few records however long the run is.
#pragma once

#include <vector>

#include "model/check/footprint.h"
#include "model/check/origin.h"

namespace tahoma::model::check {

struct Record {
  Footprint footprint;
  Epoch point;  // the completion of the access
  Origin origin;
  bool write = false;
  std::uint64_t transfer = 0;  // number of a transfer that moves values (disputed_writes.h); 0: none
};

class AccessLog {
 public:
  explicit AccessLog(unsigned block_bits) : block_bits_(block_bits) {}

  // Calls found(record) for every earlier access that shares a byte with this one, if one of the two is a
  // write and ordered(record) is false.
  template <class Ordered, class Found>
  void conflicts(const Footprint& f, bool write, Ordered&& ordered, Found&& found);

  // Calls found(record) for every earlier write that shares a byte with this footprint.
  template <class Found>
  void writes_of(const Footprint& f, Found&& found) const;

  // Files an access. implied(record): its completion follows from that of the new access. settled(record):
  // every component that may access this memory later knows that it is complete.
  template <class Implied, class Settled>
  void add(const Record& record, Implied&& implied, Settled&& settled);

  std::size_t records() const { return slots_.size() - free_.size(); }

 private:
  using Id = std::uint32_t;
  struct Slot {
    Record record;
    std::uint32_t references = 0;
  };
  struct Entry {  // the bounds of the record's bytes, by which most records are skipped
    std::uint64_t begin, end;
    Id id;
  };
  struct Block {
    std::vector<Entry> writes, reads;
    std::size_t limit = kFirstLimit;
  };
  static constexpr std::size_t kFirstLimit = 64;
  static constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << 36) - 1;  // isa::GlobalAddress

  // HBM addresses are global: one log serves one stack.
  std::uint64_t block_of(std::uint64_t byte) const { return (byte & kOffsetMask) >> block_bits_; }
  Block& block(std::uint64_t number) {
    if (blocks_.size() <= number) blocks_.resize(number + 1);
    return blocks_[number];
  }
  template <class Predicate>
  void erase_if(std::vector<Entry>& list, Predicate&& predicate) {
    std::erase_if(list, [&](const Entry& e) {
      if (!predicate(e)) return false;
      if (--slots_[e.id].references == 0) free_.push_back(e.id);
      return true;
    });
  }
  Id new_slot(const Record& record) {
    if (free_.empty()) {
      slots_.push_back({record, 0});
      return static_cast<Id>(slots_.size() - 1);
    }
    const Id id = free_.back();
    free_.pop_back();
    slots_[id] = {record, 0};
    return id;
  }

  unsigned block_bits_;
  std::vector<Block> blocks_;
  std::vector<Slot> slots_;
  std::vector<Id> free_;
};

template <class Ordered, class Found>
void AccessLog::conflicts(const Footprint& f, bool write, Ordered&& ordered, Found&& found) {
  const std::uint64_t last = block_of(f.end - 1);
  for (std::uint64_t b = block_of(f.begin); b <= last && b < blocks_.size(); ++b) {
    const auto visit = [&](const std::vector<Entry>& list) {
      for (const Entry& e : list) {
        if (e.begin >= f.end || f.begin >= e.end) continue;
        const Record& r = slots_[e.id].record;
        // A pair of accesses that share several blocks is examined in the first one.
        if (!r.footprint.boxes_meet(f) || block_of(std::max(r.footprint.begin, f.begin)) != b) continue;
        if (!ordered(r) && overlap(r.footprint, f)) found(r);
      }
    };
    visit(blocks_[b].writes);
    if (write) visit(blocks_[b].reads);
  }
}

template <class Found>
void AccessLog::writes_of(const Footprint& f, Found&& found) const {
  const std::uint64_t last = block_of(f.end - 1);
  for (std::uint64_t b = block_of(f.begin); b <= last && b < blocks_.size(); ++b)
    for (const Entry& e : blocks_[b].writes) {
      const Record& r = slots_[e.id].record;
      if (block_of(std::max(r.footprint.begin, f.begin)) == b && overlap(r.footprint, f)) found(r);
    }
}

template <class Implied, class Settled>
void AccessLog::add(const Record& record, Implied&& implied, Settled&& settled) {
  const Footprint& f = record.footprint;
  const auto obsolete = [&](const Entry& e) {
    if (e.begin < f.begin || f.end < e.end) return false;
    const Record& r = slots_[e.id].record;
    return f.contains(r.footprint) && implied(r);
  };
  const auto known_to_all = [&](const Entry& e) { return settled(slots_[e.id].record); };
  const Id id = new_slot(record);
  const std::uint64_t last = block_of(f.end - 1);
  for (std::uint64_t b = block_of(f.begin); b <= last; ++b) {
    Block& here = block(b);
    erase_if(here.reads, obsolete);
    if (record.write) erase_if(here.writes, obsolete);
    (record.write ? here.writes : here.reads).push_back({f.begin, f.end, id});
    ++slots_[id].references;
    if (here.reads.size() + here.writes.size() <= here.limit) continue;
    // Records that every component knows can be dropped. The search runs each time a list has doubled.
    erase_if(here.reads, known_to_all);
    erase_if(here.writes, known_to_all);
    here.limit = std::max(kFirstLimit, 2 * (here.reads.size() + here.writes.size()));
  }
}

}  // namespace tahoma::model::check
