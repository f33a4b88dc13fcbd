// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <set>
#include <utility>

#include "model/base/error.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/progress.h"
#include "runtime/host/sha256.h"
#include "studies/batch/atomic_files.h"
#include "studies/sweep/execution/interrupt.h"
#include "studies/sweep/execution/prepared.h"
#include "studies/sweep/results/axis_effects.h"
#include "studies/sweep/results/failure_reasons.h"
#include "studies/sweep/results/index_page.h"
#include "studies/sweep/results/metrics.h"
#include "studies/sweep/results/pareto.h"
#include "studies/sweep/results/point_table.h"
#include "studies/sweep/results/store.h"
#include "studies/sweep/sweep_folder.h"

namespace tahoma::runtime {

namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

class Sweep {
 public:
  Sweep(const SweepSpec& spec, const SweepOptions& options)
      : spec_(spec),
        options_(options),
        points_folder_(options.out / "points"),
        binary_(host_facts().binary_sha256),
        objectives_(objectives_of(options.pareto, "--pareto")),
        columns_(column_patterns(spec, objectives_, options.columns)),
        points_(prepare(spec, binary_)) {
    for (std::size_t i = 0; i < points_.size(); ++i) by_id_[points_[i].id].push_back(i);
  }

  SweepOutcome run() {
    const Clock::time_point start = Clock::now();
    open_sweep_folder(options_.out, options_.resume, spec_);
    const HostLock lock = locked_sweep_folder(options_.out);
    Store store(options_.out / "sweep.db", {{"title", spec_.title},
                                            {"pareto", options_.pareto},
                                            {"metrics", own_metrics()},
                                            {"sweep_sha256", sha256_of(spec_.to_yaml())},
                                            {"version", host_facts().version}});
    store.add_points(points_, binary_);
    store_ = &store;
    outcome_.points = points_.size();
    take_refused_and_known();
    execute();
    outcome_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    const std::vector<Store::Row> rows = Store::read(options_.out / "sweep.db");
    write_whole(options_.out / "points.csv", points_csv(rows, columns_));
    outcome_.warnings = unmatched_columns(rows, options_.columns);
    write_whole(options_.out / "index.html", sweep_page(options_.out));
    write_whole(options_.out / "manifest.json", manifest());
    return outcome_;
  }

 private:
  fs::path folder(const std::string& id) const { return points_folder_ / id; }

  // Separated by commas, which no name contains.
  std::string own_metrics() const {
    std::string names;
    for (const auto& [name, expression] : spec_.metrics) names += (names.empty() ? "" : ",") + name;
    return names;
  }

  // Results of an earlier call are kept; the other points are to be run.
  void take_refused_and_known() {
    for (const auto& [id, numbers] : by_id_) {
      const PreparedSweepPoint& point = points_[numbers.front()];
      if (!point.refused.empty()) {
        ++outcome_.failed;
        continue;
      }
      const auto result = read_result(folder(id));
      if (result && result->is_final()) {
        outcome_.reused += numbers.size();
        record(id, *result);
      } else {
        open_.insert(numbers.front());
      }
    }
  }

  void record(const std::string& id, const SweepPointResult& result) {
    for (const std::size_t at : by_id_.at(id)) {
      if (!result.done()) ++outcome_.failed;
      const PointMeasures measures =
          result.done() ? measures_of(spec_, points_[at], folder(id)) : PointMeasures{};
      if (result.done()) require_objectives(points_[at], measures.metrics);
      store_->add_result(points_[at], result, measures);
    }
  }

  // The names of metrics are known after the first run, so that is when a wrong one of --pareto ends the
  // sweep. So does an objective without a finite value, at its first point: the front would need it.
  void require_objectives(const PreparedSweepPoint& point, const Metrics& metrics) const {
    const std::map<std::string, double> parameters = values_of(point.point.parameters);
    std::map<std::string, double> known = parameters;
    for (const auto& [name, expression] : spec_.metrics) known[name] = 0;  // even if it is not finite here
    const Names names = names_in(metrics, parameters);
    for (const Objective& objective : objectives_) {
      objective.expression.require(names_in(metrics, known));
      const std::vector<std::string>& used = objective.expression.names();
      if (std::all_of(used.begin(), used.end(), [&](const std::string& name) { return names.value(name); }))
        objective.expression.value(names);
    }
  }

  // Attempts all points without a final result until all have one or no retry is left.
  void execute() {
    Interrupt interrupt;
    for (std::uint64_t round = 0; round <= spec_.limits.retries && !open_.empty() && !interrupt.asked();
         ++round) {
      std::vector<Job> jobs;
      for (const std::size_t at : open_) {
        make_sweep_folder(folder(points_[at].id));
        write_whole(folder(points_[at].id) / "config.yaml", points_[at].config);
        jobs.push_back({points_[at].id, points_[at].point.workload});
        const auto before = read_result(folder(points_[at].id));
        attempts_[points_[at].id] = before ? before->attempts.size() : 0;
      }
      options_.execute(
          points_folder_, jobs, [&](const Job& job) { ended(job, round); },
          [&] { return interrupt.asked(); });
    }
    outcome_.stopped = interrupt.asked();
    for (const std::size_t at : open_) outcome_.pending += by_id_.at(points_[at].id).size();
  }

  void ended(const Job& job, std::uint64_t round) {
    const SweepPointResult result = result_of_attempt(job.id);
    if (result.last().outcome == Outcome::kFolder)
      throw base::UserError(
          "E-OUT-003", folder(job.id).string(),
          "cannot be written, so the sweep ends; --resume continues it: " + result.last().reason,
          base::ExitStatus::kHost);
    const bool last = round == spec_.limits.retries;
    if (result.is_final() || last) {
      open_.erase(by_id_.at(job.id).front());
      outcome_.computed += by_id_.at(job.id).size();
      record(job.id, result);
    }
    show_progress();
  }

  // The supervisor of the attempt may have been killed together with it, without writing a result.
  SweepPointResult result_of_attempt(const std::string& id) {
    SweepPointResult result = read_result(folder(id)).value_or(SweepPointResult{});
    std::size_t& known = attempts_[id];
    if (result.attempts.size() == known) {
      result.attempts.push_back({Outcome::kHost, "its process ended without a result", "", "", 0, 0});
      write_result(folder(id), result);
    }
    known = result.attempts.size();
    return result;
  }

  void show_progress() {
    const std::uint64_t done = outcome_.computed + outcome_.reused;
    const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
    const double rate = static_cast<double>(outcome_.computed) / std::max(seconds, 1e-9);
    const double left = rate > 0 ? static_cast<double>(outcome_.points - done) / rate : 0;
    progress_.stage(fmt::format("{} of {} points, {} failed, {:.3g} points/min, {:.0f} s left", done,
                                outcome_.points, outcome_.failed, 60 * rate, left));
  }

  std::string manifest() const {
    CommandManifest facts;
    facts.host = host_facts();
    facts.command_line = options_.command_line;
    facts.wall_seconds = outcome_.seconds;
    facts.files = {"sweep.yaml", "sweep.db", "points.csv", "index.html", "manifest.json"};
    return manifest_json(facts);
  }

  const SweepSpec& spec_;
  const SweepOptions& options_;
  fs::path points_folder_;
  std::string binary_;
  std::vector<Objective> objectives_;
  std::vector<std::string> columns_;  // of points.csv
  std::vector<PreparedSweepPoint> points_;
  std::map<std::string, std::vector<std::size_t>> by_id_;
  std::set<std::size_t> open_;  // the first point of every id without a final result, in order
  std::map<std::string, std::size_t> attempts_;  // attempts at open points so far, by id
  Store* store_ = nullptr;
  SweepOutcome outcome_;
  ProgressLine progress_;
  Clock::time_point start_ = Clock::now();
};

}  // namespace

SweepOutcome run_sweep(const SweepSpec& spec, const SweepOptions& options) {
  return Sweep(spec, options).run();
}

std::string plan_text(const SweepSpec& spec) {
  const std::vector<PreparedSweepPoint> points = prepare(spec, "");
  std::vector<std::pair<std::uint64_t, std::string>> refused;
  std::set<std::string> different;
  for (const PreparedSweepPoint& point : points) {
    if (!point.refused.empty()) refused.emplace_back(point.point.number, point.refused);
    if (point.refused.empty()) different.insert(point.id);
  }
  return fmt::format("{} points: {} to run, {} refused, {} equal to others\n", points.size(),
                     different.size(), refused.size(), points.size() - refused.size() - different.size()) +
         reasons_text("refused", refused);
}

std::string outcome_text(const SweepOutcome& outcome, const fs::path& out) {
  const std::uint64_t done = outcome.points - outcome.failed - outcome.pending;
  std::string text =
      fmt::format("{} points: {} done, {} failed{}; {} computed, {} reused, {:.1f} s, {:.1f} points/min\n",
                  outcome.points, done, outcome.failed,
                  outcome.pending > 0 ? fmt::format(", {} pending", outcome.pending) : "", outcome.computed,
                  outcome.reused, outcome.seconds,
                  60 * static_cast<double>(outcome.computed) / std::max(outcome.seconds, 1e-9));
  std::vector<std::pair<std::uint64_t, std::string>> reasons;
  const std::vector<Store::Row> rows = Store::read(out / "sweep.db");
  for (const Store::Row& row : rows)
    if (row.status == "failed") reasons.emplace_back(row.number, row.reason);
  text += reasons_text("failed", reasons);
  text += effects_text(axis_effects(rows, Store::own_metrics(out / "sweep.db")));
  return text;
}

}  // namespace tahoma::runtime
