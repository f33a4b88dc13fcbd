// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/execution/pool.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <utility>

#include "runtime/host/process.h"
#include "studies/sweep/execution/admission.h"

namespace tahoma::runtime {

namespace {

// "MemAvailable:   123 kB" of /proc/meminfo.
std::uint64_t available() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (std::uint64_t value = 0; file >> key >> value; std::getline(file, unit))
    if (key == "MemAvailable:") return value * 1024;
  return 0;
}

// Reads the number in a file; nothing if there is none ("max").
std::optional<std::uint64_t> number_in(const char* path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  if (file >> value) return value;
  return std::nullopt;
}

Process start_worker(const std::filesystem::path& folder, const PoolOptions& options) {
  std::vector<std::string> words{"tahoma", "point", folder.string()};
  for (const std::string& word : words_of(options.point)) words.push_back(word);
  ProcessOptions how;
  how.program = kThisProgram;
  how.own_group = true;  // Ctrl-C is for the sweep
  return Process(words, how);
}

class Pool {
 public:
  Pool(const std::filesystem::path& points, const PoolOptions& options)
      : points_(points),
        options_(options),
        admission_(options.memory.count > 0 ? options.memory : free_memory(), options.jobs,
                   options.point.limits.memory) {}

  bool idle() const { return running_.empty(); }
  bool has_room(const Job& job) const { return admission_.may_start(job.workload); }

  void run(const Job& job) {
    Process process = start_worker(points_ / job.id, options_);
    const pid_t id = process.id();
    running_.emplace(id, Running{job, admission_.start(job.workload), std::move(process)});
  }

  // Returns nothing if a signal came first.
  std::optional<Job> await_one() {
    std::vector<pid_t> ids;
    for (const auto& [id, running] : running_) ids.push_back(id);
    const auto id = any_ended(ids);
    if (!id) return std::nullopt;
    Running ended = std::move(running_.extract(*id).mapped());
    ended.process.wait();  // its result is in its folder
    const auto result = read_result(points_ / ended.job.id);
    admission_.end(ended.job.workload, ended.part,
                   result ? std::optional(result->last().peak_bytes) : std::nullopt);
    return ended.job;
  }

 private:
  struct Running {
    Job job;
    std::uint64_t part;  // of the memory
    Process process;
  };
  const std::filesystem::path& points_;
  const PoolOptions& options_;
  Admission admission_;
  std::map<pid_t, Running> running_;
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
