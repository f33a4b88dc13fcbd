// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "model/base/error.h"

namespace tahoma::runtime {

Part part_of(std::uint64_t total, std::uint64_t parts, std::uint64_t index) {
  const std::uint64_t each = (total + parts - 1) / parts;
  const std::uint64_t first = std::min(total, each * index);
  return {first, std::min(total, first + each) - first};
}

std::uint64_t parts_used(std::uint64_t total, std::uint64_t parts) {
  const std::uint64_t each = (total + parts - 1) / parts;
  return each == 0 ? 0 : (total + each - 1) / each;
}

void check_shard(const model::MachineParams& machine, const Shard& shard) {
  const std::uint64_t cores = machine.cores();
  // The product of the parts must not overflow before it is compared.
  const bool small = shard.m <= cores && shard.n <= cores && shard.k <= cores && shard.m * shard.n <= cores;
  if (small && shard.parts() <= cores && cores % shard.parts() == 0) return;
  std::vector<std::uint64_t> legal;
  for (std::uint64_t d = 1; d <= cores; ++d)
    if (cores % d == 0) legal.push_back(d);
  throw base::UserError(
      "E-RUN-030", "workload.shard",
      fmt::format(
          "m {} x n {} x k {} does not divide the machine: the product must be one of {} (of its {} cores)",
          shard.m, shard.n, shard.k, fmt::join(legal, ", "), cores));
}

namespace {

// The cores of a chip in an order in which neighbouring ones have different stacks, so that a partly used
// chip has all its bandwidth: the first core of each stack, then the second of each, ...
std::vector<std::uint32_t> over_stacks(const model::ChipParams& chip) {
  std::vector<std::uint32_t> cores(chip.cores);
  std::iota(cores.begin(), cores.end(), 0);
  const auto place = [&](std::uint32_t core) {
    std::uint32_t first = core;
    while (first > 0 && chip.stack_of(first - 1) == chip.stack_of(core)) --first;
    return std::pair(core - first, core);
  };
  std::sort(cores.begin(), cores.end(),
            [&](std::uint32_t a, std::uint32_t b) { return place(a) < place(b); });
  return cores;
}

}  // namespace

Placement::Placement(const model::MachineParams& machine, const Shard& shard)
    : shard_(shard),
      cores_per_chip_(machine.chip.cores),
      slots_(over_stacks(machine.chip)),
      k_chips_(std::gcd(shard.k, machine.chips())),
      // Parts that do not fit over chips divide the cores of a chip, because the parts divide the machine.
      k_cores_(shard.k / k_chips_),
      path_(model::topology_of(machine)->path()) {}

std::uint32_t Placement::core_of(std::uint64_t m, std::uint64_t n, std::uint64_t k) const {
  const std::uint64_t tiles_per_ring = cores_per_chip_ / k_cores_;
  const std::uint64_t tile = m * shard_.n + n;
  const std::uint64_t ring = tile / tiles_per_ring;
  const std::uint64_t chip = path_[ring * k_chips_ + k / k_cores_];
  const std::uint64_t slot = tile % tiles_per_ring * k_cores_ + k % k_cores_;
  return static_cast<std::uint32_t>(chip * cores_per_chip_ + slots_[slot]);
}

}  // namespace tahoma::runtime
