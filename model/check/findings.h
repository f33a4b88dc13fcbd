// SPDX-License-Identifier: Apache-2.0
// The findings of the checker. A pair of instructions of the same two queues is one finding, however often it
// occurs. Reports group findings by the two places that they concern, and show the first finding of each
// group.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
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

// Locates two instructions by their lines of the source, or by their places in their programs
// ("add.vector[3]") if the programs have no source.
struct Places {
  std::string first, second;
};

// The findings of one kind at one pair of places, on any cores: within a core, or between two.
struct FindingGroup {
  Kind kind = Kind::kRace;
  Places places;                  // ascending
  std::uint64_t pairs = 0;        // of instructions
  std::uint64_t occurrences = 0;  // executions included
  std::string text;               // of the first, without its code; "" beyond the first groups
};
// "E-CHK-001 race: ..., 12 times (4 pairs of instructions) at kernel.py:9 and kernel.py:12"
std::string text_of(const FindingGroup& group);

class Findings {
 public:
  static constexpr std::size_t kInFull = 20;  // groups

  Options checked;
  std::uint64_t found(Kind kind) const { return found_[static_cast<std::size_t>(kind)]; }
  std::uint64_t total() const;
  // In the order of their discovery.
  const std::vector<FindingGroup>& groups() const { return groups_; }
  // The texts of the groups that have one.
  std::vector<std::string> first() const;

  // Counts one occurrence. The text is made for the first one of a group.
  void add(Kind kind, const Origin& a, const Origin& b, Places places,
           const std::function<std::string()>& text);

  // Pairs of transfers that write the same values into the same bytes of HBM, unordered. They are no
  // findings.
  std::uint64_t redundant() const { return redundant_pairs_.size(); }
  const std::vector<std::string>& first_redundant() const { return first_redundant_; }
  void add_redundant(const Origin& a, const Origin& b, const std::function<std::string()>& text);

 private:
  using InstructionKey = std::pair<std::uint64_t, std::uint64_t>;     // core and queue, index
  using InstructionPair = std::pair<InstructionKey, InstructionKey>;  // ascending
  static InstructionPair pair_of(const Origin& a, const Origin& b);

  std::array<std::uint64_t, kKinds> found_{};
  std::array<std::set<InstructionPair>, kKinds> known_;
  std::vector<FindingGroup> groups_;
  // The key also tells whether both instructions are of one core: programs of two cores may differ although
  // they have one name.
  std::map<std::tuple<Kind, std::string, std::string, bool>, std::size_t> group_at_;
  std::set<InstructionPair> redundant_pairs_;
  std::vector<std::string> first_redundant_;
};

}  // namespace tahoma::model::check
