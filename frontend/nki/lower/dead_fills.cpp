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
    const std::vector<Access> accesses = tensor_accesses(trace_, entry);
    for (const Access& access : accesses) use(e, access);
    if (!fills_psum(entry)) return;
    for (const Access& access : accesses)
      if (access.write) fills_[access.region.buffer].push_back({e, rectangles_of(access.region), {}});
  }

  void use(std::uint32_t e, const Access& access) {
    const auto found = fills_.find(access.region.buffer);
    if (found == fills_.end()) return;
    const Recorded& entry = trace_.entries[e];
    const bool overwrites = access.write && entry.weights && !entry.accumulate.value_or(false);
    const std::vector<Region> used = rectangles_of(access.region);
    std::erase_if(found->second, [&](Fill& fill) {
      if (common_bytes(fill.left, used) == 0) return false;
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

std::optional<Trace> without_dead_fills(const Trace& trace) {
  if (!is_movable(trace) || std::none_of(trace.entries.begin(), trace.entries.end(), fills_psum))
    return std::nullopt;
  const DeadFills found(trace);
  if (found.dead().empty()) return std::nullopt;
  std::vector<std::uint32_t> kept;
  for (std::uint32_t e = 0; e < trace.entries.size(); ++e)
    if (!found.dead().contains(e)) kept.push_back(e);
  Trace lean = in_order(trace, kept);
  for (std::uint32_t n = 0; n < kept.size(); ++n)
    if (found.overwriters().contains(kept[n])) lean.entries[n].accumulate = false;
  return lean;
}

}  // namespace tahoma::runtime::nki
