// SPDX-License-Identifier: Apache-2.0
// Folders that are not complete yet, and children that write to them: SIGINT, SIGTERM and SIGHUP end the
// children and remove the folders before they end the process, whose end remains that of the signal. A signal
// that the process ignores or handles otherwise is left alone. A forked child has none of this of its parent.
#pragma once

#include <sys/types.h>

#include <csignal>
#include <cstddef>
#include <string>

namespace tahoma::runtime {

// A folder, from construction to destruction, and so many folders above it that go as well if they are empty.
class UnfinishedFolder {
 public:
  UnfinishedFolder(const std::string& folder, std::size_t parents);
  ~UnfinishedFolder();
  UnfinishedFolder(const UnfinishedFolder&) = delete;
  UnfinishedFolder& operator=(const UnfinishedFolder&) = delete;

 private:
  std::size_t slot_;
};

// Remembers the children of this process. Those beyond some thousands are not remembered.
void remember_child(pid_t child);
void forget_child(pid_t child);

// Blocks these signals in the calling thread while it lives.
class DelayedSignals {
 public:
  DelayedSignals();
  ~DelayedSignals();
  DelayedSignals(const DelayedSignals&) = delete;
  DelayedSignals& operator=(const DelayedSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace tahoma::runtime
