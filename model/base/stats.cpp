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
  }
  TAHOMA_INVARIANT(false, "unit " + std::to_string(static_cast<int>(unit)));
}

}  // namespace tahoma::base
