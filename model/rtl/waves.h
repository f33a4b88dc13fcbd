// SPDX-License-Identifier: Apache-2.0
// The waves of a block in SystemVerilog: a file in FST of all its signals, whoever the block is. The file's
// time counts half cycles of the block's own clock. This is the one place below `runtime` where a file is
// opened: Verilator does.
#pragma once

#include <string>

namespace tahoma::rtl {

class Waves {
 public:
  virtual ~Waves() = default;
  // Into this file go the cycles for which show_waves(true) was said last. False: it cannot be written.
  virtual bool open_waves(const std::string& file) = 0;
  virtual void show_waves(bool on) = 0;
};

// FOLDER/PLACE.fst, or E-RTL-004 at `place`.
void open_waves(Waves& block, const std::string& folder, const std::string& place);

}  // namespace tahoma::rtl
