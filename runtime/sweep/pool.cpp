// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/pool.h"

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <map>
#include <optional>
#include <system_error>

namespace tahoma::runtime {

namespace {

constexpr double kHeadroom = 1.2;  // over what a like point has needed

// "MemAvailable:   123 kB" of /proc/meminfo.
std::uint64_t available() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (std::uint64_t value = 0; file >> key >> value; std::getline(file, unit))
    if (key == "MemAvailable:") return value * 1024;
  return 0;
}

// A number in a file; nothing where there is none ("max").
std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

pid_t start(const std::filesystem::path& folder, const PoolOptions& options) {
  const std::vector<std::string> words{"tahoma",
                                       "point",
                                       folder.string(),
                                       "--time",
                                       fmt::format("{}", options.limits.time),
                                       "--memory",
                                       fmt::format("{}", options.limits.memory.count),
                                       "--with",
                                       fmt::format("{}", getpid())};
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawnattr_t apart;  // a group of its own: Ctrl-C is for the sweep
  posix_spawnattr_init(&apart);
  posix_spawnattr_setflags(&apart, POSIX_SPAWN_SETPGROUP);
  pid_t process = 0;
  const int reason = posix_spawn(&process, "/proc/self/exe", nullptr, &apart, argv.data(), environ);
  posix_spawnattr_destroy(&apart);
  if (reason != 0) throw std::system_error(reason, std::generic_category(), "starting a point");
  return process;
}

class Pool {
 public:
  Pool(const std::filesystem::path& points, const PoolOptions& options)
      : points_(points),
        options_(options),
        budget_(options.memory.count > 0 ? options.memory.count : free_memory().count) {}

  bool idle() const { return running_.empty(); }

  bool has_room(const Job& job) const {
    if (running_.empty()) return true;
    if (running_.size() >= std::max<std::size_t>(1, options_.jobs)) return false;
    const std::uint64_t left = budget_ - std::min(budget_, reserved());
    const auto need = need_of(job);
    return need ? *need <= left : false;
  }

  void run(const Job& job) {
    const std::uint64_t left = budget_ - std::min(budget_, reserved());
    const std::uint64_t need = need_of(job).value_or(left);
    running_.emplace(start(points_ / job.id, options_), Running{job, need});
  }

  // Nothing when a signal came first.
  std::optional<Job> await_one() {
    int status = 0;
    const pid_t process = waitpid(-1, &status, 0);
    const auto at = running_.find(process);
    if (at == running_.end()) return std::nullopt;
    const Job job = at->second.job;
    running_.erase(at);
    if (const auto result = read_result(points_ / job.id)) {
      std::uint64_t& peak = peaks_[job.workload];
      peak = std::max(peak, result->last().peak_bytes);
    }
    return job;
  }

 private:
  struct Running {
    Job job;
    std::uint64_t reserved;
  };
  std::uint64_t reserved() const {
    std::uint64_t sum = 0;
    for (const auto& [process, running] : running_) sum += running.reserved;
    return sum;
  }
  std::optional<std::uint64_t> need_of(const Job& job) const {
    if (options_.limits.memory.count > 0) return options_.limits.memory.count;
    const auto peak = peaks_.find(job.workload);
    if (peak == peaks_.end()) return std::nullopt;
    return static_cast<std::uint64_t>(kHeadroom * static_cast<double>(peak->second));
  }

  const std::filesystem::path& points_;
  const PoolOptions& options_;
  std::uint64_t budget_;
  std::map<pid_t, Running> running_;
  std::map<std::string, std::uint64_t> peaks_;  // by workload
};

}  // namespace

base::Bytes free_memory() {
  std::uint64_t free = available();
  const auto most = number_in("/sys/fs/cgroup/memory.max"), used = number_in("/sys/fs/cgroup/memory.current");
  if (most && used) free = std::min(free, *most - std::min(*most, *used));
  return {free};
}

void run_locally(const std::filesystem::path& points, const std::vector<Job>& jobs,
                 const PoolOptions& options, const std::function<void(const Job&)>& ended,
                 const std::function<bool()>& stop) {
  Pool pool(points, options);
  std::size_t next = 0;
  while (next < jobs.size() || !pool.idle()) {
    while (next < jobs.size() && !stop() && pool.has_room(jobs[next])) pool.run(jobs[next++]);
    if (pool.idle()) return;
    if (const auto job = pool.await_one()) ended(*job);
  }
}

}  // namespace tahoma::runtime
