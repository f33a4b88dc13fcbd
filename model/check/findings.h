// SPDX-License-Identifier: Apache-2.0
// The findings of the checker: each kind is counted, and the first few are kept in full. A pair of
// instructions of the same two queues is one finding, however often it occurs.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "model/check/origin.h"

namespace tahoma::model::check {

struct Options {
  bool races = false;          // E-CHK-001, E-CHK-005
  bool uninitialised = false;  // E-CHK-002 to E-CHK-004
  bool any() const { return races || uninitialised; }
};

enum class Kind : std::uint8_t { kRace, kUninitialised, kOpenGroup, kNoGroup, kSemaphore };
inline constexpr std::size_t kKinds = 5;
std::string_view code_of(Kind kind);  // "E-CHK-001"
std::string_view name_of(Kind kind);  // "race"

class Findings {
 public:
  static constexpr std::size_t kInFull = 20;

  Options checked;
  std::uint64_t found(Kind kind) const { return found_[static_cast<std::size_t>(kind)]; }
  std::uint64_t total() const;
  // "E-CHK-001 race: ...", in the order of their discovery.
  const std::vector<std::string>& first() const { return first_; }

  // Counts the finding and returns true if it is the first of its kind between these two.
  bool is_new(Kind kind, const Origin& a, const Origin& b);
  bool wants_text() const { return first_.size() < kInFull; }
  void add_text(Kind kind, const std::string& text);

  // Pairs of transfers that write the same values into the same bytes of HBM, unordered. They are no findings.
  std::uint64_t redundant() const { return redundant_pairs_.size(); }
  const std::vector<std::string>& first_redundant() const { return first_redundant_; }
  void add_redundant(const Origin& a, const Origin& b, const std::function<std::string()>& text);

 private:
  using InstructionKey = std::pair<std::uint64_t, std::uint64_t>;     // core and queue, index
  using InstructionPair = std::pair<InstructionKey, InstructionKey>;  // ascending
  static InstructionPair pair_of(const Origin& a, const Origin& b);

  std::array<std::uint64_t, kKinds> found_{};
  std::array<std::set<InstructionPair>, kKinds> known_;
  std::vector<std::string> first_;
  std::set<InstructionPair> redundant_pairs_;
  std::vector<std::string> first_redundant_;
};

}  // namespace tahoma::model::check
