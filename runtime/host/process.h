// SPDX-License-Identifier: Apache-2.0
// The only launcher of child processes. It starts a program or a function of ours, with captured or logged
// output and limits, and describes how it ended. It forks instead of using posix_spawn, which can neither run
// a function nor end a child with its parent.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"

namespace tahoma::runtime {

// This is the executable file for another process of this program.
inline constexpr const char* kThisProgram = "/proc/self/exe";

// This says how a process ended.
struct ProcessEnd {
  enum class Reason : std::uint8_t { kExited, kSignal, kTimeLimit, kMemoryLimit };
  Reason reason = Reason::kExited;
  int number = 0;     // the exit status or the signal
  std::string limit;  // the limit that it exceeded: "2 s", "1 GiB"
  bool ok() const { return reason == Reason::kExited && number == 0; }
  // "exited with status 3", "ended by signal 9 (Killed)", "ran out of time: more than 2 s",
  // "ran out of memory: more than 1 GiB"
  std::string text() const;
};

struct ProcessLimits {
  double time = 0;        // seconds, rounded up to whole ones; 0: none
  base::Bytes memory{0};  // resident at its peak; 0: none. wait() samples it.
};

struct ProcessOptions {
  std::string program;     // the file to execute; "": the first word, searched in PATH
  bool captured = false;   // a program's standard output and error go to ProcessResult::output
  std::string log;         // or to this file, if it can be opened
  bool own_group = false;  // Ctrl-C in the terminal does not reach it
  ProcessLimits limits;
};

struct ProcessResult {
  ProcessEnd end;
  std::string output;  // what was captured, or what the function returned
  // This is the resident memory at its peak. The host counts the memory of this process to that of a program
  // that it starts. A program with a limit that needs less than this process has the largest of its samples
  // instead.
  std::uint64_t peak_bytes = 0;
};

// A running child. It is killed when its parent ends for any reason, and when this object is destroyed. It
// starts with default actions for SIGINT, SIGTERM and SIGALRM and with no signal blocked.
class Process {
 public:
  // Throws std::system_error if the host cannot start it, and std::errc::no_such_file_or_directory if there
  // is no such program.
  explicit Process(const std::vector<std::string>& words, ProcessOptions options = {});
  // Runs `body` in a copy of this process and returns its result to the parent. If it throws, the message
  // goes to standard error and the exit status is 1.
  explicit Process(const std::function<std::string()>& body, ProcessOptions options = {});
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  pid_t id() const { return id_; }
  // Readable when there is output or its end; -1 if nothing is captured.
  int descriptor() const { return output_end_; }
  // Waits for some output and keeps it; returns false at the end of the output.
  bool read_output();
  // Waits for the end of the child. Call it once.
  ProcessResult wait();

 private:
  void watch_memory();
  void check_memory();
  std::uint64_t peak_of(std::uint64_t counted) const;
  void close_output();
  void kill_and_reap();

  pid_t id_ = 0;  // 0: wait() has returned
  int output_end_ = -1;
  ProcessOptions options_;
  std::string output_;
  std::uint64_t inherited_ = 0;  // bytes that the host counts to a program besides its own
  std::uint64_t sampled_ = 0;    // largest sample of its memory
};

// Waits until one of these children has ended; Process::wait() still has to be called. Returns nothing if a
// signal arrives first.
std::optional<pid_t> any_ended(const std::vector<pid_t>& ids);

}  // namespace tahoma::runtime
