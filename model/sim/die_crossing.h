// SPDX-License-Identifier: Apache-2.0
// The path between the dies of a chip, for data that cores send to each other.
#pragma once

#include <cstdint>
#include <systemc>

#include "model/base/units.h"

namespace tahoma::sim {

struct DieCrossingIf : virtual sc_core::sc_interface {
  // Data leave core `from` at `departure`; returns when they have reached the die of core `to`. They use the
  // bandwidth of the crossing together with the accesses of memories. `departure` on the same die.
  virtual base::Time cross(std::uint32_t from, std::uint32_t to, base::Time departure, base::Bytes data) = 0;
};

}  // namespace tahoma::sim
