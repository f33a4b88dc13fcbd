// SPDX-License-Identifier: Apache-2.0
#include "model/memory/hbm/address_map.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/core/program.h"
#include "isa/core/program_error.h"

namespace tahoma::model {

void AddressMap::check(std::uint64_t address, std::uint64_t bytes) const {
  const auto a = isa::GlobalAddress::from(address);
  const std::uint64_t index = std::uint64_t{a.chip} * stacks_ + a.stack;
  const bool inside = a.stack < stacks_ && index < memories_.size() && a.offset <= memories_[index]->size() &&
                      bytes <= memories_[index]->size() - a.offset;
  if (!inside)
    throw isa::ProgramError(
        "E-RUN-042", fmt::format("chip {}, stack {}, offset {:#x}", a.chip, a.stack, a.offset),
        fmt::format("{} bytes at this address are not inside one HBM stack of this machine", bytes));
}

HostMemory& AddressMap::stack_of(std::uint64_t address) const {
  const auto a = isa::GlobalAddress::from(address);
  return *memories_[std::uint64_t{a.chip} * stacks_ + a.stack];
}

std::byte* AddressMap::at(std::uint64_t address, std::uint64_t bytes) {
  check(address, bytes);
  return stack_of(address).data() + isa::GlobalAddress::from(address).offset;
}

std::uint64_t AddressMap::page_bytes(std::uint64_t address) const {
  return std::min(sim::WrittenPages::kPage,
                  stack_of(address).size() - isa::GlobalAddress::from(address).offset);
}

void AddressMap::forget(std::uint64_t address, std::uint64_t bytes) {
  check(address, bytes);
  stack_of(address).forget(isa::GlobalAddress::from(address).offset, bytes);
}

}  // namespace tahoma::model
