// SPDX-License-Identifier: Apache-2.0
// The waves of a SystemVerilog block: an FST file of all its signals. The file's time counts half cycles of
// the block's own clock. This is the only place below `runtime` that opens a file; Verilator does it.
#pragma once

#include <string>

namespace tahoma::rtl {

class Waves {
 public:
  virtual ~Waves() = default;
  // Records the cycles in which show_waves(true) is in effect. Returns false if the file cannot be written.
  virtual bool open_waves(const std::string& file) = 0;
  virtual void show_waves(bool on) = 0;
};

// Returns FOLDER/PLACE.fst, or throws E-RTL-004 at `place`.
void open_waves(Waves& block, const std::string& folder, const std::string& place);

}  // namespace tahoma::rtl
