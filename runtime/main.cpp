// SPDX-License-Identifier: Apache-2.0
#include <csignal>
#include <cstdlib>

#include "runtime/cli/command_line.h"

// libsystemc requires this symbol because it has its own main(), which ours replaces.
extern "C" int sc_main(int, char**) { return EXIT_FAILURE; }

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
