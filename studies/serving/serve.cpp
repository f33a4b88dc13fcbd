// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/serve.h"

#include <chrono>
#include <optional>
#include <utility>

#include "model/base/error.h"
#include "runtime/config/config_files.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/output/output_dir.h"
#include "runtime/host/progress.h"
#include "studies/serving/results/request_rows.h"
#include "studies/serving/results/series_rows.h"
#include "studies/serving/results/serving_summary.h"
#include "studies/serving/results/serving_text.h"
#include "studies/serving/results/window_series.h"
#include "studies/serving/serving_case.h"
#include "studies/serving/simulation/cluster.h"
#include "studies/serving/steps/step_table.h"

namespace tahoma::runtime::serving {

namespace {

using HostClock = std::chrono::steady_clock;

std::string serve_manifest(const ServeOptions& options, HostClock::time_point start,
                           std::vector<std::string> files) {
  const std::chrono::duration<double> seconds = HostClock::now() - start;
  files.emplace_back("manifest.json");
  return manifest_json(CommandManifest{host_facts(), options.command_line, seconds.count(), std::move(files),
                                       ManifestCommand::kServe});
}

// Shows the number of requests that have ended, now and then.
class ServeProgress {
 public:
  explicit ServeProgress(std::size_t requests) : requests_(requests) {}
  void add_request() {
    constexpr std::size_t kStride = 4096;
    if (++ended_ % kStride == 0) line_.count(ended_, requests_, "requests have ended");
  }
  void clear() { line_.clear(); }

 private:
  std::size_t requests_, ended_ = 0;
  ProgressLine line_;
};

}  // namespace

ServeOutcome serve(const ServeOptions& options) {
  const HostClock::time_point start = HostClock::now();
  const std::unique_ptr<ServingCase> the_case = load_serving_case(options.file, options.overrides);
  const ServingParams& params = the_case->params;
  const StepTable steps(params.steps, params.chunk_times);
  std::optional<HeldBack> held_back;
  if (!params.held_back.empty()) held_back = held_back_errors(steps, params.held_back);
  const Requests requests = requests_of(*the_case);

  OutputDir out(options.out);
  RequestRows rows(out.file("requests.csv"), params.slo);
  RequestTally tally(params.slo);
  WindowSeries series;
  ServeProgress progress(requests.size());
  Cluster cluster(params.server, steps, requests,
                  {[&](Nanoseconds now, const GroupStates& groups) { series.advance(now, groups); },
                   [&](const FinishedRequest& request) {
                     rows.add(request);
                     tally.add(request);
                     progress.add_request();
                   }});
  cluster.run();
  progress.clear();
  series.finish(cluster.groups());
  rows.close();

  ServingSummary summary = tally.summary(series, cluster.groups(),
                                         steps.has_energy() ? std::optional(cluster.joules()) : std::nullopt);
  summary.title = params.title;
  summary.held_back = std::move(held_back);
  ServeOutcome outcome{serving_text(summary), serving_json(summary), out.path()};
  out.write("summary.txt", outcome.summary_text);
  out.write("summary.json", outcome.summary_json);
  out.write("series.csv", series_csv(series, cluster.groups()));
  out.write("report.html", serving_page(summary, series, cluster.groups()));
  out.write("config.resolved.yaml",
            the_case->to_yaml([&](const std::string& path) { return path_from(out.path(), path); }));
  out.write("manifest.json", serve_manifest(options, start, out.files()));
  out.commit();
  return outcome;
}

HeldBack measure_interpolation(const ServeOptions& options, const std::string& held_back) {
  const std::unique_ptr<ServingCase> the_case = load_serving_case(options.file, options.overrides);
  return held_back_errors(StepTable(the_case->params.steps), held_back);
}

}  // namespace tahoma::runtime::serving
