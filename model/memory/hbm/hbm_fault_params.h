// SPDX-License-Identifier: Apache-2.0
// What can be wrong with one HBM stack. The defaults are a sound one.
#pragma once

#include <string>
#include <vector>

#include "model/base/params.h"
#include "model/memory/hbm/hbm_params.h"

namespace tahoma::model {

struct StackFaults {
  double rate = 1;              // of the stack's bandwidth
  std::string failed_channels;  // "3,7"
  double correctable_errors = 0;
  void declare(base::ParamTree& t);

  // In ascending order. They must have passed check().
  std::vector<std::uint32_t> failed() const;
  // Their share of capacity and bandwidth is lost with them; of the rest of the bandwidth `rate` is left.
  base::Bytes capacity(const HbmParams& stack) const;
  base::Bandwidth bandwidth(const HbmParams& stack) const;
  // Throws base::UserError E-CFG-020 below `path`: channels that the stack lacks, twice the same, all of
  // them.
  void check(const HbmParams& stack, const std::string& path) const;
};

}  // namespace tahoma::model
