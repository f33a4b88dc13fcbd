// SPDX-License-Identifier: Apache-2.0
// The progress line on standard error, `[ 42 %] 1.3 ms simulated, 2.1 M instructions/s, 8.0 M events/s, ETA
// 0:41`, rewritten in place. It is written only to a terminal and erased before other output. On request it
// is written elsewhere, too: as lines, at most one a second for each stage. It also measures the stages.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/system/system.h"
#include "runtime/host/stage_time.h"

namespace tahoma::runtime {

// Where progress goes, and the clock from which rates and remaining times follow.
struct ProgressOutput {
  bool terminal = false;
  std::function<double()> seconds;  // of the host, from any start
  std::function<void(const std::string&)> write;
  bool lines = false;                           // lines of their own where there is no terminal
  std::function<double()> processor_seconds{};  // of this process and its children; null: not measured
};
ProgressOutput progress_on_stderr(bool lines = false);

class ProgressLine {
 public:
  explicit ProgressLine(ProgressOutput output = progress_on_stderr());
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // Begins a stage: "placing tensors", "golden check".
  void stage(const std::string& what);
  std::vector<StageTime> stages() const;  // so far, in order; a stage that was begun twice is one
  void update(const model::Progress& progress);
  // Equal parts of the work, such as the cases of a suite. `what`: "cases have run"
  void count(std::size_t done, std::size_t total, const std::string& what);
  void clear();

 private:
  void show(const std::string& line);
  void show_now_and_then(const std::string& line);
  double processor_seconds() const;

  ProgressOutput output_;
  std::size_t shown_ = 0;  // characters on the line
  double begin_, stage_begin_, line_at_;
  double processor_begin_ = 0;  // of the stage
  std::string stage_;           // "": none yet
  std::vector<StageTime> ended_;
};

// Writes the text of the line after `seconds` of host time. The total counts loops once, so it may be
// exceeded: then the percentage stays at 99 and there is no ETA.
std::string progress_text(const model::Progress& progress, double seconds);
// The same for `done` of `total` equal parts of the work: "[ 30 %] 3 of 10 cases have run, ETA 0:41".
std::string count_text(std::size_t done, std::size_t total, const std::string& what, double seconds);

}  // namespace tahoma::runtime
