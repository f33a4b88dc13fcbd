// SPDX-License-Identifier: Apache-2.0
// What a run records of the signals of its blocks in SystemVerilog: an option of the run (`tahoma run --waves`)
// and no parameter of the machine.
#pragma once

#include <string>

#include "model/base/units.h"

namespace tahoma::base {

struct WavesWindow {
  std::string folder;                          // of one file for each instance; "": no waves
  Duration from{0}, until{1'000'000'000'000};  // simulated time; the first millisecond by default
  bool wanted() const { return !folder.empty(); }
  bool shows(Time at) const { return at.fs >= from.fs && at.fs < until.fs; }
};

}  // namespace tahoma::base
