// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/stack_allocator.h"

#include <algorithm>
#include <tuple>

namespace tahoma::runtime {

std::vector<StackShare> stacks_of(const model::ChipParams& chip, std::uint64_t core) {
  const std::uint64_t first = core % chip.cores * chip.hbm.stacks,
                      end = first + chip.hbm.stacks;  // in 1 / cores of a stack
  std::vector<StackShare> shares;
  for (std::uint64_t stack = first / chip.cores; stack * chip.cores < end; ++stack)
    shares.push_back({static_cast<std::uint32_t>(stack),
                      std::min(end, (stack + 1) * chip.cores) - std::max(first, stack * chip.cores)});
  return shares;
}

StackAllocator::StackAllocator(const model::MachineParams& machine)
    : machine_(machine), used_(machine.chips() * machine.chip.hbm.stacks, 0), parts_(machine.cores()) {
  for (std::uint64_t core = 0; core < parts_.size(); ++core)
    for (const StackShare& share : stacks_of(machine.chip, core)) parts_[core].push_back({share});
}

isa::GlobalAddress StackAllocator::next(std::uint32_t core, std::uint64_t bytes) const {
  const std::uint64_t chip = core / machine_.chip.cores;
  const auto address_in = [&](const Part& part) {
    return isa::GlobalAddress{static_cast<std::uint32_t>(chip), part.share.stack,
                              used(chip, part.share.stack)};
  };
  // The order prefers a stack with room; then the fewest bytes for its part; then the stack with the fewest
  // bytes of all cores.
  const auto rank = [&](const Part& part) {
    return std::tuple(!fits(address_in(part), bytes),
                      static_cast<double>(part.bytes + bytes) / static_cast<double>(part.share.part),
                      used(chip, part.share.stack));
  };
  const Part* best = nullptr;
  for (const Part& part : parts_[core])
    if (best == nullptr || rank(part) < rank(*best)) best = &part;
  return address_in(*best);
}

std::uint64_t StackAllocator::capacity(const isa::GlobalAddress& at) const {
  return machine_.faults_of(at.chip, at.stack).capacity(machine_.chip.hbm).count;
}

bool StackAllocator::fits(const isa::GlobalAddress& at, std::uint64_t bytes) const {
  const std::uint64_t whole = capacity(at);
  return bytes <= whole && at.offset <= whole - bytes;
}

void StackAllocator::take(std::uint32_t core, const isa::GlobalAddress& at, std::uint64_t bytes) {
  used_[at.chip * machine_.chip.hbm.stacks + at.stack] += bytes;
  for (Part& part : parts_[core])
    if (part.share.stack == at.stack) part.bytes += bytes;
}

}  // namespace tahoma::runtime
