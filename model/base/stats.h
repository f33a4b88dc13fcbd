// SPDX-License-Identifier: Apache-2.0
// The statistics tree: every number has a path, a unit and a sentence that describes it. Declarations
// (declared.h) make the tree at the end of a run; writers (JSON, CSV, text) iterate over the list.
#pragma once

#include <cstdint>
#include <string>
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
  kTeraflops
};
inline constexpr std::size_t kUnits = 8;
const char* name_of(Unit unit);

struct Stat {
  std::string path;  // instance path + name: "server0.chip03.core5.tensor.busy"
  std::variant<std::uint64_t, double> value;
  Unit unit = Unit::kCount;
  const char* doc = "";
  bool adds = true;  // over instances; a mean, a percentile, a maximum or a rate does not
};

class StatSink {
 public:
  void add(std::string path, std::uint64_t value, Unit unit, const char* doc, bool adds = true) {
    stats_.push_back({std::move(path), value, unit, doc, adds});
  }
  void add(std::string path, double value, Unit unit, const char* doc, bool adds = true) {
    stats_.push_back({std::move(path), value, unit, doc, adds});
  }
  const std::vector<Stat>& stats() const { return stats_; }

 private:
  std::vector<Stat> stats_;
};

}  // namespace tahoma::base
