// SPDX-License-Identifier: Apache-2.0
// Runs a program to its end in a folder and captures its output. Its standard input is empty and its output
// is not a terminal. It does not use the launcher of runtime/host, which its callers test.
#pragma once

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace tahoma::tests {

struct Finished {
  int status = -1;  // exit status, or 128 + the signal that ended it
  std::string out, err;
};

inline Finished run_program(const std::vector<std::string>& words, const std::string& folder = ".") {
  const TempDir captured;
  const std::string out = captured / "out", err = captured / "err";
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  const pid_t child = fork();
  if (child == 0) {
    constexpr int kMode = 0600;
    dup2(open("/dev/null", O_RDONLY), STDIN_FILENO);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT, kMode), STDOUT_FILENO);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT, kMode), STDERR_FILENO);
    if (chdir(folder.c_str()) == 0) execv(arguments[0], arguments.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status), contents(out), contents(err)};
}

// The tahoma of this build.
inline Finished tahoma_in(const std::string& folder, std::vector<std::string> words) {
  words.insert(words.begin(), TAHOMA_BINARY);
  return run_program(words, folder);
}

}  // namespace tahoma::tests
