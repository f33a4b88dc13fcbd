// SPDX-License-Identifier: Apache-2.0
// The port of link_port.sv built for tests: faults can be planted, and coverage is counted.
#pragma once

#include "model/rtl/link/link_pins.h"

namespace tahoma::tests {

enum class LinkFault : std::uint8_t { kNone = 0, kUnfair = 1, kLostCredit = 2, kWrongCrc = 4, kDeaf = 8 };

class TestedLink : public rtl::LinkPins {
 public:
  virtual void write_coverage(const std::string& file) = 0;
};

std::unique_ptr<TestedLink> tested_link(LinkFault fault = LinkFault::kNone);

}  // namespace tahoma::tests
