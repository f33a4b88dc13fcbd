// SPDX-License-Identifier: Apache-2.0
#include "model/check/disputed_writes.h"

#include <algorithm>

namespace tahoma::model::check {
namespace {

std::vector<ByteRange> runs_within(const Footprint& f, std::uint64_t begin, std::uint64_t end) {
  std::vector<ByteRange> runs;
  f.for_each_run([&](std::uint64_t first, std::uint64_t last) {
    first = std::max(first, begin);
    last = std::min(last, end);
    if (first < last) runs.push_back({first, last});
  });
  std::sort(runs.begin(), runs.end(),
            [](const ByteRange& a, const ByteRange& b) { return a.begin < b.begin; });
  return runs;
}

}  // namespace

std::vector<ByteRange> common_bytes(const Footprint& a, const Footprint& b) {
  const std::uint64_t begin = std::max(a.begin, b.begin), end = std::min(a.end, b.end);
  const std::vector<ByteRange> first = runs_within(a, begin, end), second = runs_within(b, begin, end);
  std::vector<ByteRange> common;
  for (auto x = first.begin(), y = second.begin(); x != first.end() && y != second.end();) {
    const ByteRange both{std::max(x->begin, y->begin), std::min(x->end, y->end)};
    if (both.begin < both.end) common.push_back(both);
    x->end < y->end ? ++x : ++y;
  }
  return common;
}

void DisputedWrites::Dispute::add(const Race& race) {
  races.push_back(race);
  const auto shared = common_bytes(race.first.footprint, race.second.footprint);
  bytes.insert(bytes.end(), shared.begin(), shared.end());
}

void DisputedWrites::writes(const Race& race) {
  const Pair pair = pair_of(race.first.transfer, race.second.transfer);
  const auto [entry, is_new] = pairs_.try_emplace(pair);
  entry->second.add(race);
  if (!is_new) return;
  pairs_of_[pair.first].push_back(pair);
  pairs_of_[pair.second].push_back(pair);
}

bool DisputedWrites::read(const Race& race, Number writer, Number own) {
  const auto pair = pairs_.find(pair_of(writer, own));
  if (pair == pairs_.end() || pair->second.state == State::kRace) return false;
  if (pair->second.state == State::kOpen) pair->second.races.push_back(race);
  return true;
}

std::vector<DisputedWrites::Pair> DisputedWrites::pairs_decided_by(Number transfer) const {
  std::vector<Pair> decided;
  const auto mine = pairs_of_.find(transfer);
  if (mine == pairs_of_.end()) return decided;
  for (const Pair& pair : mine->second) {
    const Number other = pair.first == transfer ? pair.second : pair.first;
    if (moved_.contains(other)) decided.push_back(pair);
  }
  return decided;
}

std::vector<ByteRange> DisputedWrites::decided_by(Number transfer) const {
  std::vector<ByteRange> bytes;
  for (const Pair& pair : pairs_decided_by(transfer)) {
    const std::vector<ByteRange>& shared = pairs_.at(pair).bytes;
    bytes.insert(bytes.end(), shared.begin(), shared.end());
  }
  return bytes;
}

DisputedWrites::Verdict DisputedWrites::moved(Number transfer, const std::vector<bool>& changed) {
  Verdict verdict;
  auto next = changed.begin();
  const auto decide = [&](Dispute& d) {
    const auto end = next + static_cast<std::ptrdiff_t>(d.bytes.size());
    const bool harmless = std::find(next, end, true) == end;
    next = end;
    d.state = harmless ? State::kHarmless : State::kRace;
    std::vector<Race>& to = harmless ? verdict.harmless : verdict.races;
    to.insert(to.end(), d.races.begin(), d.races.end());
    d.races.clear();
    d.bytes.clear();
  };
  for (const Pair& pair : pairs_decided_by(transfer)) decide(pairs_.at(pair));
  moved_.insert(transfer);
  return verdict;
}

}  // namespace tahoma::model::check
