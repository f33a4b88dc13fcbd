// SPDX-License-Identifier: Apache-2.0
// The back doors for values: host bytes behind HBM addresses and behind a core's on-chip memories. In timing
// mode they give access to known bytes only, the values that originate from control tensors. Also the core's
// end-of-program signal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <systemc>

#include "model/sim/known_bytes.h"

namespace tahoma::sim {

struct BackdoorIf : virtual sc_core::sc_interface {
  // Throws isa::ProgramError E-RUN-042 unless the bytes are inside one stack of the machine, in every mode.
  virtual void check(std::uint64_t address, std::uint64_t bytes) const = 0;
  // Returns the host bytes themselves, after the check.
  virtual std::byte* at(std::uint64_t address, std::uint64_t bytes) = 0;
  // Notes that the program has changed these bytes, in a run of several processes.
  virtual void wrote(std::uint64_t /*address*/, std::uint64_t /*bytes*/) {}
  virtual KnownBytes& known() = 0;  // by global address
};

struct ScratchpadIf : virtual sc_core::sc_interface {
  virtual std::byte* bytes() = 0;  // partition 0; partition p follows at p * stride()
  virtual std::size_t stride() const = 0;
  virtual KnownBytes& known() = 0;  // by offset from bytes()
};

// Notified whenever a stream or a transfer of the core has ended.
struct RetireIf : virtual sc_core::sc_interface {
  virtual void something_ended() = 0;
};

}  // namespace tahoma::sim
