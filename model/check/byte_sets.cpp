// SPDX-License-Identifier: Apache-2.0
#include "model/check/byte_sets.h"

#include <algorithm>
#include <iterator>

namespace tahoma::model::check {

namespace {

// Calls f(group, its partitions of the footprint) until it returns true.
template <class F>
void for_each_group(const Footprint& footprint, F&& f) {
  const unsigned end = footprint.partition + unsigned{footprint.partitions};
  for (unsigned at = footprint.partition; at < end;) {
    const unsigned group = at / kGroupPartitions, first = group * kGroupPartitions,
                   count = std::min(end, first + kGroupPartitions) - at;
    const PartitionMask all = ~PartitionMask{0};
    const PartitionMask low = count == kGroupPartitions ? all : (PartitionMask{1} << count) - 1;
    if (f(group, low << (at - first))) return;
    at += count;
  }
}

// Returns what `search` finds in the first group in which it finds anything.
template <class Search>
std::optional<Stripe> found_in_groups(const Footprint& footprint, Search&& search) {
  std::optional<Stripe> found;
  for_each_group(footprint, [&](unsigned group, PartitionMask partitions) {
    found = search(group, partitions);
    if (found) found->first = group * kGroupPartitions;
    return found.has_value();
  });
  return found;
}

}  // namespace

std::vector<Stripe>::const_iterator GroupMap::from(std::uint64_t byte) const {
  return std::partition_point(stripes_.begin(), stripes_.end(),
                              [&](const Stripe& s) { return s.end <= byte; });
}

std::optional<Stripe> GroupMap::missing_in(const Stripe& wanted) const {
  std::uint64_t at = wanted.begin;
  for (auto s = from(at); at < wanted.end; ++s) {
    if (s == stripes_.end() || s->begin > at)
      return Stripe{at, s == stripes_.end() ? wanted.end : std::min(s->begin, wanted.end), wanted.partitions};
    if (const PartitionMask gone = wanted.partitions & ~s->partitions; gone != 0)
      return Stripe{at, std::min(s->end, wanted.end), gone};
    at = s->end;
  }
  return std::nullopt;
}

std::optional<Stripe> GroupMap::common_in(const Stripe& wanted) const {
  for (auto s = from(wanted.begin); s != stripes_.end() && s->begin < wanted.end; ++s)
    if (const PartitionMask both = wanted.partitions & s->partitions; both != 0)
      return Stripe{std::max(s->begin, wanted.begin), std::min(s->end, wanted.end), both};
  return std::nullopt;
}

std::optional<Stripe> GroupMap::missing(const Footprint& f, PartitionMask partitions) const {
  std::optional<Stripe> found = missing_in({f.begin, f.end, partitions});
  if (!found || f.is_box()) return found;
  found.reset();
  f.for_each_run([&](std::uint64_t begin, std::uint64_t end) {
    if (!found) found = missing_in({begin, end, partitions});
  });
  return found;
}

std::optional<Stripe> GroupMap::common(const Footprint& f, PartitionMask partitions) const {
  std::optional<Stripe> found = common_in({f.begin, f.end, partitions});
  if (!found || f.is_box()) return found;
  found.reset();
  f.for_each_run([&](std::uint64_t begin, std::uint64_t end) {
    if (!found) found = common_in({begin, end, partitions});
  });
  return found;
}

void GroupMap::insert(const Footprint& f, PartitionMask partitions) {
  if (!missing(f, partitions)) return;
  f.for_each_run([&](std::uint64_t begin, std::uint64_t end) { apply({begin, end, partitions}, true); });
}

void GroupMap::erase(const Footprint& f, PartitionMask partitions) {
  if (!common(f, partitions)) return;
  f.for_each_run([&](std::uint64_t begin, std::uint64_t end) { apply({begin, end, partitions}, false); });
}

void GroupMap::apply(const Stripe& change, bool add) {
  std::vector<Stripe> result;
  result.reserve(stripes_.size() + 3);
  const auto append = [&](std::uint64_t begin, std::uint64_t end, PartitionMask partitions) {
    if (begin >= end || partitions == 0) return;
    if (!result.empty() && result.back().end == begin && result.back().partitions == partitions)
      result.back().end = end;
    else
      result.push_back({begin, end, partitions});
  };
  const auto changed = [&](PartitionMask mask) {
    return add ? mask | change.partitions : mask & ~change.partitions;
  };
  std::uint64_t at = change.begin;  // how far the change has been applied
  for (const Stripe& s : stripes_) {
    if (s.end > change.begin) {
      const std::uint64_t gap_end = std::clamp(s.begin, at, change.end);
      append(at, gap_end, changed(0));
      at = gap_end;
    }
    if (s.end <= change.begin || s.begin >= change.end) {
      append(s.begin, s.end, s.partitions);
      continue;
    }
    append(s.begin, change.begin, s.partitions);
    append(at, std::min(s.end, change.end), changed(s.partitions));
    append(change.end, s.end, s.partitions);
    at = std::min(s.end, change.end);
  }
  append(at, change.end, changed(0));
  stripes_ = std::move(result);
}

void PartitionMap::insert(const Footprint& f) {
  for_each_group(f, [&](unsigned group, PartitionMask partitions) {
    groups_.at(group).insert(f, partitions);
    return false;
  });
}

void PartitionMap::erase(const Footprint& f) {
  for_each_group(f, [&](unsigned group, PartitionMask partitions) {
    groups_.at(group).erase(f, partitions);
    return false;
  });
}

std::optional<Stripe> PartitionMap::missing(const Footprint& f) const {
  return found_in_groups(
      f, [&](unsigned group, PartitionMask partitions) { return groups_.at(group).missing(f, partitions); });
}

std::optional<Stripe> PartitionMap::common(const Footprint& f) const {
  return found_in_groups(
      f, [&](unsigned group, PartitionMask partitions) { return groups_.at(group).common(f, partitions); });
}

bool PartitionMap::empty() const {
  return std::all_of(groups_.begin(), groups_.end(), [](const GroupMap& group) { return group.empty(); });
}

void ByteSet::insert(const Footprint& f) {
  if (!missing(f.begin, f.end)) return;
  f.for_each_run([&](std::uint64_t begin, std::uint64_t end) { insert(begin, end); });
}

void ByteSet::insert(std::uint64_t begin, std::uint64_t end) {
  auto next = ranges_.lower_bound(begin);
  if (next != ranges_.begin() && std::prev(next)->second >= begin) --next;
  if (next != ranges_.end() && next->first <= begin && next->second >= end) return;
  while (next != ranges_.end() && next->first <= end) {
    begin = std::min(begin, next->first);
    end = std::max(end, next->second);
    next = ranges_.erase(next);
  }
  ranges_.emplace_hint(next, begin, end);
}

std::optional<Footprint> ByteSet::missing(std::uint64_t begin, std::uint64_t end) const {
  const auto next = ranges_.upper_bound(begin);
  if (next != ranges_.begin()) begin = std::max(begin, std::prev(next)->second);
  if (begin >= end) return std::nullopt;
  Footprint gap;
  gap.begin = begin;
  gap.end = next == ranges_.end() ? end : std::min(end, next->first);
  gap.run = gap.end - gap.begin;
  return gap;
}

std::optional<Footprint> ByteSet::missing(const Footprint& f) const {
  std::optional<Footprint> found = missing(f.begin, f.end);
  if (!found || f.is_box()) return found;
  found.reset();
  f.for_each_run([&](std::uint64_t begin, std::uint64_t end) {
    if (!found) found = missing(begin, end);
  });
  return found;
}

}  // namespace tahoma::model::check
