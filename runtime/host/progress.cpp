// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/progress.h"

#include <fmt/format.h>
#include <sys/resource.h>
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

std::string rate_text(double rate, const char* unit) {
  const bool mega = rate >= 1e6;
  return fmt::format("{:.1f} {} {}/s", mega ? rate * 1e-6 : rate * 1e-3, mega ? "M" : "k", unit);
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

double used_processor_seconds() {
  double seconds = 0;
  for (const auto who : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
    rusage usage{};
    if (getrusage(who, &usage) == 0) seconds += seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
  }
  return seconds;
}

StageTime& stage_in(std::vector<StageTime>& stages, const std::string& what) {
  const auto known =
      std::find_if(stages.begin(), stages.end(), [&](const StageTime& s) { return s.what == what; });
  return known != stages.end() ? *known : stages.emplace_back(StageTime{.what = what});
}

constexpr double kLineSeconds = 1;  // between lines of one stage

}  // namespace

ProgressOutput progress_on_stderr(bool lines) {
  return {isatty(STDERR_FILENO) == 1,
          [] {
            const auto now = std::chrono::steady_clock::now().time_since_epoch();
            return std::chrono::duration<double>(now).count();
          },
          [](const std::string& text) {
            fmt::print(stderr, "{}", text);
            std::fflush(stderr);
          },
          lines, used_processor_seconds};
}

ProgressLine::ProgressLine(ProgressOutput output)
    : output_(std::move(output)), begin_(output_.seconds()), stage_begin_(begin_), line_at_(begin_) {}

ProgressLine::~ProgressLine() { clear(); }

void ProgressLine::stage(const std::string& what) {
  ended_ = stages();
  stage_ = what;
  stage_begin_ = line_at_ = output_.seconds();
  processor_begin_ = processor_seconds();
  show("[" + what + "]");
}

std::vector<StageTime> ProgressLine::stages() const {
  std::vector<StageTime> all = ended_;
  if (stage_.empty()) return all;
  StageTime& stage = stage_in(all, stage_);
  stage.wall_seconds += output_.seconds() - stage_begin_;
  stage.processor_seconds += processor_seconds() - processor_begin_;
  return all;
}

double ProgressLine::processor_seconds() const {
  return output_.processor_seconds ? output_.processor_seconds() : 0;
}

void ProgressLine::update(const model::Progress& progress) {
  show_now_and_then(progress_text(progress, output_.seconds() - stage_begin_));
}

void ProgressLine::count(std::size_t done, std::size_t total, const std::string& what) {
  show_now_and_then(count_text(done, total, what, output_.seconds() - begin_));
}

void ProgressLine::clear() {
  if (shown_ > 0) output_.write(fmt::format("\r{:{}}\r", "", shown_));
  shown_ = 0;
}

void ProgressLine::show_now_and_then(const std::string& line) {
  const double now = output_.seconds();
  if (!output_.terminal && now < line_at_ + kLineSeconds) return;
  line_at_ = now;
  show(line);
}

void ProgressLine::show(const std::string& line) {
  if (!output_.terminal) {
    if (output_.lines) output_.write(line + "\n");
    return;
  }
  output_.write(fmt::format("\r{:<{}}", line, shown_));
  shown_ = line.size();
}

std::string progress_text(const model::Progress& p, double seconds) {
  const auto done = static_cast<double>(p.instructions_done),
             total = static_cast<double>(p.instructions_total);
  const double fraction = total > 0 ? done / total : 0;
  const double rate = seconds > 0 ? done / seconds : 0;
  const double events = seconds > 0 ? static_cast<double>(p.events) / seconds : 0;
  const std::string text =
      fmt::format("{} {} simulated, {}, {}", percent_text(fraction), time_text(p.simulated),
                  rate_text(rate, "instructions"), rate_text(events, "events"));
  return rate > 0 && done < total ? text + eta_text((total - done) / rate) : text;
}

std::string count_text(std::size_t done, std::size_t total, const std::string& what, double seconds) {
  const double fraction = total > 0 ? static_cast<double>(done) / static_cast<double>(total) : 0;
  const std::string text = fmt::format("{} {} of {} {}", percent_text(fraction), done, total, what);
  return done > 0 && done < total ? text + eta_text(seconds * (1 - fraction) / fraction) : text;
}

}  // namespace tahoma::runtime
