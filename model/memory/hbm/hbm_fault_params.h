// SPDX-License-Identifier: Apache-2.0
// Faults of one HBM stack. The defaults describe a healthy stack.
#pragma once

#include <string>
#include <vector>

#include "model/base/params.h"
#include "model/memory/hbm/hbm_params.h"

namespace tahoma::model {

struct StackFaults {
  double rate = 1;              // fraction of the stack's bandwidth
  std::string failed_channels;  // "3,7"
  double correctable_errors = 0;
  void declare(base::ParamTree& t);

  // Returns them in ascending order. They must have passed check().
  std::vector<std::uint32_t> failed() const;
  // The failed channels' share of capacity and bandwidth is lost; the remaining bandwidth is
  // multiplied by `rate`.
  base::Bytes capacity(const HbmParams& stack) const;
  base::Bandwidth bandwidth(const HbmParams& stack) const;
  // Throws base::UserError E-CFG-020 below `path` for channels that the stack does not have, duplicates,
  // or all channels.
  void check(const HbmParams& stack, const std::string& path) const;

 private:
  void check_slow_refresh(const HbmParams& stack, const std::string& path) const;
};

}  // namespace tahoma::model
