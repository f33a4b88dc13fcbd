// SPDX-License-Identifier: Apache-2.0
// Parameters of a chip's HBM stacks.
#pragma once

#include "model/base/params.h"
#include "model/memory/hbm/dram_params.h"

namespace tahoma::model {

struct HbmParams {
  std::uint64_t stacks;
  base::Bytes capacity;       // of one stack
  base::Bandwidth bandwidth;  // of one stack, reads and writes together
  base::Duration read_latency;
  std::string model;  // what stands behind the bandwidth: "dram" or nothing, "flat"
  DramParams dram;
  void declare(base::ParamTree& t);

  // An ideal bandwidth has no pins that DRAM could keep idle.
  bool has_dram() const { return model == "dram" && !bandwidth.ideal; }
  // Throws base::UserError, as check_dram() does, if there is DRAM.
  void check() const;
};

}  // namespace tahoma::model
