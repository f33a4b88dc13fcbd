// SPDX-License-Identifier: Apache-2.0
#include "runtime/run/machine_part.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

constexpr std::uint32_t kOutside = 0xffffffff;

[[noreturn]] void refuse_part(const std::string& place, const std::string& text) {
  throw base::UserError("E-RUN-025", place, text);
}

// The axes of so many chips, from the first of them.
model::TorusParams axes_of(const model::TorusParams& torus, std::uint64_t first, std::uint64_t chips) {
  const std::uint64_t plane = torus.x * torus.y;
  if (chips % plane == 0 && first % plane == 0) return {torus.x, torus.y, chips / plane};
  if (chips % torus.x == 0 && first % torus.x == 0 && first % plane + chips <= plane)
    return {torus.x, chips / torus.x, 1};
  return {chips, 1, 1};
}

}  // namespace

MachinePart part_of_machine(const model::MachineParams& machine, std::string name,
                            std::vector<std::uint32_t> cores, const std::string& place) {
  if (cores.empty()) refuse_part(place, "expected at least one core");
  const std::uint64_t each = machine.chip.cores;
  const std::uint64_t first = cores.front(), last = cores.back(), lnc = machine.chip.lnc;
  for (std::size_t n = 0; n < cores.size(); n += lnc)
    if (cores[n] % lnc != 0 || n + lnc > cores.size() || cores[n + lnc - 1] != cores[n] + lnc - 1)
      refuse_part(place,
                  fmt::format("expected whole logical cores of {} cores, got a part of that of core {}", lnc,
                              cores[n]));
  MachinePart part{std::move(name), machine, std::move(cores)};
  part.params.instances = {};
  if (first / each == last / each) {
    model::ChipParams& chip = part.params.chip;
    part.params.torus = {1, 1, 1};
    chip.cores = part.cores.size();
    std::set<std::uint32_t> stacks;
    for (const std::uint32_t core : part.cores) stacks.insert(machine.chip.stack_of(core));
    chip.hbm.stacks = stacks.size();
    chip.dies = std::min<std::uint64_t>(chip.dies, chip.hbm.stacks);
    return part;
  }
  if (first % each != 0 || part.cores.size() % each != 0 || last - first + 1 != part.cores.size())
    refuse_part(
        place, fmt::format("expected cores of one chip, or consecutive chips with all of their {} cores; got "
                           "{} cores between {} and {}",
                           each, part.cores.size(), first, last));
  part.params.torus = axes_of(machine.torus, first / each, part.cores.size() / each);
  return part;
}

std::shared_ptr<const isa::Program> named_program(const isa::Program& program, const std::string& name) {
  auto named = std::make_shared<isa::Program>(program);
  for (std::string& region : named->regions) region = fmt::format("{}.{}", name, region);
  return named;
}

std::bitset<isa::kArguments> core_arguments(const isa::Program& program) {
  std::bitset<isa::kArguments> found;
  for (const isa::Stream& stream : program.streams)
    for (const isa::Instruction& i : stream)
      if (i.notify_arg != isa::kNone) found.set(i.notify_arg);
  return found;
}

PartObserver::PartObserver(const MachinePart& part, base::Observer& observer)
    : observer_(observer), number_(part.cores.back() + 1, kOutside) {
  for (std::uint32_t n = 0; n < part.cores.size(); ++n) number_[part.cores[n]] = n;
}

void PartObserver::instruction(const base::InstructionActivity& activity) {
  if (activity.core >= number_.size() || number_[activity.core] == kOutside) return;
  base::InstructionActivity own = activity;
  own.core = number_[activity.core];
  observer_.instruction(own);
}

void PartObserver::transfer(const base::TransferActivity& activity) {
  if (activity.core >= number_.size() || number_[activity.core] == kOutside) return;
  base::TransferActivity own = activity;
  own.core = number_[activity.core];
  observer_.transfer(own);
}

}  // namespace tahoma::runtime
