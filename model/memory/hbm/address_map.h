// SPDX-License-Identifier: Apache-2.0
// The back door of all stacks of a machine: from a global address to host bytes.
#pragma once

#include <systemc>
#include <vector>

#include "model/memory/hbm/host_memory.h"
#include "model/sim/backdoor.h"

namespace tahoma::model {

class AddressMap : public sc_core::sc_module, public sim::BackdoorIf {
 public:
  AddressMap(sc_core::sc_module_name name, unsigned stacks_per_chip)
      : sc_module(name), stacks_(stacks_per_chip) {}

  // Call in order of chip, then stack.
  void add(HostMemory& stack) { memories_.push_back(&stack); }
  void check(std::uint64_t address, std::uint64_t bytes) const override;
  std::byte* at(std::uint64_t address, std::uint64_t bytes) override;
  sim::KnownBytes& known() override { return known_; }

 private:
  unsigned stacks_;
  std::vector<HostMemory*> memories_;
  sim::KnownBytes known_;
};

}  // namespace tahoma::model
