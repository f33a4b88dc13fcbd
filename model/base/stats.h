// SPDX-License-Identifier: Apache-2.0
// The statistics tree: every number has a path, a unit and a sentence that describes it. Declarations
// (declared.h) make the tree at the end of a run; writers (JSON, CSV, text) iterate over the list.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tahoma::base {

enum class Unit : std::uint8_t {
  kCount,
  kBytes,
  kNanoseconds,
  kFlop,
  kBytesPerSecond,
  kRatio,
  kPercent,
  kTeraflops,
  kJoules,
  kWatts,
  kDollars,
  kLitres,
  kSquareMillimetres,
  kIdentifier  // the number of a rank, a chip or a line: not a quantity, so only equality is meaningful
};
inline constexpr std::size_t kUnits = 14;
const char* name_of(Unit unit);
std::optional<Unit> unit_named(std::string_view name);

// Tells whether a smaller or a larger value is better. Unless the declaration says otherwise, less time, work
// and bytes are better, and higher rates and shares in use.
enum class Better : std::uint8_t { kLess, kMore };
const char* name_of(Better better);
constexpr Better usually_better(Unit unit) {
  switch (unit) {
    case Unit::kBytesPerSecond:
    case Unit::kRatio:
    case Unit::kPercent:
    case Unit::kTeraflops:
      return Better::kMore;
    default:
      return Better::kLess;
  }
}

struct Stat {
  std::string path;  // instance path + name: "server0.chip03.core5.tensor.busy"
  std::variant<std::uint64_t, double> value;
  Unit unit = Unit::kCount;
  const char* doc = "";
  bool adds = true;  // over instances; a mean, a percentile, a maximum or a rate does not
  Better better = usually_better(unit);
};

class StatSink {
 public:
  void add(std::string path, std::uint64_t value, Unit unit, const char* doc, bool adds = true) {
    add(std::move(path), value, unit, doc, adds, usually_better(unit));
  }
  void add(std::string path, double value, Unit unit, const char* doc, bool adds = true) {
    add(std::move(path), value, unit, doc, adds, usually_better(unit));
  }
  void add(std::string path, std::variant<std::uint64_t, double> value, Unit unit, const char* doc, bool adds,
           Better better) {
    stats_.push_back({std::move(path), value, unit, doc, adds, better});
  }
  const std::vector<Stat>& stats() const { return stats_; }

 private:
  std::vector<Stat> stats_;
};

}  // namespace tahoma::base
