// SPDX-License-Identifier: Apache-2.0
// The progress line on standard error, `[ 42 %] 1.3 ms simulated, 2.1 M instructions/s, ETA 0:41`, rewritten
// in place. It is written only to a terminal and erased before other output.
#pragma once

#include <chrono>
#include <string>

#include "model/system/system.h"

namespace tahoma::runtime {

class ProgressLine {
 public:
  ProgressLine();  // checks whether standard error is a terminal
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void stage(const std::string& what);  // "placing tensors", "golden check"
  void update(const model::Progress& progress);
  void clear();

 private:
  void show(const std::string& line);
  bool terminal_;
  std::size_t shown_ = 0;  // characters on the line
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

// The text of the line after `seconds` of host time. The total counts loops once, so it may be exceeded: then
// the percentage stays at 99 and there is no ETA.
std::string progress_text(const model::Progress& progress, double seconds);

}  // namespace tahoma::runtime
