// SPDX-License-Identifier: Apache-2.0
// The window of time in which a run records the signals of its SystemVerilog blocks. It is an option of the
// run (`tahoma run --waves`), not a parameter of the machine.
#pragma once

#include <string>

#include "model/base/units.h"

namespace tahoma::base {

struct WavesWindow {
  std::string folder;                          // has one file for each instance; "": no waves
  Duration from{0}, until{1'000'000'000'000};  // simulated time; the first millisecond by default
  bool wanted() const { return !folder.empty(); }
  bool shows(Time at) const { return at.fs >= from.fs && at.fs < until.fs; }
};

}  // namespace tahoma::base
