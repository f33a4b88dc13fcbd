// SPDX-License-Identifier: Apache-2.0
// Parameters of a chip's HBM stacks.
#pragma once

#include "model/base/params.h"
#include "model/memory/hbm/dram_params.h"

namespace tahoma::model {

// The model behind the bandwidth: DRAM by commands, DRAM by the state of its banks, or none.
enum class HbmModel : std::uint8_t { kDram, kBanks, kFlat };
inline constexpr base::Named<HbmModel> kHbmModels[] = {
    {HbmModel::kDram, "dram"}, {HbmModel::kBanks, "banks"}, {HbmModel::kFlat, "flat"}};

struct HbmParams {
  std::uint64_t stacks;
  base::Bytes capacity;       // of one stack
  base::Bandwidth bandwidth;  // of one stack, reads and writes together
  base::Duration read_latency;
  HbmModel model;
  DramParams dram;
  void declare(base::ParamTree& t);

  // An ideal bandwidth has no pins that DRAM could leave idle.
  bool has_dram() const { return model != HbmModel::kFlat && !bandwidth.ideal; }
  // Throws base::UserError, as check_dram() does, if DRAM is modelled.
  void check() const;
};

}  // namespace tahoma::model
