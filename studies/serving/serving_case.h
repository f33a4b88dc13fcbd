// SPDX-License-Identifier: Apache-2.0
// The input of `tahoma serve`: one YAML file with the key `serving`, and --set on the command line. Relative
// paths in the file start in its folder.
//
//   serving:
//     requests: {trace: requests.csv}            or  requests: {poisson: {rate: 4, prompt: {...}, output:
//                                                {...}}}
//     steps: steps.csv                           executed steps (steps/step_rows.h)
//     chunk_times: executed                      or difference (steps/step_table.h)
//     held_back: held_back.csv                   executed steps that are not used, to measure the
//                                                interpolation
//     server: {...}                              simulation/server_params.h
//     slo: {ttft: 1 s, tpot: 50 ms}
//
// UserError: those of the configuration loader; E-SRV-020 a key is missing, or two exclude each other;
// E-SRV-021 values are legal alone but not in combination; E-SRV-007 a request does not fit a server; those
// of the files.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "model/base/params.h"
#include "studies/serving/input/poisson.h"
#include "studies/serving/input/request.h"
#include "studies/serving/results/slo.h"
#include "studies/serving/simulation/server_params.h"
#include "studies/serving/steps/step_table.h"

namespace tahoma::runtime::serving {

struct RequestParams {
  std::string trace;
  PoissonParams poisson;
  void declare(base::ParamTree& tree);
};

struct ServingParams {
  std::string title, steps, held_back;
  ChunkTimes chunk_times = ChunkTimes::kExecuted;
  RequestParams requests;
  ServerParams server;
  SloParams slo;
  void declare(base::ParamTree& tree);
};

// The tree points into the parameters, so a case must not move.
struct ServingCase {
  ServingCase() = default;
  ServingCase(const ServingCase&) = delete;
  ServingCase& operator=(const ServingCase&) = delete;

  ServingParams params;
  base::ParamTree tree{"serving"};
  // Repeats the simulation; `map` maps the paths of files.
  std::string to_yaml(const base::PathMap& map) const;
};

std::unique_ptr<ServingCase> load_serving_case(const std::string& file,
                                               const std::vector<std::string>& overrides);

// The trace, or what the seed gives. Every request fits a server.
Requests requests_of(const ServingCase& the_case);

}  // namespace tahoma::runtime::serving
