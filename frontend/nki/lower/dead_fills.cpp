// SPDX-License-Identifier: Apache-2.0
#include "frontend/nki/lower/dead_fills.h"

#include <algorithm>
#include <map>
#include <set>

#include "frontend/nki/lower/memory/tensor_regions.h"
#include "frontend/nki/lower/order/reordered.h"
#include "frontend/nki/lower/rectangles.h"

namespace tahoma::runtime::nki {

namespace {

// A memset whose bytes nothing has read so far.
struct Fill {
  std::uint32_t entry;
  std::vector<Region> left;                // what matmuls have not overwritten
  std::vector<std::uint32_t> overwriters;  // these matmuls
};

bool fills_psum(const Recorded& entry) {
  return entry.instruction.op == isa::Opcode::kMemset && entry.instruction.value == 0 && !entry.transfer &&
         !is_fence(entry) && entry.instruction.dst.space == isa::Space::kPsum;
}

bool overlaps(const std::vector<Region>& some, const std::vector<Region>& others) {
  for (const Region& a : some)
    for (const Region& b : others)
      if (area_of(common(a, b)) > 0) return true;
  return false;
}

std::vector<Region> without(const std::vector<Region>& from, const std::vector<Region>& holes) {
  std::vector<Region> remaining = from;
  for (const Region& hole : holes) {
    std::vector<Region> next;
    for (const Region& r : remaining) {
      const Region inside = common(r, hole);
      if (area_of(inside) == 0)
        next.push_back(r);
      else
        add_around(r, inside, next);
    }
    remaining = std::move(next);
  }
  return remaining;
}

class DeadFills {
 public:
  explicit DeadFills(const Trace& trace) : trace_(trace) {
    for (std::uint32_t e = 0; e < trace.entries.size(); ++e) visit(e);
  }

  const std::set<std::uint32_t>& dead() const { return dead_; }
  const std::set<std::uint32_t>& overwriters() const { return overwriters_; }

 private:
  void visit(std::uint32_t e) {
    const Recorded& entry = trace_.entries[e];
    if (is_fence(entry)) return fills_.clear();
    for (const Access& access : tensor_accesses(trace_, entry)) use(e, access);
    if (!fills_psum(entry)) return;
    for (const Access& access : tensor_accesses(trace_, entry))
      if (access.write) fills_[access.region.buffer].push_back({e, rectangles_of(access.region), {}});
  }

  void use(std::uint32_t e, const Access& access) {
    const auto found = fills_.find(access.region.buffer);
    if (found == fills_.end()) return;
    const Recorded& entry = trace_.entries[e];
    const bool overwrites = access.write && entry.weights && !entry.accumulate.value_or(false);
    const std::vector<Region> used = rectangles_of(access.region);
    std::erase_if(found->second, [&](Fill& fill) {
      if (!overlaps(fill.left, used)) return false;
      if (!overwrites || !without(used, fill.left).empty()) return true;
      fill.left = without(fill.left, used);
      fill.overwriters.push_back(e);
      if (!fill.left.empty()) return false;
      dead_.insert(fill.entry);
      overwriters_.insert(fill.overwriters.begin(), fill.overwriters.end());
      return true;
    });
  }

  const Trace& trace_;
  std::map<std::uint32_t, std::vector<Fill>> fills_;  // by tensor
  std::set<std::uint32_t> dead_, overwriters_;
};

}  // namespace

Trace without_dead_fills(const Trace& trace) {
  if (!is_movable(trace)) return trace;
  const DeadFills found(trace);
  if (found.dead().empty()) return trace;
  Trace lean = trace;
  for (const std::uint32_t e : found.overwriters()) lean.entries[e].accumulate = false;
  std::vector<std::uint32_t> kept, number(trace.entries.size());
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e) {
    number[e] = static_cast<std::uint32_t>(kept.size());
    if (!found.dead().contains(e)) kept.push_back(e);
  }
  std::vector<Recorded> entries;
  entries.reserve(kept.size());
  for (const std::uint32_t e : kept) {
    Recorded& entry = entries.emplace_back(std::move(lean.entries[e]));
    std::erase_if(entry.after, [&](std::uint32_t before) { return found.dead().contains(before); });
    for (std::uint32_t& before : entry.after) before = number[before];
  }
  lean.entries = std::move(entries);
  return lean;
}

}  // namespace tahoma::runtime::nki
