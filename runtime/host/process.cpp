// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/process.h"

#include <fmt/format.h>
#include <sys/poll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <system_error>
#include <utility>

#include "model/base/quantity.h"
#include "runtime/host/process_start.h"
#include "runtime/host/signals/unfinished.h"

namespace tahoma::runtime {

namespace {

constexpr int kPauseMs = 20;  // interval between samples of a child's memory

// Returns the resident memory of the process; 0 if it has ended. The size of its address space is
// meaningless, because a machine reserves the whole of its HBM.
std::uint64_t resident(pid_t process) {
  std::ifstream file(fmt::format("/proc/{}/statm", process));
  std::uint64_t size = 0, pages = 0;
  if (!(file >> size >> pages)) return 0;
  return pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
}

bool has_ended(pid_t process) {
  siginfo_t ended{};
  return waitid(P_PID, static_cast<id_t>(process), &ended, WEXITED | WNOHANG | WNOWAIT) != 0 ||
         ended.si_pid != 0;
}

// Blocks SIGCHLD while it lives, so that a child's end can be waited for with a time limit.
class ChildSignal {
 public:
  ChildSignal() {
    sigemptyset(&signal_);
    sigaddset(&signal_, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &signal_, &before_);
  }
  ~ChildSignal() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  ChildSignal(const ChildSignal&) = delete;
  ChildSignal& operator=(const ChildSignal&) = delete;

  void await() const {
    constexpr timespec kPause{0, kPauseMs * 1'000'000L};
    sigtimedwait(&signal_, nullptr, &kPause);
  }

 private:
  sigset_t signal_{}, before_{};
};

ProcessEnd end_of(int status, std::uint64_t peak, const ProcessLimits& limits) {
  using Reason = ProcessEnd::Reason;
  // The peak decides, however the process ended, so that the reported need seldom depends on the times of
  // samples.
  if (limits.memory.count > 0 && peak > limits.memory.count)
    return {Reason::kMemoryLimit, 0, base::to_text(limits.memory)};
  if (!WIFSIGNALED(status)) return {Reason::kExited, WEXITSTATUS(status), ""};
  if (WTERMSIG(status) == SIGALRM && limits.time > 0)
    return {Reason::kTimeLimit, 0, fmt::format("{:g} s", limits.time)};
  return {Reason::kSignal, WTERMSIG(status), ""};
}

}  // namespace

std::string ProcessEnd::text() const {
  switch (reason) {
    case Reason::kExited:
      return fmt::format("exited with status {}", number);
    case Reason::kSignal:
      return fmt::format("ended by signal {} ({})", number, strsignal(number));
    case Reason::kTimeLimit:
      return "ran out of time: more than " + limit;
    case Reason::kMemoryLimit:
      return "ran out of memory: more than " + limit;
  }
  return "";
}

Process::Process(const std::vector<std::string>& words, ProcessOptions options)
    : options_(std::move(options)), inherited_(resident(getpid())) {
  const StartedProcess started = start_program(words, options_);
  id_ = started.id;
  remember_child(id_);
  output_end_ = started.output_end;
}

Process::Process(const std::function<std::string()>& body, ProcessOptions options)
    : options_(std::move(options)) {
  const StartedProcess started = start_function(body, options_);
  id_ = started.id;
  remember_child(id_);
  output_end_ = started.output_end;
}

Process::~Process() { kill_and_reap(); }

Process::Process(Process&& other) noexcept
    : id_(std::exchange(other.id_, 0)),
      output_end_(std::exchange(other.output_end_, -1)),
      options_(std::move(other.options_)),
      output_(std::move(other.output_)),
      inherited_(other.inherited_),
      sampled_(other.sampled_) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this == &other) return *this;
  kill_and_reap();
  id_ = std::exchange(other.id_, 0);
  output_end_ = std::exchange(other.output_end_, -1);
  options_ = std::move(other.options_);
  output_ = std::move(other.output_);
  inherited_ = other.inherited_;
  sampled_ = other.sampled_;
  return *this;
}

void Process::kill_and_reap() {
  close_output();
  if (id_ == 0) return;
  kill(id_, SIGKILL);
  while (waitpid(id_, nullptr, 0) < 0 && errno == EINTR) continue;
  forget_child(std::exchange(id_, 0));
}

void Process::close_output() {
  if (output_end_ >= 0) close(std::exchange(output_end_, -1));
}

bool Process::read_output() {
  char buffer[1 << 14];
  const ssize_t n = ::read(output_end_, buffer, sizeof buffer);
  if (n > 0) output_.append(buffer, static_cast<std::size_t>(n));
  if (n > 0 || (n < 0 && errno == EINTR)) return true;
  close_output();
  return false;
}

void Process::check_memory() {
  if (options_.limits.memory.count == 0) return;
  const std::uint64_t now = resident(id_);
  sampled_ = std::max(sampled_, now);
  if (now > options_.limits.memory.count) kill(id_, SIGKILL);
}

void Process::watch_memory() {
  const ChildSignal child_ended;
  while (!has_ended(id_)) {
    check_memory();
    child_ended.await();
  }
}

// Linux keeps the peak of the copy of this process that became the program.
std::uint64_t Process::peak_of(std::uint64_t counted) const {
  constexpr std::uint64_t kGrowth = std::uint64_t{16}
                                    << 20;  // of this process between its sample and the fork, at most
  const bool hides_its_own = inherited_ > 0 && counted <= inherited_ + kGrowth;
  return hides_its_own && options_.limits.memory.count > 0 ? sampled_ : counted;
}

ProcessResult Process::wait() {
  const bool watched = options_.limits.memory.count > 0;
  while (output_end_ >= 0) {
    pollfd ready{output_end_, POLLIN, 0};
    if (poll(&ready, 1, watched ? kPauseMs : -1) > 0) read_output();
    if (watched) check_memory();
  }
  if (watched) watch_memory();
  int status = 0;
  rusage used{};
  while (wait4(id_, &status, 0, &used) < 0 && errno == EINTR) continue;
  forget_child(std::exchange(id_, 0));
  const std::uint64_t peak = peak_of(static_cast<std::uint64_t>(used.ru_maxrss) * 1024);  // Linux counts KiB
  return {end_of(status, peak, options_.limits), std::move(output_), peak};
}

std::optional<pid_t> any_ended(const std::vector<pid_t>& ids) {
  siginfo_t ended{};
  if (waitid(P_ALL, 0, &ended, WEXITED | WNOWAIT) != 0) {
    if (errno == EINTR) return std::nullopt;
    throw std::system_error(errno, std::generic_category(), "waitid");
  }
  if (std::find(ids.begin(), ids.end(), ended.si_pid) != ids.end()) return ended.si_pid;
  waitpid(ended.si_pid, nullptr, WNOHANG);  // a child of the shell that executed this program
  return std::nullopt;
}

}  // namespace tahoma::runtime
