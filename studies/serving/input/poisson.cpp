// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/input/poisson.h"

#include <fmt/format.h>

#include <cmath>

#include "model/base/error.h"
#include "studies/serving/input/arrival_time.h"

namespace tahoma::runtime::serving {

void PoissonParams::declare(base::ParamTree& t) {
  constexpr double kMostRate = 1e6;
  t.add("rate", rate, 0.0, {0, kMostRate}, "mean number of requests per second; 0: not used", base::chosen());
  t.add("requests", requests, std::uint64_t{1000}, {1, kMostRequests}, "number of requests", base::chosen());
  t.add("seed", seed, std::uint64_t{1}, {0, UINT64_MAX}, "seed of arrivals and lengths", base::chosen());
  t.group("prompt", prompt);
  t.group("output", output);
}

Requests poisson_requests(const PoissonParams& params, const std::string& path) {
  enum Stream : std::uint64_t { kArrivals, kPrompts, kOutputs };
  const double mean_end = static_cast<double>(params.requests) / params.rate;
  if (!(mean_end <= static_cast<double>(kMostSeconds)))
    throw base::UserError(
        "E-SRV-021", path + ".rate",
        fmt::format("expected at least {} requests/s, so that {} requests arrive within {} s",
                    static_cast<double>(params.requests) / static_cast<double>(kMostSeconds), params.requests,
                    kMostSeconds));
  RandomSource arrivals(params.seed, kArrivals), prompts(params.seed, kPrompts),
      outputs(params.seed, kOutputs);
  const TokenLengths prompt(params.prompt, path + ".prompt"), output(params.output, path + ".output");
  Requests requests;
  requests.reserve(params.requests);
  double time = 0;  // seconds
  for (std::uint64_t n = 0; n < params.requests; ++n) {
    time += arrivals.exponential() / params.rate;
    requests.push_back({{std::llround(time * static_cast<double>(kNanosecondsPerSecond))},
                        prompt.draw(prompts),
                        output.draw(outputs)});
  }
  return requests;
}

}  // namespace tahoma::runtime::serving
