// SPDX-License-Identifier: Apache-2.0
// The semaphore update of an instruction, as the semaphore file takes it.
#pragma once

#include "isa/core/instruction.h"
#include "model/sim/semaphores.h"

namespace tahoma::model {

inline bool changes_semaphore(const isa::Update& update) { return update.kind != isa::Update::Kind::kNone; }

// Requires changes_semaphore.
inline sim::Change change_of(const isa::Update& update) {
  if (update.kind == isa::Update::Kind::kSubtract) return sim::Change::kSubtract;
  return update.kind == isa::Update::Kind::kSet ? sim::Change::kSet : sim::Change::kAdd;
}

}  // namespace tahoma::model
