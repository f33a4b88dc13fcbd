// SPDX-License-Identifier: Apache-2.0
// `tahoma serve`: simulates a server of requests and writes an output folder. Nothing is written if anything
// is refused.
//
// Files: summary.txt, summary.json, requests.csv (streamed), series.csv, report.html, config.resolved.yaml,
// manifest.json. Equal inputs give equal bytes in all of them but the manifest.
//
// UserError: those of serving_case.h, step_table.h, cluster.h and output_dir.h.
#pragma once

#include <string>
#include <vector>

#include "studies/serving/steps/held_back.h"

namespace tahoma::runtime::serving {

struct ServeOptions {
  std::string file;
  std::vector<std::string> overrides;  // --set
  std::string out;
  std::vector<std::string> command_line;  // for the manifest
};

struct ServeOutcome {
  std::string summary_text, summary_json, folder;
};

ServeOutcome serve(const ServeOptions& options);

// The errors of the interpolation at the executed steps of `held_back`, without a simulation.
HeldBack measure_interpolation(const ServeOptions& options, const std::string& held_back);

}  // namespace tahoma::runtime::serving
