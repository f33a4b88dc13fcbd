// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/process_start.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <system_error>
#include <utility>

#include "model/base/error.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

constexpr int kBodyFailed = 1;

[[noreturn]] void refuse(int reason, const std::string& what) {
  throw std::system_error(reason, std::generic_category(), what);
}

// Programs that a child executes do not inherit its ends.
class Pipe {
 public:
  Pipe() {
    if (pipe2(ends_.data(), O_CLOEXEC) != 0) refuse(errno, "pipe");
  }
  ~Pipe() {
    for (const int end : ends_)
      if (end >= 0) close(end);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;

  int reading() const { return ends_[0]; }
  int writing() const { return ends_[1]; }
  int take_reading() { return std::exchange(ends_[0], -1); }
  void close_writing() { close(std::exchange(ends_[1], -1)); }

 private:
  std::array<int, 2> ends_{-1, -1};
};

// Runs in the child.
void set_up(const ProcessOptions& options, pid_t parent) {
  if (options.own_group) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // outlives the exec
  if (getppid() != parent) _exit(static_cast<int>(base::ExitStatus::kHost));
  for (const int number : {SIGINT, SIGTERM, SIGALRM}) signal(number, SIG_DFL);
  if (signal(SIGHUP, SIG_DFL) == SIG_IGN) signal(SIGHUP, SIG_IGN);  // of nohup
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (options.limits.time > 0) alarm(static_cast<unsigned>(std::ceil(options.limits.time)));  // so does this
}

void redirect(int descriptor) {
  dup2(descriptor, STDOUT_FILENO);
  dup2(descriptor, STDERR_FILENO);
}

void open_log(const std::string& path) {
  constexpr mode_t kMode = 0644;
  const int log = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, kMode);
  if (log >= 0) redirect(log);
}

pid_t forked() {
  const pid_t process = fork();
  if (process < 0) refuse(errno, "fork");
  return process;
}

// The reason why the child cannot execute the program; 0 if it does, because that closes the pipe.
int reason_from(const Pipe& pipe) {
  int reason = 0;
  ssize_t n = 0;
  while ((n = ::read(pipe.reading(), &reason, sizeof reason)) < 0 && errno == EINTR) continue;
  return n == sizeof reason ? reason : 0;
}

}  // namespace

StartedProcess start_program(const std::vector<std::string>& words, const ProcessOptions& options) {
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  Pipe output, failure;
  const pid_t parent = getpid(), process = forked();
  if (process == 0) {
    set_up(options, parent);
    if (options.captured) redirect(output.writing());
    if (!options.log.empty()) open_log(options.log);
    if (options.program.empty())
      execvp(argv.front(), argv.data());
    else
      execv(options.program.c_str(), argv.data());
    const int reason = errno;
    write_all(failure.writing(), {reinterpret_cast<const char*>(&reason), sizeof reason});
    _exit(static_cast<int>(base::ExitStatus::kHost));
  }
  failure.close_writing();
  if (const int reason = reason_from(failure); reason != 0) {
    while (waitpid(process, nullptr, 0) < 0 && errno == EINTR) continue;
    refuse(reason, words.front());
  }
  return {process, options.captured ? output.take_reading() : -1};
}

StartedProcess start_function(const std::function<std::string()>& body, const ProcessOptions& options) {
  Pipe output;
  const pid_t parent = getpid(), process = forked();
  if (process != 0) return {process, output.take_reading()};
  set_up(options, parent);
  if (!options.log.empty()) open_log(options.log);
  // The child calls _exit, because it must not run the parent's destructors or flush its buffers.
  try {
    _exit(write_all(output.writing(), body()) ? 0 : kBodyFailed);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    std::fflush(stderr);
  }
  _exit(kBodyFailed);
}

}  // namespace tahoma::runtime
