// SPDX-License-Identifier: Apache-2.0
#include "studies/cluster/training_cluster.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>

#include "model/base/loader/config_loader.h"
#include "runtime/config/config_files.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/output/output_dir.h"
#include "studies/cluster/results/cluster_answer.h"

namespace tahoma::runtime::cluster {

namespace {

base::Duration duration(double seconds) { return {std::llround(seconds * 1e15)}; }

// The times that were executed as those of the case.
void give_times(const LayerTimes& executed, ClusterCase& c) {
  TimeParams& times = c.times;
  c.faults.slow_factor = executed.slow_factor;
  times.source = TimeSource::kGiven;
  times.of_tensor = c.job.tensor;
  times.of_context = c.job.context;
  times.of_micro_batch = c.job.micro_batch;
  times.layer_forward = duration(executed.layer.forward);
  times.layer_backward = duration(executed.layer.backward + executed.layer.weights);
  times.ends_forward = duration(executed.ends.forward);
  times.ends_backward = duration(executed.ends.backward + executed.ends.weights);
  times.layer_update = duration(executed.update.layer);
  times.ends_update = duration(executed.update.ends);
  times.norms_update = duration(executed.update.norms);
  times.first_update = duration(executed.update.start);
  times.norm_backward = duration(executed.norm);
  times.slow_instance.clear();
}

// An error of a key is reported where the key was set.
ClusterAnswer answer_at_keys(const ClusterCase& c, const std::string& folder) {
  try {
    return answer_of(c, folder);
  } catch (const base::UserError& error) {
    if (!error.place.starts_with("cluster.")) throw;
    throw base::UserError(error.code, c.place_of(error.place),
                          fmt::format("'{}': {}", error.place, error.message), error.status);
  }
}

}  // namespace

ClusterOutcome compose(const ClusterOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  const std::unique_ptr<ClusterCase> the_case = load_cluster_case(options.file, options.overrides);
  OutputDir out(options.out);
  const TimeSource source = the_case->times.source;
  const bool executes = source == TimeSource::kExecuted || source == TimeSource::kPrefill;
  const ClusterAnswer answer = answer_at_keys(*the_case, executes ? out.folder("executed") : "");
  ClusterOutcome outcome{cluster_text(answer), cluster_json(answer), out.path()};
  out.write("summary.txt", outcome.summary_text);
  out.write("summary.json", outcome.summary_json);
  out.write("spans.csv", spans_csv(answer));
  out.write("goodput.csv", goodput_csv(answer));
  out.write("report.html", cluster_page(answer));
  const auto resolved = [&] {
    return base::to_yaml(the_case->tree, "cluster",
                         [&](const std::string& path) { return path_from(out.path(), path); });
  };
  out.write("config.resolved.yaml", resolved());
  if (executes) {
    give_times(answer.times, *the_case);
    out.write("given_times.yaml", resolved());
  }
  CommandManifest manifest{host_facts(), options.command_line, 0, out.files(), ManifestCommand::kCluster};
  manifest.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  manifest.files.emplace_back("manifest.json");
  out.write("manifest.json", manifest_json(manifest));
  out.commit();
  return outcome;
}

}  // namespace tahoma::runtime::cluster
