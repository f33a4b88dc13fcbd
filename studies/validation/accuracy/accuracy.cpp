// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <memory>

#include "model/base/quantity.h"
#include "runtime/config/config.h"
#include "runtime/host/children.h"
#include "runtime/host/output/manifest.h"
#include "runtime/host/output/output_dir.h"
#include "runtime/host/progress.h"
#include "studies/validation/accuracy/figure_intervals.h"
#include "studies/validation/accuracy/law_error.h"
#include "studies/whatif/uncertain.h"

namespace tahoma::runtime {

namespace {

using base::ExitStatus;
using Clock = std::chrono::steady_clock;

// A row of the page, by family and position in it.
struct Slot {
  std::size_t family = 0, row = 0;
};

// A run of a case, and the rows whose figures it measures.
struct Job {
  CaseRun run;
  std::vector<Slot> slots;
  std::string phase;               // of the throttle; "" for the machine's own
  std::optional<std::size_t> end;  // of a parameter's range
};

class Jobs {
 public:
  Jobs(const Suite& suite, const std::vector<std::string>& overrides, base::Duration window,
       const std::vector<ParameterEnd>& ends)
      : suite_(suite), overrides_(overrides), window_(window), ends_(ends) {
    for (std::size_t f = 0; f < suite.families.size(); ++f) add(f);
  }

  const std::vector<Job>& list() const { return jobs_; }

 private:
  void add(std::size_t f) {
    const Family& family = suite_.families[f];
    for (std::size_t r = 0; r < family.figures.size(); ++r) {
      add(family.figures[r], {f, r}, {});
      if (family.kind == FigureKind::kProbe && family.figures[r].use == FigureUse::kCheck)
        for (std::size_t e = 0; e < ends_.size(); ++e)
          add(family.figures[r], {f, r}, {ends_[e].override_text, "", e});
      for (std::uint64_t k = 0; k < family.phases; ++k) {
        const base::Duration phase{window_.fs * static_cast<std::int64_t>(k) /
                                   static_cast<std::int64_t>(family.phases)};
        const std::string text = base::to_text(phase);
        add(family.figures[r], {f, r}, {"machine.chip.core.tensor.throttle_phase=" + text, text, {}});
      }
    }
  }

  // A change of the machine for an additional run.
  struct Variant {
    std::string override_text, phase;
    std::optional<std::size_t> end;
  };

  // Figures of one case and variant share a run. Each traffic is a run on its own machine, and each
  // collective is a run on the machine of its case.
  void add(const Figure& figure, Slot slot, const Variant& variant) {
    if (figure.traffic || figure.fabric) {
      jobs_.push_back({{figure.case_path, figure.case_path, overrides_, {figure}}, {slot}, "", {}});
      return;
    }
    if (figure.collective) {
      CaseRun run{figure.case_path, "", figure.collective->set, {figure}};
      run.overrides.insert(run.overrides.end(), overrides_.begin(), overrides_.end());
      jobs_.push_back({std::move(run), {slot}, "", {}});
      return;
    }
    const std::string& machine = figure.peak ? figure.peak->machine_path : suite_.machine_path;
    const auto [at, fresh] =
        known_.try_emplace({figure.case_path, machine + " " + variant.override_text}, jobs_.size());
    if (fresh) {
      Job job{{figure.case_path, machine, overrides_, {}}, {}, variant.phase, variant.end};
      if (!variant.override_text.empty()) job.run.overrides.push_back(variant.override_text);
      jobs_.push_back(std::move(job));
    }
    jobs_[at->second].run.figures.push_back(figure);
    jobs_[at->second].slots.push_back(slot);
  }

  const Suite& suite_;
  const std::vector<std::string>& overrides_;
  base::Duration window_;
  const std::vector<ParameterEnd>& ends_;
  std::vector<Job> jobs_;
  std::map<std::pair<std::string, std::string>, std::size_t> known_;
};

// For the machine of the cases, if there are any.
base::Duration throttle_window(const Suite& suite, const std::vector<std::string>& overrides) {
  if (suite.machine.empty()) return {};
  return resolve_machine_params(suite.machine_path, overrides).chip.core.tensor.throttle_window;
}

std::vector<ChildResult> run_all(const std::vector<Job>& list, std::size_t jobs) {
  std::vector<std::function<std::string()>> bodies;
  for (const Job& job : list) bodies.emplace_back([&job] { return to_text(run_case(job.run)); });
  ProgressLine progress;
  progress.stage(fmt::format("running {} cases", list.size()));
  return run_in_children(bodies, jobs,
                         [&](std::size_t done) { progress.count(done, list.size(), "cases have run"); });
}

std::vector<Measured> results_of(const Job& job, const ChildResult& child) {
  std::vector<Measured> measured = measured_from(child.text);
  if (child.failure.empty() && measured.size() == job.slots.size()) return measured;
  const std::string how = child.failure.empty() ? "sent no results" : child.failure;
  const Measured failed{
      0, fmt::format("the process of {} {}", job.run.path, how), ExitStatus::kInvariant, {}};
  return std::vector<Measured>(job.slots.size(), failed);
}

void record_phase(PageRow& row, const Measured& measured, const std::string& phase) {
  if (!measured.failure.empty()) {
    row.measured.failure = fmt::format("with throttle_phase {}: {}", phase, measured.failure);
    row.measured.status = measured.status;
  } else if (!row.phases) {
    row.phases = Spread{measured.model, measured.model};
  } else {
    row.phases =
        Spread{std::min(row.phases->low, measured.model), std::max(row.phases->high, measured.model)};
  }
}

// A run at the end of a range without a value, or of a figure without one, moves nothing.
void record_end(const PageRow& row, const Measured& measured, const ParameterEnd& end, FigureMoves& moves) {
  if (measured.failure.empty() && row.has_value() && row.measured.model > 0)
    moves.add(end, measured.model / row.measured.model - 1);
}

using Moves = std::map<std::pair<std::size_t, std::size_t>, FigureMoves>;  // by family and row

void set_moves(const Moves& moves, std::vector<std::vector<PageRow>>& rows) {
  for (const auto& [slot, found] : moves) {
    PageRow& row = rows[slot.first][slot.second];
    if (row.has_value()) row.moves = found.distance();
  }
}

// Runs the cases of a suite, each in a separate process, and makes its page. `overrides` as of --set, paths
// below machine. only. UserError: a machine that does not exist or contradicts itself. Errors of a single
// case are reported in its rows.
//
// Held-out figures have an interval from what the laws leave (law_error.h). `provenances`: those that are
// probes are also moved by the uncertainty of these parameters; empty: they are not.
Page measure(const Suite& suite, const std::vector<std::string>& overrides, std::size_t jobs,
             const std::vector<base::Provenance>& provenances) {
  const std::vector<ParameterEnd> ends =
      provenances.empty() ? std::vector<ParameterEnd>{} : parameter_ends(suite, overrides, provenances);
  const Jobs list(suite, overrides, throttle_window(suite, overrides), ends);
  const std::vector<ChildResult> children = run_all(list.list(), jobs);

  std::vector<std::vector<PageRow>> rows;
  for (const Family& family : suite.families) {
    rows.emplace_back();
    for (const Figure& figure : family.figures) rows.back().push_back({figure, {}, std::nullopt, 0, false});
  }
  Moves moves;
  for (std::size_t j = 0; j < children.size(); ++j) {
    const Job& job = list.list()[j];
    const std::vector<Measured> measured = results_of(job, children[j]);
    for (std::size_t i = 0; i < job.slots.size(); ++i) {
      PageRow& row = rows[job.slots[i].family][job.slots[i].row];
      if (job.end)  // the run of the figure itself comes before
        record_end(row, measured[i], ends[*job.end], moves[{job.slots[i].family, job.slots[i].row}]);
      else if (job.phase.empty())
        row.measured = measured[i];
      else if (row.has_value())
        record_phase(row, measured[i], job.phase);
    }
  }
  set_moves(moves, rows);
  std::vector<FamilyPage> families;
  for (std::size_t f = 0; f < rows.size(); ++f)
    families.push_back(judge(suite.families[f], std::move(rows[f])));
  set_intervals(families);
  return make_page(suite, overrides, std::move(families));
}

void write_folder(OutputDir& out, const Page& page, const AccuracyOptions& options, double seconds) {
  out.write("accuracy.txt", page_text(page));
  out.write("accuracy.json", page_json(page));
  out.write("accuracy.csv", page_csv(page));
  CommandManifest manifest{host_facts(), options.command_line, seconds, out.files()};
  manifest.files.emplace_back("manifest.json");
  out.write("manifest.json", manifest_json(manifest));
  out.commit();
}

}  // namespace

Page check_accuracy(const std::string& file, const AccuracyOptions& options) {
  const Clock::time_point start = Clock::now();
  const Suite suite = load_suite(file, options.families);
  const std::unique_ptr<OutputDir> out =
      options.out.empty() ? nullptr : std::make_unique<OutputDir>(options.out);
  Page page = measure(suite, options.overrides, options.jobs,
                      options.intervals.empty() ? std::vector<base::Provenance>{}
                                                : provenance_group(options.intervals).provenances);
  if (out) write_folder(*out, page, options, std::chrono::duration<double>(Clock::now() - start).count());
  return page;
}

}  // namespace tahoma::runtime
