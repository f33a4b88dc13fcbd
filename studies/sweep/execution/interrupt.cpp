// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/execution/interrupt.h"

#include <unistd.h>

#include <csignal>
#include <string_view>

namespace tahoma::runtime {

namespace {

volatile std::sig_atomic_t asked_times = 0;

void on_signal(int number) {
  asked_times = asked_times + 1;
  if (asked_times > 1) _exit(128 + number);
  constexpr std::string_view kText =
      "\nstopping after the running points; press Ctrl-C again to stop at once; use --resume to continue\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART, so that blocking calls return
  sigaction(number, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  asked_times = 0;
  handle(SIGINT, on_signal);
  handle(SIGTERM, on_signal);
}

Interrupt::~Interrupt() {
  handle(SIGINT, SIG_DFL);
  handle(SIGTERM, SIG_DFL);
}

bool Interrupt::asked() const { return asked_times > 0; }

}  // namespace tahoma::runtime
