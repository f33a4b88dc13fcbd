// SPDX-License-Identifier: Apache-2.0
// A simulated inference server for tests: parameters as text, requests and executed steps as values, and the
// requests in the order of their numbers.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "studies/serving/results/window_series.h"
#include "studies/serving/serving_case.h"
#include "studies/serving/simulation/cluster.h"
#include "studies/serving/steps/step_table.h"
#include "tests/support/temp_dir.h"

namespace tahoma::tests {

namespace serving = runtime::serving;

constexpr serving::Nanoseconds from_ms(std::int64_t count) { return {count * 1'000'000}; }

// A prefill takes 1 ms for each token, and a decoding step 10 ms.
inline const std::string kSimpleSteps =
    "phase,batch,context,tokens,seconds\n"
    "prefill,1,0,1,0.001\nprefill,1,0,1000,1\nprefill,1,1000,1,0.001\nprefill,1,1000,1000,1\n"
    "decode,1,0,0,0.01\ndecode,1,1000,0,0.01\ndecode,100,0,0,0.01\ndecode,100,1000,0,0.01\n";

struct ServingRun {
  std::vector<serving::FinishedRequest> requests;  // by number
  std::vector<std::size_t> ends;                   // of each number, how often the request ended
  serving::WindowSeries series;
  serving::GroupStates groups;
};

// `settings`: path below `serving.server` and value.
inline ServingRun run_server(const serving::Requests& requests, const std::string& steps,
                             const std::vector<std::pair<std::string, std::string>>& settings) {
  const TempDir dir;
  const serving::StepTable table(dir.write("steps.csv", steps));
  serving::ServerParams params;
  base::ParamTree tree("server");
  params.declare(tree);
  for (const auto& [path, value] : settings) tree.set("server." + path, value, path);
  params.check("server");
  ServingRun run;
  run.requests.resize(requests.size());
  run.ends.resize(requests.size());
  serving::Cluster cluster(
      params, table, requests,
      {[&](serving::Nanoseconds now, const serving::GroupStates& groups) { run.series.advance(now, groups); },
       [&](const serving::FinishedRequest& request) {
         run.requests[request.number] = request;
         ++run.ends[request.number];
       }});
  cluster.run();
  run.series.finish(cluster.groups());
  run.groups = cluster.groups();
  return run;
}

}  // namespace tahoma::tests
