// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/execution/slurm.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/host/process.h"
#include "studies/batch/atomic_files.h"

namespace tahoma::runtime {

namespace {

namespace fs = std::filesystem;

std::string said_in(const ProcessResult& result) { return std::string(base::trimmed(result.output, " \n")); }

[[noreturn]] void refuse(const std::string& why) {
  throw base::UserError("E-SWP-060", "--executor slurm", why, base::ExitStatus::kHost);
}

[[noreturn]] void refuse(const std::string& command, const ProcessResult& result) {
  const std::string said = said_in(result);
  refuse(fmt::format("{}: {}", command, said.empty() ? result.end.text() : said));
}

ProcessResult run_command(const std::vector<std::string>& words) {
  ProcessOptions how;
  how.captured = true;
  how.own_group = true;  // Ctrl-C is for the sweep
  try {
    return Process(words, how).wait();
  } catch (const std::system_error& error) {
    if (error.code() != std::errc::no_such_file_or_directory) throw;
    refuse(fmt::format("there is no {} in PATH; expected Slurm's commands", words.front()));
  }
}

std::string quoted(const std::string& text) {
  std::string all = "'";
  for (const char c : text) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return all + "'";
}

// The longest array that this Slurm accepts.
std::size_t most_tasks() {
  constexpr std::size_t kDefault = 1000;
  const ProcessResult config = run_command({"scontrol", "show", "config"});
  if (!config.end.ok()) refuse("scontrol", config);
  std::istringstream lines(config.output);
  std::string key, equals;
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::size_t value = 0;
    if (words >> key >> equals >> value && key == "MaxArraySize") return std::max<std::size_t>(1, value - 1);
  }
  return kDefault;
}

// One array and the indices of its tasks that have not ended.
struct Array {
  std::string id;
  std::map<std::size_t, Job> open;
};

class Submission {
 public:
  Submission(const fs::path& points, const SlurmOptions& options)
      : points_(fs::absolute(points)), options_(options), folder_(points_.parent_path() / "slurm") {
    fs::create_directories(folder_);
  }

  Array submit(const std::vector<Job>& jobs) const {
    const std::string name = fmt::format("{}", std::chrono::system_clock::now().time_since_epoch().count());
    const fs::path list = folder_ / (name + ".txt"), script = folder_ / (name + ".sh");
    std::string ids;
    Array array;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      ids += jobs[i].id + "\n";
      array.open.emplace(i, jobs[i]);
    }
    write_whole(list, ids);
    write_whole(script, script_text(list));
    std::vector<std::string> words{"sbatch", "--parsable", "--job-name=tahoma", "--output=/dev/null",
                                   fmt::format("--array=0-{}{}", jobs.size() - 1,
                                               options_.jobs > 0 ? fmt::format("%{}", options_.jobs) : "")};
    words.insert(words.end(), options_.sbatch.begin(), options_.sbatch.end());
    words.push_back(script.string());
    const ProcessResult result = run_command(words);
    if (!result.end.ok()) refuse("sbatch", result);
    const std::string said = said_in(result);
    array.id = said.substr(0, said.find(';'));  // "JOB;CLUSTER"
    return array;
  }

 private:
  std::string script_text(const fs::path& list) const {
    return fmt::format(
        "#!/bin/sh\n"
        "# One task of a sweep's array: the point on its line of the list.\n"
        "id=$(sed -n \"$((SLURM_ARRAY_TASK_ID + 1))p\" {})\n"
        "exec {} point {}/\"$id\" --executor slurm {}\n",
        quoted(list.string()), quoted(fs::read_symlink("/proc/self/exe").string()), quoted(points_.string()),
        fmt::join(words_of(options_.point), " "));
  }

  fs::path points_;
  const SlurmOptions& options_;
  fs::path folder_;
};

// No task remains in Slurm's queue, however the sweep ends.
class Arrays {
 public:
  Arrays() = default;
  ~Arrays() {
    try {
      for (const Array& array : all)
        if (!array.open.empty()) run_command({"scancel", array.id});
    } catch (const std::exception&) {  // the host cannot start processes: the tasks end by themselves
    }
  }
  Arrays(const Arrays&) = delete;
  Arrays& operator=(const Arrays&) = delete;

  bool open() const {
    return std::any_of(all.begin(), all.end(), [](const Array& a) { return !a.open.empty(); });
  }

  std::vector<Array> all;
};

// Indices of an array's tasks that wait or run. There are none once Slurm has forgotten the job.
std::set<std::size_t> queued(const Array& array) {
  std::set<std::size_t> tasks;
  const ProcessResult result =
      run_command({"squeue", "--noheader", "--array", "--jobs=" + array.id,
                   "--states=PENDING,RUNNING,CONFIGURING,COMPLETING,SUSPENDED", "--format=%K"});
  if (!result.end.ok() && result.output.find("Invalid job id") == std::string::npos) refuse("squeue", result);
  if (result.end.ok()) {
    std::istringstream words(result.output);
    for (std::size_t task = 0; words >> task;) tasks.insert(task);
  }
  return tasks;
}

// "TIMEOUT", "OUT_OF_MEMORY", as long as Slurm remembers the job.
std::string state_of(const Array& array, std::size_t task) {
  const ProcessResult result =
      run_command({"scontrol", "show", "job", fmt::format("{}_{}", array.id, task), "--oneliner"});
  const std::string key = "JobState=";
  const std::size_t at = result.output.find(key);
  if (at == std::string::npos) return "gone";
  return result.output.substr(at + key.size(), result.output.find(' ', at) - at - key.size());
}

std::size_t attempts_of(const fs::path& folder) {
  const auto result = read_result(folder);
  return result ? result->attempts.size() : 0;
}

void note_lost(const fs::path& folder, const std::string& state) {
  SweepPointResult result = read_result(folder).value_or(SweepPointResult{});
  result.attempts.push_back(
      {state == "TIMEOUT" ? Outcome::kTime : Outcome::kHost, "Slurm says " + state, "slurm", "", 0, 0});
  write_result(folder, result);
}

}  // namespace

void run_on_slurm(const fs::path& points, const std::vector<Job>& jobs, const SlurmOptions& options,
                  const std::function<void(const Job&)>& ended, const std::function<bool()>& stop) {
  const Submission submission(points, options);
  const std::size_t most = most_tasks();
  std::map<std::string, std::size_t> before;
  for (const Job& job : jobs) before[job.id] = attempts_of(points / job.id);
  Arrays arrays;
  for (std::size_t first = 0; first < jobs.size(); first += most) {
    const auto begin = jobs.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = jobs.begin() + static_cast<std::ptrdiff_t>(std::min(jobs.size(), first + most));
    arrays.all.push_back(submission.submit({begin, end}));
  }
  while (arrays.open() && !stop()) {
    std::this_thread::sleep_for(std::chrono::duration<double>(options.poll));
    for (Array& array : arrays.all) {
      if (array.open.empty()) continue;
      const std::set<std::size_t> still = queued(array);
      for (auto task = array.open.begin(); task != array.open.end();) {
        if (still.contains(task->first)) {
          ++task;
          continue;
        }
        const Job job = task->second;
        if (attempts_of(points / job.id) == before[job.id])
          note_lost(points / job.id, state_of(array, task->first));
        task = array.open.erase(task);
        ended(job);
      }
    }
  }
}

}  // namespace tahoma::runtime
