// SPDX-License-Identifier: Apache-2.0
// Runs a SystemVerilog ring in lock step with its law. In every cycle it compares whether a descriptor may be
// written, whether a packet is issued and which, and whether a semaphore is changed and which. The first
// difference ends the run and prints both histories.
#pragma once

#include <string>

#include "model/rtl/ring/ring_law.h"

namespace tahoma::rtl {

class RingLockStep {
 public:
  RingLockStep(RingPins& pins, const model::DmaParams& params, std::string place);

  // Takes effect in the next cycle. Takes at most one share per cycle, one that descriptor_of() supports, and
  // only if there was room().
  void write(const model::Share& share);
  void doorbell(unsigned descriptors);
  void written();  // the oldest issued packet that was not written
  bool room() const { return law_.room(); }

  // Simulates the next cycle, in which the memories accept a packet or do not. Throws E-RTL-002 at a
  // difference (a check failed).
  RingLaw::Decision step(bool ready);

  // Checks that the packet that both issued equals the engine's.
  void check(const RingPacket& issued, const model::DmaPacket& engines) const;

  std::uint64_t packets() const { return packets_; }  // compared
  std::uint64_t descriptors() const { return descriptors_; }
  std::int64_t cycle() const { return cycle_; }

 private:
  void reset(const model::DmaParams& params);
  void remember(const RingLaw::Decision& law);
  void compare(const RingLaw::Decision& law) const;
  [[noreturn]] void differ(const std::string& what) const;

  RingPins& pins_;
  const model::DmaParams& params_;
  RingLaw law_;
  std::string place_;
  std::uint64_t packets_ = 0, descriptors_ = 0;
  std::int64_t cycle_ = 0;
  std::deque<std::string> by_law_, by_gates_;  // the last events
};

// Cycles of the engine from the write of a packet to the semaphore after it.
std::int64_t ring_latency(const model::DmaParams& params);

}  // namespace tahoma::rtl
