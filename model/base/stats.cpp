// SPDX-License-Identifier: Apache-2.0
#include "model/base/stats.h"

#include "model/base/error.h"

namespace tahoma::base {

const char* name_of(Unit unit) {
  switch (unit) {
    case Unit::kCount:
      return "count";
    case Unit::kBytes:
      return "B";
    case Unit::kNanoseconds:
      return "ns";
    case Unit::kFlop:
      return "flop";
    case Unit::kBytesPerSecond:
      return "B/s";
    case Unit::kRatio:
      return "ratio";
    case Unit::kPercent:
      return "%";
    case Unit::kTeraflops:
      return "TFLOPS";
    case Unit::kJoules:
      return "J";
    case Unit::kWatts:
      return "W";
    case Unit::kDollars:
      return "$";
    case Unit::kLitres:
      return "l";
    case Unit::kSquareMillimetres:
      return "mm2";
    case Unit::kIdentifier:
      return "id";
  }
  TAHOMA_INVARIANT(false, "unit " + std::to_string(static_cast<int>(unit)));
}

std::optional<Unit> unit_named(std::string_view name) {
  for (std::size_t n = 0; n < kUnits; ++n)
    if (const auto unit = static_cast<Unit>(n); name == name_of(unit)) return unit;
  return std::nullopt;
}

const char* name_of(Better better) { return better == Better::kMore ? "more" : "less"; }

}  // namespace tahoma::base
