// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/stack_balance.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "runtime/run/stack_allocator.h"

namespace tahoma::runtime {

namespace {

constexpr double kEven = 1.1;  // loads that differ less are called equal

// The bytes of each stack of a chip, if those of every core were distributed over its part of the stacks.
std::vector<double> even_loads(const model::ChipParams& chip, const base::HbmMeasurement* stacks) {
  std::vector<double> loads(chip.hbm.stacks, 0);
  for (std::uint64_t n = 0; n < chip.hbm.stacks; ++n)
    for (const base::HbmUser& user : stacks[n].users)
      for (const StackShare& share : stacks_of(chip, user.core))
        loads[share.stack] += static_cast<double>(user.read_bytes + user.write_bytes) *
                              static_cast<double>(share.part) / static_cast<double>(chip.hbm.stacks);
  return loads;
}

}  // namespace

std::string uneven_stacks(const model::ChipParams& chip, const base::RunMeasurement& run) {
  const std::uint64_t stacks = chip.hbm.stacks;
  if (chip.cores % stacks == 0 || stacks % chip.cores == 0) return "";
  double largest = kEven;
  const base::HbmMeasurement* busiest = nullptr;
  for (std::size_t first = 0; first + stacks <= run.hbm.size(); first += stacks) {
    const base::HbmMeasurement* of_chip = &run.hbm[first];
    const auto moved = [](const base::HbmMeasurement& stack) { return stack.read_bytes + stack.write_bytes; };
    const auto* most = std::max_element(of_chip, of_chip + stacks,
                                        [&](const auto& a, const auto& b) { return moved(a) < moved(b); });
    const std::vector<double> even = even_loads(chip, of_chip);
    const double load = *std::max_element(even.begin(), even.end());
    if (load == 0 || static_cast<double>(moved(*most)) <= largest * load) continue;
    largest = static_cast<double>(moved(*most)) / load;
    busiest = most;
  }
  if (busiest == nullptr) return "";
  return fmt::format(
      "{} cores share {} HBM stacks and no tensor is cut: {} moved {:.2f} times what an even distribution "
      "gives the busiest "
      "stack, so bandwidth depends on the place of a tensor",
      chip.cores, stacks, busiest->path, largest);
}

}  // namespace tahoma::runtime
