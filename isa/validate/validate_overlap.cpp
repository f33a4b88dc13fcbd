// SPDX-License-Identifier: Apache-2.0
// Checks overlapping operands of one instruction.
#include <algorithm>
#include <vector>

#include "isa/table/access.h"
#include "isa/validate/validate_rules.h"

namespace tahoma::isa {
namespace {

// Byte range of a partition, first to last.
struct Reach {
  std::int64_t first = 0, last = 0;
};
Reach reach_of(const Pattern& p) {
  Reach r{static_cast<std::int64_t>(p.offset), static_cast<std::int64_t>(p.offset) + p.element - 1};
  for (std::size_t d = 0; d < kFreeDims; ++d) {
    const std::int64_t step = p.stride[d] * (static_cast<std::int64_t>(p.count[d]) - 1);
    (step < 0 ? r.first : r.last) += step;
  }
  return r;
}

bool partitions_meet(const Pattern& a, const Pattern& b) {
  return a.partition < b.partition + b.partitions && b.partition < a.partition + a.partitions;
}

template <class Visit>
void for_each_element(const Pattern& p, Visit&& visit) {
  std::array<std::uint32_t, kFreeDims> at{};
  for (;;) {
    auto byte = static_cast<std::int64_t>(p.offset);
    for (std::size_t d = 0; d < kFreeDims; ++d) byte += p.stride[d] * at[d];
    visit(byte);
    std::size_t d = kFreeDims;
    while (d-- > 0 && ++at[d] == p.count[d]) at[d] = 0;
    if (d == static_cast<std::size_t>(-1)) return;
  }
}

// Compares element by element where the spans alone are inconclusive.
bool share_bytes(const Pattern& a, const Pattern& b) {
  const Reach r = reach_of(a), s = reach_of(b);
  if (a.space != b.space || !partitions_meet(a, b) || r.last < s.first || s.last < r.first) return false;
  std::vector<bool> taken(static_cast<std::size_t>(r.last - r.first + 1));
  for_each_element(a, [&](std::int64_t byte) {
    for (std::uint32_t n = 0; n < a.element; ++n) taken[static_cast<std::size_t>(byte - r.first + n)] = true;
  });
  bool shared = false;
  for_each_element(b, [&](std::int64_t byte) {
    for (std::int64_t at = byte; at < byte + b.element && !shared; ++at)
      shared = at >= r.first && at <= r.last && taken[static_cast<std::size_t>(at - r.first)];
  });
  return shared;
}

// The same elements in the same order are computed in place. (A shuffle reads whole groups of partitions.)
bool in_place(const Pattern& a, const Pattern& b) {
  for (std::size_t d = 0; d < kFreeDims; ++d)
    if (a.count[d] != b.count[d] || (a.count[d] > 1 && a.stride[d] != b.stride[d])) return false;
  return a.space == b.space && a.partition == b.partition && a.offset == b.offset && a.element == b.element;
}

// A destination that maps several elements to one address keeps only the last. Kernels that need only the
// reduction of an instruction use this to save space for the other result.
bool repeats(const Pattern& p) {
  for (std::size_t d = 0; d < kFreeDims; ++d)
    if (p.count[d] > 1 && p.stride[d] == 0) return true;
  return false;
}

bool one_element(const Pattern& p) {
  return std::all_of(p.count.begin(), p.count.end(), [](std::uint32_t count) { return count == 1; });
}

// Returns whether the instruction reads every byte of the source before it overwrites it: a shuffle of a tile
// in place reads the 32 partitions of a quadrant before it writes them, and a reduction to one element for
// each partition reads the whole row.
bool reads_first(const Instruction& i, const OperandAccess& w, const OperandAccess& other) {
  if (other.writes) return false;
  if (i.op == Opcode::kStreamShuffle) return i.dst == i.src0;
  return i.op == Opcode::kTensorReduce && one_element(w.pattern) &&
         w.pattern.partition == other.pattern.partition;
}

std::string text_of(const OperandAccess& w, const OperandAccess& other) {
  return std::string(other.writes ? "two destinations" : "a destination and a source") + " overlap in " +
         std::string(name_of(w.pattern.space)) + ", from byte " + std::to_string(reach_of(w.pattern).first) +
         " and byte " + std::to_string(reach_of(other.pattern).first) +
         " of their partitions on; expected disjoint operands, or the same tile";
}

}  // namespace

std::string overlap_of(const Instruction& instruction) {
  const AccessList list = accesses_of(instruction);
  const auto all = list.all();
  const auto destinations =
      std::count_if(all.begin(), all.end(), [](const OperandAccess& a) { return a.writes; });
  for (std::size_t w = 0; w < all.size(); ++w) {
    if (!all[w].writes) continue;
    if (destinations == 1 && repeats(all[w].pattern))
      return "a destination has a stride of 0 over several elements; expected a separate address for each";
    for (std::size_t other = 0; other < all.size(); ++other) {
      const bool seen = all[other].writes && other <= w;
      if (seen || in_place(all[w].pattern, all[other].pattern) ||
          reads_first(instruction, all[w], all[other]))
        continue;
      if (share_bytes(all[w].pattern, all[other].pattern)) return text_of(all[w], all[other]);
    }
  }
  return "";
}

void check_overlap(const Site& site) {
  const std::string overlap = overlap_of(site.instruction);
  if (!overlap.empty()) site.fail("E-ISA-044", overlap);
}

}  // namespace tahoma::isa
