// SPDX-License-Identifier: Apache-2.0
// The gain and the bias of a norm, [1, columns] of fp32 in HBM; the bias if the norms of the model have one.
#pragma once

#include <optional>

#include "runtime/builder/kernel.h"

namespace tahoma::workloads {

struct NormViews {
  runtime::HbmView gain;
  std::optional<runtime::HbmView> bias{};
};

}  // namespace tahoma::workloads
