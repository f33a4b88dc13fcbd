// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/execution/worker.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/report/files/manifest.h"
#include "runtime/sweep/results/atomic_files.h"

namespace tahoma::runtime {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void refuse(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

// Held while it lives.
class PointLock {
 public:
  explicit PointLock(const std::filesystem::path& folder)
      : descriptor_(open((folder / "lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644)) {
    if (descriptor_ < 0) refuse("points/ID/lock");
    while (flock(descriptor_, LOCK_EX) != 0)
      if (errno != EINTR) refuse("points/ID/lock");
  }
  ~PointLock() { close(descriptor_); }
  PointLock(const PointLock&) = delete;
  PointLock& operator=(const PointLock&) = delete;

 private:
  int descriptor_;
};

[[noreturn]] void be_point(const std::filesystem::path& folder, const WorkerLimits& limits, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(static_cast<int>(base::ExitStatus::kHost));
  signal(SIGINT, SIG_DFL);
  signal(SIGALRM, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);  // whoever waits holds SIGCHLD back
  const int log = open((folder / "log.txt").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (log >= 0) {
    dup2(log, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
  }
  if (limits.time > 0) alarm(static_cast<unsigned>(std::ceil(limits.time)));  // outlives the exec
  const std::string config = (folder / "config.yaml").string(), out = (folder / "out").string();
  execl("/proc/self/exe", "tahoma", "run", config.c_str(), "--out", out.c_str(), nullptr);
  _exit(static_cast<int>(base::ExitStatus::kHost));
}

// What the process has in memory; 0 when it has ended. Its address space says nothing: a machine reserves the
// whole of its HBM.
std::uint64_t resident(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  std::uint64_t size = 0, pages = 0;
  if (!(file >> size >> pages)) return 0;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

// Until the child ends, which it is made to when it has more memory than it may.
void watch_memory(pid_t child, base::Bytes most, const sigset_t& child_ended) {
  constexpr timespec kPause{0, 20'000'000};
  siginfo_t ended{};
  while (waitid(P_PID, static_cast<id_t>(child), &ended, WEXITED | WNOHANG | WNOWAIT) == 0 &&
         ended.si_pid == 0) {
    if (resident(child) > most.count) kill(child, SIGKILL);
    sigtimedwait(&child_ended, nullptr, &kPause);
  }
}

// The last line with an error, else the last one.
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

// A killed run leaves the folder in which it gathered its files; the lock says that nobody is at work in it.
void remove_leftovers(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    std::error_code ignored;  // it costs room, nothing else
    if (entry.path().filename().string().starts_with(".out.partial-"))
      std::filesystem::remove_all(entry.path(), ignored);
  }
}

struct End {
  Outcome outcome;
  std::string reason;
};

End end_of(int status, std::uint64_t peak, const std::filesystem::path& folder, const WorkerLimits& limits) {
  // By the peak, whoever ended it: what a point is said to need does not depend on when it was looked at.
  if (limits.memory.count > 0 && peak > limits.memory.count)
    return {Outcome::kHost, "ran out of memory: more than " + to_text(limits.memory)};
  if (WIFSIGNALED(status)) {
    const int number = WTERMSIG(status);
    if (number == SIGALRM && limits.time > 0)
      return {Outcome::kTime, fmt::format("ran out of time: more than {:g} s", limits.time)};
    return {Outcome::kHost, fmt::format("ended by signal {} ({})", number, strsignal(number))};
  }
  const int code = WEXITSTATUS(status);
  if (code == 0) return {Outcome::kDone, ""};
  const std::string reason = reason_in(text_of_file(folder / "log.txt"));
  // A point that ends without a word could not write its log.
  const bool host = code >= static_cast<int>(base::ExitStatus::kHost);
  if (reason.find("error[E-OUT-") != std::string::npos || (reason.empty() && !host))
    return {Outcome::kFolder, reason.empty() ? fmt::format("exit status {} and an empty log", code) : reason};
  return {host ? Outcome::kHost : Outcome::kRefused,
          reason.empty() ? fmt::format("exit status {}", code) : reason};
}

Attempt run_once(const std::filesystem::path& folder, const std::string& executor,
                 const WorkerLimits& limits) {
  const Clock::time_point start = Clock::now();
  sigset_t child_ended;
  sigemptyset(&child_ended);
  sigaddset(&child_ended, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_ended, nullptr);
  const pid_t parent = getpid(), child = fork();
  if (child < 0) refuse("fork");
  if (child == 0) be_point(folder, limits, parent);
  if (limits.memory.count > 0) watch_memory(child, limits.memory, child_ended);
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) continue;
  const std::uint64_t peak = static_cast<std::uint64_t>(used.ru_maxrss) * 1024;
  const End end = end_of(status, peak, folder, limits);
  return {end.outcome,
          end.reason,
          executor,
          host_facts().host,
          std::chrono::duration<double>(Clock::now() - start).count(),
          peak};
}

}  // namespace

PointResult attempt_point(const std::filesystem::path& folder, const std::string& executor,
                          const WorkerLimits& limits) {
  const PointLock lock(folder);
  PointResult result;
  if (const auto before = read_result(folder)) {
    if (before->is_final()) return *before;
    result = *before;
  }
  remove_leftovers(folder);
  result.attempts.push_back(run_once(folder, executor, limits));
  write_result(folder, result);
  return result;
}

}  // namespace tahoma::runtime
