// SPDX-License-Identifier: Apache-2.0
#include "model/memory/address_map.h"

#include <fmt/format.h>

#include "isa/error.h"
#include "isa/program.h"

namespace tahoma::model {

std::byte* AddressMap::at(std::uint64_t address, std::uint64_t bytes) {
  const auto a = isa::GlobalAddress::from(address);
  const std::uint64_t index = std::uint64_t{a.chip} * stacks_ + a.stack;
  const bool inside = a.stack < stacks_ && index < pages_.size() && a.offset <= pages_[index]->size() &&
                      bytes <= pages_[index]->size() - a.offset;
  if (!inside)
    throw isa::ProgramError(
        "E-RUN-042", fmt::format("chip {}, stack {}, offset {:#x}", a.chip, a.stack, a.offset),
        fmt::format("{} bytes there do not lie inside one HBM stack of this machine", bytes));
  return pages_[index]->data() + a.offset;
}

}  // namespace tahoma::model
