// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

#include "model/base/error.h"
#include "runtime/cli/command_line.h"

// libsystemc requires this symbol because it has its own main(), which ours replaces.
extern "C" int sc_main(int, char**) { return EXIT_FAILURE; }

namespace {

bool no_memory_left = false;  // an allocation has failed

// Libraries allocate where they may not throw: libstdc++ while it lists a folder, the JSON library while it destroys a value.
[[noreturn]] void terminated() {
  if (!no_memory_left) std::abort();
  constexpr char kText[] = "tahoma: error[E-HOST-001]: the host has no memory left\n";
  static_cast<void>(write(STDERR_FILENO, kText, sizeof kText - 1));
  _exit(static_cast<int>(tahoma::base::ExitStatus::kHost));
}

[[noreturn]] void out_of_memory() {
  no_memory_left = true;
  throw std::bad_alloc();
}

// Before the objects of static storage, whose constructors allocate too.
__attribute__((constructor(101))) void expect_failures() {
  std::set_new_handler(out_of_memory);
  std::set_terminate(terminated);
}

}  // namespace

int main(int argc, char** argv) {
  // SystemC reads it at its first use, and then prints no banner to standard output.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  // A file that would exceed the user's limit is then an error of the write, which removes what is unfinished.
  std::signal(SIGXFSZ, SIG_IGN);
#ifdef TAHOMA_CONFIGS  // for a program outside the repository: the machines of the installed package
  setenv("TAHOMA_CONFIGS", TAHOMA_CONFIGS, 0);
#endif
#ifdef TAHOMA_PRICES  // and its price lists
  setenv("TAHOMA_PRICES", TAHOMA_PRICES, 0);
#endif
#ifdef TAHOMA_CARDS  // and its cards of accelerators
  setenv("TAHOMA_CARDS", TAHOMA_CARDS, 0);
#endif
  return static_cast<int>(tahoma::runtime::command_line(argc, argv));
}
