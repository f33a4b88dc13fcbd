// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/progress.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

std::string percent_text(double fraction) {
  return fmt::format("[{:3.0f} %]", std::min(99.0, 100 * fraction));
}

std::string eta_text(double seconds_left) {
  const long left = std::lround(seconds_left);
  return fmt::format(", ETA {}:{:02}", left / 60, left % 60);
}

}  // namespace

ProgressOutput progress_on_stderr() {
  return {isatty(STDERR_FILENO) == 1,
          [] {
            const auto now = std::chrono::steady_clock::now().time_since_epoch();
            return std::chrono::duration<double>(now).count();
          },
          [](const std::string& text) {
            fmt::print(stderr, "{}", text);
            std::fflush(stderr);
          }};
}

ProgressLine::ProgressLine(ProgressOutput output)
    : output_(std::move(output)), begin_(output_.seconds()), stage_begin_(begin_) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::stage(const std::string& what) {
  stage_begin_ = output_.seconds();
  show("[" + what + "]");
}

void ProgressLine::update(const model::Progress& progress) {
  show(progress_text(progress, output_.seconds() - stage_begin_));
}

void ProgressLine::count(std::size_t done, std::size_t total, const std::string& what) {
  show(count_text(done, total, what, output_.seconds() - begin_));
}

void ProgressLine::clear() {
  if (shown_ > 0) output_.write(fmt::format("\r{:{}}\r", "", shown_));
  shown_ = 0;
}

void ProgressLine::show(const std::string& line) {
  if (!output_.terminal) return;
  output_.write(fmt::format("\r{:<{}}", line, shown_));
  shown_ = line.size();
}

std::string progress_text(const model::Progress& p, double seconds) {
  const auto done = static_cast<double>(p.instructions_done),
             total = static_cast<double>(p.instructions_total);
  const double fraction = total > 0 ? done / total : 0;
  const double rate = seconds > 0 ? done / seconds : 0;
  const bool mega = rate >= 1e6;
  const std::string text =
      fmt::format("{} {} simulated, {:.1f} {} instructions/s", percent_text(fraction), time_text(p.simulated),
                  mega ? rate * 1e-6 : rate * 1e-3, mega ? "M" : "k");
  return rate > 0 && done < total ? text + eta_text((total - done) / rate) : text;
}

std::string count_text(std::size_t done, std::size_t total, const std::string& what, double seconds) {
  const double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const std::string text = fmt::format("{} {} of {} {}", percent_text(fraction), done, total, what);
  return done > 0 && done < total ? text + eta_text(seconds * (1 - fraction) / fraction) : text;
}

}  // namespace tahoma::runtime
