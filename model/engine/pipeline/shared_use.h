// SPDX-License-Identifier: Apache-2.0
// The shared resources of the on-chip memories that an instruction needs and other engines of the core may
// need at the same time. A pure function of the instruction and the parameters.
#pragma once

#include "isa/core/instruction.h"
#include "model/base/measurements.h"
#include "model/engine/params/engine_params.h"
#include "model/sim/sharing.h"

namespace tahoma::model {

struct SharedUse {
  sim::BankSet banks = 0;    // of PSUM; bit n stands for banks n, n + 64 and so on
  Bytes through_port = {0};  // per partition, the larger of SBUF reads and writes
};

// Returns whether it needs any shared resource. If so, it has to start at simulated time.
bool shares(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p);

SharedUse shared_use(const isa::Instruction& i, base::EngineKind kind, const CoreParams& p);

}  // namespace tahoma::model
