// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "runtime/cli/command_line.h"

// libsystemc wants this symbol because it brings a main() of its own, which ours replaces.
extern "C" int sc_main(int, char**) { return EXIT_FAILURE; }

int main(int argc, char** argv) {
  // SystemC reads it at its first use: no banner on anyone's standard output.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
#ifdef TAHOMA_CONFIGS  // a program outside the repository: the machines that the package has installed
  setenv("TAHOMA_CONFIGS", TAHOMA_CONFIGS, 0);
#endif
  return static_cast<int>(tahoma::runtime::command_line(argc, argv));
}
