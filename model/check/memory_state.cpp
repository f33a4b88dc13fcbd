// SPDX-License-Identifier: Apache-2.0
#include "model/check/memory_state.h"

namespace tahoma::model::check {

// The table has no such mark yet: every matmul closes its group.
bool opens_group(const isa::Instruction& /*instruction*/) { return false; }

bool leaves_sums(const isa::Instruction& instruction) { return instruction.op == isa::Opcode::kMatmul; }

void CoreMemory::write_psum(const Footprint& f, bool sums, bool open) {
  sums ? sums_.insert(f) : sums_.erase(f);
  open ? open_.insert(f) : open_.erase(f);
}

}  // namespace tahoma::model::check
