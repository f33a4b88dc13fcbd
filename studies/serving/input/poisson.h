// SPDX-License-Identifier: Apache-2.0
// Requests that arrive as a Poisson process, with lengths of their own distributions. The seed determines all
// of them.
#pragma once

#include <cstdint>

#include "studies/serving/input/request.h"
#include "studies/serving/input/token_lengths.h"

namespace tahoma::runtime::serving {

struct PoissonParams {
  double rate = 0;  // requests per second; 0: not used
  std::uint64_t requests = 0, seed = 0;
  LengthParams prompt, output;
  void declare(base::ParamTree& tree);
};

// `path`: of the parameters, for errors: those of token_lengths.h, and E-SRV-021, a rate so low that the last
// request would arrive after kMostSeconds.
Requests poisson_requests(const PoissonParams& params, const std::string& path);

}  // namespace tahoma::runtime::serving
