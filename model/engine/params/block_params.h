// SPDX-License-Identifier: Apache-2.0
// Whether a block is simulated alone, or in lock-step with its SystemVerilog (model/rtl).
#pragma once

#include <cstdint>

#include "model/base/param_choice.h"

namespace tahoma::model {

enum class BlockModel : std::uint8_t { kBehavioural, kRtl };
inline constexpr base::Named<BlockModel> kBlockModels[] = {{BlockModel::kBehavioural, "behavioural"},
                                                           {BlockModel::kRtl, "rtl"}};

}  // namespace tahoma::model
