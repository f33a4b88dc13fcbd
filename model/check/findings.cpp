// SPDX-License-Identifier: Apache-2.0
#include "model/check/findings.h"

#include <algorithm>
#include <numeric>

namespace tahoma::model::check {
namespace {

struct KindRow {
  std::string_view code, name;
};
// By Kind.
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

bool Findings::is_new(Kind kind, const Origin& a, const Origin& b) {
  const auto n = static_cast<std::size_t>(kind);
  if (!known_[n].insert(pair_of(a, b)).second) return false;
  ++found_[n];
  return true;
}

void Findings::add_redundant(const Origin& a, const Origin& b, const std::function<std::string()>& text) {
  if (redundant_pairs_.insert(pair_of(a, b)).second && first_redundant_.size() < kInFull)
    first_redundant_.push_back(text());
}

void Findings::add_text(Kind kind, const std::string& text) {
  first_.push_back(std::string(code_of(kind)) + " " + std::string(name_of(kind)) + ": " + text);
}

}  // namespace tahoma::model::check
