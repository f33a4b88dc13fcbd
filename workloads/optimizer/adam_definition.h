// SPDX-License-Identifier: Apache-2.0
// The definition of a step of AdamW, in double.
#pragma once

#include "runtime/golden/golden.h"
#include "workloads/optimizer/adam_kernel.h"

namespace tahoma::workloads {

struct AdamValues {
  const runtime::HostTensor &p, &g, &m, &v;
  AdamSettings settings;
};

enum class AdamOutput : std::uint8_t { kParameter, kFirstMoment, kSecondMoment };

runtime::GoldenResult check_adam(const AdamValues& in, AdamOutput output, const runtime::HostTensor& got,
                                 const runtime::MadeBy& made_by);

}  // namespace tahoma::workloads
