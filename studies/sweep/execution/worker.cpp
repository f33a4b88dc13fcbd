// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/execution/worker.h"

#include <fmt/format.h>

#include <chrono>

#include "model/base/error.h"
#include "runtime/host/host_lock.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/process.h"
#include "studies/batch/atomic_files.h"

namespace tahoma::runtime {

namespace {

using Clock = std::chrono::steady_clock;

Process start_simulation(const std::filesystem::path& folder, const PointOptions& options) {
  ProcessOptions how;
  how.program = kThisProgram;
  how.log = (folder / "log.txt").string();
  how.limits = options.limits;
  std::vector<std::string> words{"tahoma", "run", (folder / "config.yaml").string(), "--out",
                                 (folder / "out").string()};
  if (!options.full) words.emplace_back("--slim");
  if (options.repeat > 0)
    words.insert(words.end(), {"--repeat", std::to_string(options.repeat), "--jobs", "1"});
  return Process(words, how);
}

// The last line with an error, or else the last line.
std::string reason_in(const std::string& log) {
  std::string last, error;
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const std::string line = log.substr(at, end - at);
    if (!line.empty()) last = line;
    if (line.find("error[") != std::string::npos || line.find("invariant") != std::string::npos) error = line;
    at = end + 1;
  }
  return error.empty() ? last : error;
}

// A killed run leaves its temporary folder behind; the lock shows that no process works in it.
void remove_leftovers(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::error_code ignored;  // a leftover only takes space
    if (entry.path().filename().string().starts_with(".out.partial-"))
      std::filesystem::remove_all(entry.path(), ignored);
  }
}

struct End {
  Outcome outcome;
  std::string reason;
};

End end_of(const ProcessEnd& end, const std::filesystem::path& folder) {
  if (end.ok()) return {Outcome::kDone, ""};
  if (end.reason == ProcessEnd::Reason::kTimeLimit) return {Outcome::kTime, end.text()};
  if (end.reason != ProcessEnd::Reason::kExited) return {Outcome::kHost, end.text()};
  const std::string reason = reason_in(text_of_file(folder / "log.txt"));
  // A point that ends with an empty log could not write its log.
  const bool host = end.number >= static_cast<int>(base::ExitStatus::kHost);
  if (reason.find("error[E-OUT-") != std::string::npos || (reason.empty() && !host))
    return {Outcome::kFolder, reason.empty() ? end.text() + " and left an empty log" : reason};
  return {host ? Outcome::kHost : Outcome::kRefused, reason.empty() ? end.text() : reason};
}

Attempt run_once(const std::filesystem::path& folder, const std::string& executor,
                 const PointOptions& options) {
  const Clock::time_point start_time = Clock::now();
  const ProcessResult result = start_simulation(folder, options).wait();
  const End end = end_of(result.end, folder);
  return {end.outcome,
          end.reason,
          executor,
          host_facts().host,
          std::chrono::duration<double>(Clock::now() - start_time).count(),
          result.peak_bytes};
}

}  // namespace

std::vector<std::string> words_of(const PointOptions& options) {
  std::vector<std::string> words{"--time", fmt::format("{}", options.limits.time), "--memory",
                                 fmt::format("{}", options.limits.memory.count)};
  if (options.repeat > 0) words.insert(words.end(), {"--repeat", std::to_string(options.repeat)});
  if (options.full) words.emplace_back("--full");
  return words;
}

SweepPointResult attempt_point(const std::filesystem::path& folder, const std::string& executor,
                               const PointOptions& options) {
  const HostLock lock = HostLock::of_file(folder / "lock");
  SweepPointResult result;
  if (const auto before = read_result(folder)) {
    if (before->is_final()) return *before;
    result = *before;
  }
  remove_leftovers(folder);
  result.attempts.push_back(run_once(folder, executor, options));
  write_result(folder, result);
  return result;
}

}  // namespace tahoma::runtime
