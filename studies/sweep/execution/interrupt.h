// SPDX-License-Identifier: Apache-2.0
// Handles Ctrl-C during its lifetime: the first requests a stop, the second ends the process and
// all its children at once.
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
