// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>

#include "cli/command_line.h"
#include "model/base/error.h"

// libsystemc requires this symbol because it has its own main(), which ours replaces.
extern "C" int sc_main(int, char**) { return EXIT_FAILURE; }

namespace {

bool no_memory_left = false;  // an allocation has failed

// Libraries allocate where they may not throw: libstdc++ while it lists a folder, the JSON library while it
// destroys a value.
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

// The constructors of the libraries allocate, and end the program without a word where the user's limit
// leaves them nothing.
constexpr rlim_t kForLibraries = rlim_t{12} << 20;  // bytes that they and the allocator take, with some room

// Appends a number in decimal; nothing that allocates may be called here.
char* append(char* at, rlim_t number) {
  char digits[24];
  char* first = digits + sizeof digits;
  do *--first = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  return std::copy(first, digits + sizeof digits, at);
}

char* append(char* at, const char* text) { return std::copy(text, text + __builtin_strlen(text), at); }

// The address space of the process; 0 if the system does not say.
rlim_t address_space() {
  const int file = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
  char text[32];
  const ssize_t size = file < 0 ? 0 : read(file, text, sizeof text);
  if (file >= 0) close(file);
  rlim_t pages = 0;
  for (ssize_t i = 0; i < size && text[i] >= '0' && text[i] <= '9'; ++i)
    pages = 10 * pages + static_cast<rlim_t>(text[i] - '0');
  return pages * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

void require_address_space(int, char**, char**) {
  rlimit limit{};
  const rlim_t needed = address_space() + kForLibraries;
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur >= needed)
    return;
  char text[200];
  char* end = append(text, "tahoma: error[E-HOST-001]: the address space is limited to ");
  end = append(append(end, limit.rlim_cur >> 10), " KiB (ulimit -v): expected at least ");
  end = append(append(end, needed >> 10), " KiB to start, and more for a run\n");
  static_cast<void>(write(STDERR_FILENO, text, static_cast<std::size_t>(end - text)));
  _exit(static_cast<int>(tahoma::base::ExitStatus::kHost));
}

// Runs before the constructors of the libraries.
[[gnu::section(".preinit_array"), gnu::used]] void (*const kRequire)(int, char**,
                                                                     char**) = require_address_space;

// Runs before the constructors of static objects, which allocate too.
__attribute__((constructor(101))) void expect_failures() {
  std::set_new_handler(out_of_memory);
  std::set_terminate(terminated);
}

}  // namespace

int main(int argc, char** argv) {
  // SystemC reads it at its first use, and then prints no banner to standard output.
  setenv("SYSTEMC_DISABLE_COPYRIGHT_MESSAGE", "1", 1);
  // A file that would exceed the user's limit is then an error of the write, which removes what is
  // unfinished.
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
