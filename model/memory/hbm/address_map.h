// SPDX-License-Identifier: Apache-2.0
// The back door of all stacks of a machine: from a global address to host bytes.
#pragma once

#include <systemc>
#include <vector>

#include "model/memory/hbm/host_memory.h"
#include "model/sim/backdoor.h"
#include "model/sim/written_pages.h"

namespace tahoma::model {

class AddressMap : public sc_core::sc_module, public sim::BackdoorIf {
 public:
  AddressMap(sc_core::sc_module_name name, unsigned stacks_per_chip)
      : sc_module(name), stacks_(stacks_per_chip) {}

  // Call in order of chip, then stack.
  void add(HostMemory& stack) { memories_.push_back(&stack); }
  void check(std::uint64_t address, std::uint64_t bytes) const override;
  std::byte* at(std::uint64_t address, std::uint64_t bytes) override;
  void wrote(std::uint64_t address, std::uint64_t bytes) override {
    if (note_written_) written_.add(address, bytes);
  }
  sim::KnownBytes& known() override { return known_; }

  // Before the run: makes written() contain what the program changes.
  void note_written() { note_written_ = true; }
  const sim::WrittenPages& written() const { return written_; }
  // Returns the bytes within the stack of the page that begins at an address.
  std::uint64_t page_bytes(std::uint64_t address) const;
  // The bytes become zero, and the host gets back the pages that lie within them.
  void forget(std::uint64_t address, std::uint64_t bytes);

 private:
  HostMemory& stack_of(std::uint64_t address) const;

  unsigned stacks_;
  std::vector<HostMemory*> memories_;
  sim::KnownBytes known_;
  bool note_written_ = false;
  sim::WrittenPages written_;
};

}  // namespace tahoma::model
