// SPDX-License-Identifier: Apache-2.0
// The one launcher of child processes: a program or a function of ours, with captured or logged output, limits,
// and one vocabulary for how it ended. It forks rather than using posix_spawn, which can neither run a function
// nor tie the life of a child to that of its parent.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/units.h"

namespace tahoma::runtime {

// The file to execute for another process of this program.
inline constexpr const char* kThisProgram = "/proc/self/exe";

// How a process ended.
struct ProcessEnd {
  enum class Reason : std::uint8_t { kExited, kSignal, kTimeLimit, kMemoryLimit };
  Reason reason = Reason::kExited;
  int number = 0;     // the exit status or the signal
  std::string limit;  // that it exceeded: "2 s", "1 GiB"
  bool ok() const { return reason == Reason::kExited && number == 0; }
  // "exited with status 3", "ended by signal 9 (Killed)", "ran out of time: more than 2 s",
  // "ran out of memory: more than 1 GiB"
  std::string text() const;
};

struct ProcessLimits {
  double time = 0;        // seconds, rounded up to whole ones; 0: none
  base::Bytes memory{0};  // resident at its peak; 0: none. It is watched during wait().
};

struct ProcessOptions {
  std::string program;     // the file to execute; "": the first word, looked for in PATH
  bool captured = false;   // a program's standard output and error go to ProcessResult::output
  std::string log;         // or to this file, if it can be opened
  bool own_group = false;  // Ctrl-C in the terminal does not reach it
  ProcessLimits limits;
};

struct ProcessResult {
  ProcessEnd end;
  std::string output;  // what was captured, or what the function returned
  std::uint64_t peak_bytes = 0;
};

// A running child. It is killed when its parent ends, in whatever way, and when this object is destroyed. It starts
// with default actions for SIGINT, SIGTERM and SIGALRM and with no signal blocked.
class Process {
 public:
  // Throws std::system_error if the host cannot start it; std::errc::no_such_file_or_directory without the program.
  explicit Process(const std::vector<std::string>& words, ProcessOptions options = {});
  // Runs `body` in a copy of this process and sends back what it returns. If it throws, the message goes to
  // standard error and the exit status is 1.
  explicit Process(const std::function<std::string()>& body, ProcessOptions options = {});
  ~Process();
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  pid_t id() const { return id_; }
  // Readable when output has come or has ended; -1 if nothing is captured.
  int descriptor() const { return output_end_; }
  // Waits for some output and keeps it; false at the end of the output.
  bool read_output();
  // Until it has ended. Call it once.
  ProcessResult wait();

 private:
  void watch_memory();
  void check_memory();
  void close_output();
  void kill_and_reap();

  pid_t id_ = 0;  // 0: has been waited for
  int output_end_ = -1;
  ProcessOptions options_;
  std::string output_;
};

// Waits until one of these children has ended, and leaves it to Process::wait(). Nothing if a signal came first.
std::optional<pid_t> any_ended(const std::vector<pid_t>& ids);

}  // namespace tahoma::runtime
