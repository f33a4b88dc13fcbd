// SPDX-License-Identifier: Apache-2.0
// The end of a child process that must not run what its parent registered for exit. In a build with counters
// of executed lines (scripts/coverage) they are written first.
#pragma once

#include <unistd.h>

extern "C" void __gcov_dump() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier): libgcov's

namespace tahoma::tests {

[[noreturn]] inline void end_child(int status) {
  if (__gcov_dump != nullptr) __gcov_dump();
  _exit(status);
}

}  // namespace tahoma::tests
