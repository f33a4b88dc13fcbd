// SPDX-License-Identifier: Apache-2.0
#include "runtime/validation/accuracy/children.h"

#include <fmt/format.h>
#include <sys/poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <exception>
#include <system_error>

namespace tahoma::runtime {

namespace {

constexpr int kBodyFailed = 1;

struct Child {
  std::size_t body = 0;
  pid_t process = 0;
  int pipe = -1;  // what it sends arrives here
};

[[noreturn]] void refuse(const char* what) { throw std::system_error(errno, std::generic_category(), what); }

bool send(int pipe, const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t n = ::write(pipe, text.data() + sent, text.size() - sent);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    sent += static_cast<std::size_t>(n);
  }
  return true;
}

// Leaves without the parent's destructors and buffers, which are not the child's to flush.
[[noreturn]] void be_child(const std::function<std::string()>& body, int pipe, pid_t parent) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);  // nobody reads what is sent after the parent
  if (getppid() != parent) _exit(kBodyFailed);
  try {
    _exit(send(pipe, body()) ? 0 : kBodyFailed);
  } catch (const std::exception& e) {
    fmt::print(stderr, "{}\n", e.what());
    std::fflush(stderr);
  }
  _exit(kBodyFailed);
}

Child start(std::size_t number, const std::function<std::string()>& body, const std::vector<Child>& running) {
  int ends[2];
  if (pipe(ends) != 0) refuse("pipe");
  const pid_t parent = getpid();
  const pid_t process = fork();
  if (process < 0) {
    const int reason = errno;
    close(ends[0]);
    close(ends[1]);
    errno = reason;
    refuse("fork");
  }
  if (process == 0) {
    close(ends[0]);
    for (const Child& other : running) close(other.pipe);
    be_child(body, ends[1], parent);
  }
  close(ends[1]);
  return {number, process, ends[0]};
}

std::string end_of(int status) {
  if (WIFSIGNALED(status))
    return fmt::format("ended by signal {} ({})", WTERMSIG(status), strsignal(WTERMSIG(status)));
  return WEXITSTATUS(status) == 0 ? "" : fmt::format("ended with status {}", WEXITSTATUS(status));
}

// Reads what has come; true when the child has closed its end.
bool drain(const Child& child, ChildResult& result) {
  char buffer[1 << 14];
  const ssize_t n = ::read(child.pipe, buffer, sizeof buffer);
  if (n > 0) result.text.append(buffer, static_cast<std::size_t>(n));
  return n == 0 || (n < 0 && errno != EINTR);
}

void reap(const Child& child, ChildResult& result) {
  close(child.pipe);
  int status = 0;
  while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) continue;
  result.failure = end_of(status);
}

void wait_for_any(const std::vector<Child>& running, std::vector<pollfd>& pipes) {
  pipes.clear();
  for (const Child& child : running) pipes.push_back({child.pipe, POLLIN, 0});
  if (poll(pipes.data(), pipes.size(), -1) < 0 && errno != EINTR) refuse("poll");
}

}  // namespace

std::vector<ChildResult> run_in_children(const std::vector<std::function<std::string()>>& bodies,
                                         std::size_t jobs, const std::function<void(std::size_t)>& progress) {
  std::vector<ChildResult> results(bodies.size());
  std::vector<Child> running;
  std::vector<pollfd> pipes;
  std::size_t started = 0, ended = 0;
  while (ended < bodies.size()) {
    for (; started < bodies.size() && running.size() < std::max<std::size_t>(jobs, 1); ++started)
      running.push_back(start(started, bodies[started], running));
    wait_for_any(running, pipes);
    for (std::size_t i = pipes.size(); i-- > 0;) {
      if (pipes[i].revents == 0 || !drain(running[i], results[running[i].body])) continue;
      reap(running[i], results[running[i].body]);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(i));
      progress(++ended);
    }
  }
  return results;
}

}  // namespace tahoma::runtime
