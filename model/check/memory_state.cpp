// SPDX-License-Identifier: Apache-2.0
#include "model/check/memory_state.h"

namespace tahoma::model::check {

bool opens_group(const isa::Instruction& instruction) { return leaves_sums(instruction) && instruction.open; }

bool leaves_sums(const isa::Instruction& instruction) { return isa::multiplies(instruction); }

void CoreMemory::write_psum(const Footprint& f, bool sums, bool open) {
  sums ? sums_.insert(f) : sums_.erase(f);
  open ? open_.insert(f) : open_.erase(f);
}

}  // namespace tahoma::model::check
