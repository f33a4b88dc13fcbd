// SPDX-License-Identifier: Apache-2.0
#include "model/check/findings.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace tahoma::model::check {
namespace {

struct KindRow {
  std::string_view code, name;
};
// The rows follow the order of Kind.
constexpr KindRow kRows[kKinds] = {{"E-CHK-001", "race"},
                                   {"E-CHK-002", "read of memory never written"},
                                   {"E-CHK-003", "read of an open accumulation group"},
                                   {"E-CHK-004", "accumulation onto no group"},
                                   {"E-CHK-005", "semaphore that depends on timing"}};

}  // namespace

std::string_view code_of(Kind kind) { return kRows[static_cast<std::size_t>(kind)].code; }
std::string_view name_of(Kind kind) { return kRows[static_cast<std::size_t>(kind)].name; }

std::uint64_t Findings::total() const {
  return std::accumulate(found_.begin(), found_.end(), std::uint64_t{0});
}

Findings::InstructionPair Findings::pair_of(const Origin& a, const Origin& b) {
  const auto place = [](const Origin& o) {
    return InstructionKey{std::uint64_t{o.core} * isa::kQueueCount + static_cast<std::uint64_t>(o.queue),
                          o.index};
  };
  const InstructionKey first = place(a), second = place(b);
  return {std::min(first, second), std::max(first, second)};
}

void Findings::add(Kind kind, const Origin& a, const Origin& b, Places places,
                   const std::function<std::string()>& text) {
  if (places.second < places.first) std::swap(places.first, places.second);
  const auto [at, is_new] =
      group_at_.try_emplace({kind, places.first, places.second, a.core == b.core}, groups_.size());
  if (is_new)
    groups_.push_back({kind, std::move(places), 0, 0, groups_.size() < kInFull ? text() : std::string()});
  FindingGroup& group = groups_[at->second];
  ++group.occurrences;
  const auto n = static_cast<std::size_t>(kind);
  if (!known_[n].insert(pair_of(a, b)).second) return;
  ++found_[n];
  ++group.pairs;
}

std::vector<std::string> Findings::first() const {
  std::vector<std::string> texts;
  for (const FindingGroup& group : groups_)
    if (!group.text.empty()) texts.push_back(check::text_of(group));
  return texts;
}

void Findings::add_redundant(const Origin& a, const Origin& b, const std::function<std::string()>& text) {
  if (redundant_pairs_.insert(pair_of(a, b)).second && first_redundant_.size() < kInFull)
    first_redundant_.push_back(text());
}

std::string text_of(const FindingGroup& group) {
  std::string text =
      std::string(code_of(group.kind)) + " " + std::string(name_of(group.kind)) + ": " + group.text;
  if (group.occurrences == 1) return text;
  text += "; " + std::to_string(group.occurrences) + " times";
  if (group.pairs > 1) text += " (" + std::to_string(group.pairs) + " pairs of instructions)";
  text += " at " + group.places.first;
  return group.places.first == group.places.second ? text : text + " and " + group.places.second;
}

}  // namespace tahoma::model::check
