// SPDX-License-Identifier: Apache-2.0
// The service level objective of a request: limits of its time to first token and of its mean time per output
// token.
#pragma once

#include <string>

#include "model/base/params.h"
#include "studies/serving/simulation/request_state.h"

namespace tahoma::runtime::serving {

struct SloParams {
  base::Duration ttft, tpot;  // 0: no limit
  void declare(base::ParamTree& tree);

  // A request of one token has no time per output token and meets that limit.
  bool met_by(const FinishedRequest& request) const;
  // "TTFT 1 s, TPOT 50 ms"; "" without a limit.
  std::string text() const;
};

}  // namespace tahoma::runtime::serving
