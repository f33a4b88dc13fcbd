// SPDX-License-Identifier: Apache-2.0
// Ctrl-C while it lives: the first asks, the second ends the process at once, and with it all it has started.
#pragma once

namespace tahoma::runtime {

class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  bool asked() const;
};

}  // namespace tahoma::runtime
