// SPDX-License-Identifier: Apache-2.0
// `tahoma cluster`: composes a training job on a fleet of chips from times of its layers, and writes an
// output folder. Nothing is written if anything is refused.
//
// Files: summary.txt, summary.json, spans.csv, goodput.csv, report.html, config.resolved.yaml, manifest.json.
// If the emulator ran the layers, also the folder `executed` with these runs, and given_times.yaml, the case
// with their times, which runs nothing again. Equal inputs give equal bytes in all of them but the manifests.
//
// UserError: those of cluster_case.h, layer_times.h, price_list.h and output_dir.h.
#pragma once

#include <string>
#include <vector>

namespace tahoma::runtime::cluster {

struct ClusterOptions {
  std::string file;
  std::vector<std::string> overrides;  // --set
  std::string out;
  std::vector<std::string> command_line;  // for the manifest
};

struct ClusterOutcome {
  std::string summary_text, summary_json, folder;
};

ClusterOutcome compose(const ClusterOptions& options);

}  // namespace tahoma::runtime::cluster
