// SPDX-License-Identifier: Apache-2.0
// A ring in SystemVerilog beside its law, in lock-step: compared in every cycle are whether a descriptor may
// be written, whether a packet is issued and which, and whether a semaphore is changed and which. The first
// difference ends the run and prints both histories.
#pragma once

#include <string>

#include "model/rtl/ring/ring_law.h"

namespace tahoma::rtl {

class RingLockStep {
 public:
  RingLockStep(RingPins& pins, const model::DmaParams& params, std::string place);

  // In the cycle to come. One share in a cycle, of those that descriptor_of() takes, and only if there was
  // room().
  void write(const model::Share& share);
  void doorbell(unsigned descriptors);
  void written();  // the oldest packet that was issued and not written
  bool room() const { return law_.room(); }

  // The cycle to come; the memories take a packet, or not. Throws E-RTL-002 at a difference (a check failed).
  RingLaw::Decision step(bool ready);

  // The packet that both issued is the engine's as well.
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

// From a packet that was written to the semaphore behind it, in cycles of the engine.
std::int64_t ring_latency(const model::DmaParams& params);

}  // namespace tahoma::rtl
