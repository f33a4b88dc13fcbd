// SPDX-License-Identifier: Apache-2.0
// Sets of bytes of an on-chip memory (partitions x bytes) and of an HBM stack. Both are designed for few,
// large ranges; equal neighbours merge.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "model/base/units.h"
#include "model/check/footprint.h"

namespace tahoma::model::check {

using PartitionMask = base::Uint128;  // bit p: the partition p of a group
inline constexpr unsigned kGroupPartitions = 128;

// Bytes [begin, end) of each partition in `partitions`, counted from `first`.
struct Stripe {
  std::uint64_t begin = 0, end = 0;
  PartitionMask partitions = 0;
  unsigned first = 0;
};

// Bytes of up to kGroupPartitions adjacent partitions. `partitions` are those of the footprint.
class GroupMap {
 public:
  void insert(const Footprint& footprint, PartitionMask partitions);
  void erase(const Footprint& footprint, PartitionMask partitions);
  std::optional<Stripe> missing(const Footprint& footprint, PartitionMask partitions) const;
  std::optional<Stripe> common(const Footprint& footprint, PartitionMask partitions) const;
  bool empty() const { return stripes_.empty(); }

 private:
  void apply(const Stripe& change, bool add);
  std::optional<Stripe> missing_in(const Stripe& wanted) const;
  std::optional<Stripe> common_in(const Stripe& wanted) const;
  std::vector<Stripe>::const_iterator from(std::uint64_t byte) const;  // first stripe that ends after `byte`

  std::vector<Stripe> stripes_;  // ascending, disjoint, no empty masks
};

class PartitionMap {
 public:
  void insert(const Footprint& footprint);
  void erase(const Footprint& footprint);
  bool contains(const Footprint& footprint) const { return !missing(footprint); }
  // `missing` returns some bytes of the footprint that are not in the set, `common` some that are;
  // empty if none.
  std::optional<Stripe> missing(const Footprint& footprint) const;
  std::optional<Stripe> common(const Footprint& footprint) const;
  bool empty() const;

 private:
  std::array<GroupMap, isa::kMostPartitions / kGroupPartitions> groups_;
};

class ByteSet {
 public:
  void insert(const Footprint& footprint);
  void insert(std::uint64_t begin, std::uint64_t end);
  // Returns a range of bytes of the footprint that the set lacks, if any.
  std::optional<Footprint> missing(const Footprint& footprint) const;

 private:
  std::optional<Footprint> missing(std::uint64_t begin, std::uint64_t end) const;
  std::map<std::uint64_t, std::uint64_t> ranges_;  // begin to end: disjoint, not adjacent
};

}  // namespace tahoma::model::check
