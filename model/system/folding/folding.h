// SPDX-License-Identifier: Apache-2.0
// Finds the chips of a machine that do the same at the same time, so that one can be simulated for all.
//
// Chips that exchange packets, and those on the routes of the packets, form a component. A shift of the
// fabric that takes a component to itself or to another one is a symmetry if it takes everything that can
// affect a time to its equal: programs and the addresses and cores that they name, control tensors, faults,
// routes with their classes of virtual channels, and the order of the cores that send to each chip, by which
// DRAM orders simultaneous requests. Without values and DRAM, only the stack of an address matters, and no
// order. Then it does not matter either which class of virtual channels a link carries, if it carries a
// single one. Chips that such symmetries exchange are one class, and the lowest of them represents it.
// Nothing is assumed: a chip that is not proven equal stays a class of its own.
//
// The links of switches are folded by themselves (switch_links.h).
//
// Not supported: symmetries that are no shifts or rotations (reflections, other permutations of a switch's
// chips), and the cores and stacks of a chip, which are simulated as often as the chip has them.
#pragma once

#include <map>
#include <vector>

#include "model/system/folding/classes.h"
#include "model/system/folding/program_names.h"
#include "model/system/machine/fabric.h"
#include "model/system/machine/machine_params.h"

namespace tahoma::model {

using LoadedPrograms = std::map<std::uint32_t, LoadedProgram>;  // by core of the machine

// A control tensor with its contents.
struct ControlValues {
  std::uint64_t address = 0;
  std::vector<std::byte> bytes;
};

// Selects the part of an address that has to be equal.
enum class AddressLaw : std::uint8_t {
  kWhole,  // DRAM and values: the offset in its stack
  kStack,  // flat memory and no values: the stack
};

// Selects the chips that may be folded.
enum class Foldable : std::uint8_t {
  kEqual,  // whatever is equal
  kIdle,   // chips without programs that no packet reaches: they do nothing that an observer could miss
};

Folding find_folding(const MachineParams& params, const Fabric& fabric, const LoadedPrograms& programs,
                     const std::vector<ControlValues>& control, AddressLaw law,
                     Foldable foldable = Foldable::kEqual);

}  // namespace tahoma::model
