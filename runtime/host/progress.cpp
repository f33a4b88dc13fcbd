// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "runtime/report/summary/format.h"

namespace tahoma::runtime {

ProgressLine::ProgressLine() : terminal_(isatty(STDERR_FILENO) == 1) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::stage(const std::string& what) {
  start_ = std::chrono::steady_clock::now();
  show("[" + what + "]");
}

void ProgressLine::update(const model::Progress& progress) {
  if (!terminal_) return;
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start_;
  show(progress_text(progress, elapsed.count()));
}

void ProgressLine::clear() {
  if (shown_ > 0) fmt::print(stderr, "\r{:{}}\r", "", shown_);
  shown_ = 0;
}

void ProgressLine::show(const std::string& line) {
  if (!terminal_) return;
  fmt::print(stderr, "\r{:<{}}", line, shown_);
  std::fflush(stderr);
  shown_ = line.size();
}

std::string progress_text(const model::Progress& p, double seconds) {
  const auto done = static_cast<double>(p.instructions_done),
             total = static_cast<double>(p.instructions_total);
  const double fraction = total > 0 ? done / total : 0;
  const double rate = seconds > 0 ? done / seconds : 0;
  const bool mega = rate >= 1e6;
  std::string text =
      fmt::format("[{:3.0f} %] {} simulated, {:.1f} {} instructions/s", std::min(99.0, 100 * fraction),
                  time_text(p.simulated), mega ? rate * 1e-6 : rate * 1e-3, mega ? "M" : "k");
  if (rate > 0 && done < total) {
    const long left = std::lround((total - done) / rate);
    text += fmt::format(", ETA {}:{:02}", left / 60, left % 60);
  }
  return text;
}

}  // namespace tahoma::runtime
