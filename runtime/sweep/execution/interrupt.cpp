// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/execution/interrupt.h"

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
      "\nstopping: what runs is finished first, again to end at once; --resume goes on from there\n";
  [[maybe_unused]] const auto written = write(STDERR_FILENO, kText.data(), kText.size());
}

void handle(int number, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: whoever waits is to hear of it
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
