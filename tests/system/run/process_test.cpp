// SPDX-License-Identifier: Apache-2.0
// The launcher of child processes: output, ends, limits, and the state that a child inherits.
#include "runtime/host/process.h"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

using namespace tahoma;
using runtime::Process, runtime::ProcessEnd, runtime::ProcessOptions, runtime::ProcessResult;
using tests::TempDir;

namespace {

constexpr std::uint64_t kMiB = 1 << 20;

ProcessResult shell(const std::string& script, ProcessOptions options = {}) {
  options.captured = true;
  return Process({"sh", "-c", script}, options).wait();
}

// Returns whether the process exists and is not a zombie.
bool runs(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string stat;
  std::getline(file, stat);
  const std::size_t name_end = stat.rfind(')');
  return name_end != std::string::npos && stat.at(name_end + 2) != 'Z';
}

// A limit against hangs only.
bool ends_soon(pid_t process) {
  for (int look = 0; look < 3000 && runs(process); ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return !runs(process);
}

std::string sleep_without_end() {
  while (true) pause();
}

}  // namespace

TEST_CASE("process: both outputs of a program are captured, and its exit status", "[process]") {
  const ProcessResult result = shell("echo out; echo err >&2; exit 3");
  CHECK(result.output == "out\nerr\n");
  CHECK(result.end.text() == "exited with status 3");
  CHECK_FALSE(result.end.ok());
  CHECK(result.peak_bytes > 0);
  CHECK(shell("exit 0").end.ok());
}

TEST_CASE("process: a signal that ends a program has its number and its name", "[process][must-fail]") {
  const ProcessEnd end = shell("kill -9 $$").end;
  CHECK(end.text() == "ended by signal 9 (Killed)");
  CHECK_FALSE(end.ok());
  CHECK(shell("kill -14 $$").end.reason == ProcessEnd::Reason::kSignal);  // SIGALRM, but no time limit
}

TEST_CASE("process: a program that does not exist is an exception and leaves no child",
          "[process][must-fail]") {
  try {
    Process({"tahoma-has-no-such-program"});
    FAIL("it started");
  } catch (const std::system_error& error) {
    CHECK(error.code() == std::errc::no_such_file_or_directory);
  }
  CHECK((waitpid(-1, nullptr, WNOHANG) == -1 && errno == ECHILD));
}

TEST_CASE("process: the time limit ends a program and a function", "[process][must-fail]") {
  ProcessOptions options;
  options.limits.time = 0.5;
  for (const ProcessEnd& end :
       {shell("exec sleep 600", options).end, Process(sleep_without_end, options).wait().end}) {
    CHECK(end.reason == ProcessEnd::Reason::kTimeLimit);
    CHECK(end.text() == "ran out of time: more than 0.5 s");
  }
}

TEST_CASE("process: the memory limit ends a function that exceeds it, and no other", "[process][must-fail]") {
  ProcessOptions options;
  options.limits.memory = {200 * kMiB};
  const auto greedy = [] {
    std::vector<char> memory(300 * kMiB);
    for (volatile char& byte : memory) byte = 1;  // the compiler may omit other stores
    return sleep_without_end();
  };
  const ProcessResult result = Process(greedy, options).wait();
  CHECK(result.end.reason == ProcessEnd::Reason::kMemoryLimit);
  CHECK(result.end.text() == "ran out of memory: more than 200 MiB");
  CHECK(result.peak_bytes > 200 * kMiB);
  const ProcessResult small = shell("echo small", options);
  CHECK(small.end.ok());
  CHECK(small.output == "small\n");
}

TEST_CASE("process: the memory of a program is its own, not that of the process that starts it",
          "[process]") {
  ProcessOptions options;
  options.limits.memory = {200 * kMiB};
  const auto large_parent = [&] {
    std::vector<char> memory(300 * kMiB);
    for (volatile char& byte : memory) byte = 1;
    const ProcessResult small = shell("echo small", options);
    return small.end.text() + (small.peak_bytes < 100 * kMiB ? ", small" : ", large");
  };
  CHECK(Process(large_parent).wait().output == "exited with status 0, small");
}

TEST_CASE("process: a log takes both outputs", "[process]") {
  const TempDir dir;
  ProcessOptions options;
  options.log = dir / "log";
  CHECK(Process({"sh", "-c", "echo out; echo err >&2"}, options).wait().output.empty());
  CHECK(tests::contents(dir / "log") == "out\nerr\n");
}

TEST_CASE("process: a child has its own process group only on request", "[process]") {
  const auto group = [] { return std::to_string(getpgrp()); };
  CHECK(Process(group).wait().output == std::to_string(getpgrp()));
  ProcessOptions options;
  options.own_group = true;
  Process apart(group, options);
  const pid_t id = apart.id();
  CHECK(apart.wait().output == std::to_string(id));
}

TEST_CASE("process: handlers and blocked signals of the parent do not reach the child", "[process]") {
  std::signal(SIGINT, SIG_IGN);
  sigset_t blocked;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, nullptr);
  CHECK(shell("kill -INT $$; echo ignored").end.number == SIGINT);
  CHECK(shell("kill -TERM $$; echo blocked").end.number == SIGTERM);
}

TEST_CASE("process: a child is killed with its object", "[process]") {
  pid_t id = 0;
  {
    const Process child({"sleep", "600"});
    id = child.id();
    CHECK(runs(id));
  }
  CHECK_FALSE(runs(id));
}

TEST_CASE("process: a child ends with a parent that is killed", "[process]") {
  const TempDir dir;
  const std::string file = dir / "id";
  const auto parent = [&]() -> std::string {
    const Process child({"sleep", "600"});
    std::ofstream(file) << child.id() << std::flush;
    raise(SIGKILL);
    return "";
  };
  CHECK(Process(parent).wait().end.number == SIGKILL);
  const pid_t child = std::atoi(tests::contents(file).c_str());
  REQUIRE(child > 0);
  CHECK(ends_soon(child));
}

TEST_CASE("process: of several children, the one that has ended is found", "[process]") {
  const Process sleeper({"sleep", "600"});
  Process quick({"true"});
  CHECK(runtime::any_ended({sleeper.id(), quick.id()}) == quick.id());
  CHECK(quick.wait().end.ok());
}

TEST_CASE("process: a signal ends the wait for several children", "[process]") {
  struct sigaction action {};
  action.sa_handler = [](int) {};
  sigaction(SIGALRM, &action, nullptr);
  const Process sleeper({"sleep", "600"});
  const pid_t self = getpid();
  const Process caller([self] {  // repeatedly, because a signal may come before the wait begins
    while (true) {
      kill(self, SIGALRM);
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return std::string();
  });
  CHECK(runtime::any_ended({sleeper.id(), caller.id()}) == std::nullopt);
}
