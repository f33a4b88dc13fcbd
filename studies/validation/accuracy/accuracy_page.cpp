// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/accuracy_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "studies/validation/accuracy/error_statistics.h"

namespace tahoma::runtime {

using base::ExitStatus;

namespace {

template <class Wanted>
Tally tally(const std::vector<const PageRow*>& rows, const Wanted& wanted) {
  Tally tally;
  std::vector<double> errors, model, silicon;
  for (const PageRow* row : rows) {
    if (!row->has_value() || !wanted(*row)) continue;
    errors.push_back(row->error);
    model.push_back(row->measured.model);
    silicon.push_back(row->figure.reference);
    if (errors.size() > 1 && std::fabs(row->error) <= tally.worst) continue;
    tally.worst = std::fabs(row->error);
    tally.worst_id = row->figure.id;
  }
  tally.figures = errors.size();
  if (errors.empty()) return tally;
  tally.mean = mean_absolute(errors);
  tally.rank = rank_correlation(model, silicon);
  return tally;
}

Tallies tallies_of(const std::vector<const PageRow*>& rows) {
  const auto used = [](FigureUse use) { return [use](const PageRow& row) { return row.figure.use == use; }; };
  return {tally(rows, [](const PageRow&) { return true; }), tally(rows, used(FigureUse::kCalibration)),
          tally(rows, used(FigureUse::kCheck))};
}

std::vector<std::string> beyond_of(const FamilyPage& family) {
  std::vector<std::string> beyond;
  const std::string& name = family.family.name;
  const Limits& limits = family.family.limits;
  if (family.mean_beyond)
    beyond.push_back(
        fmt::format("{}: mean {:.2f} %, limit {} %", name, family.tallies.all.mean, *limits.mean));
  for (const PageRow& row : family.rows)
    if (row.beyond) beyond.push_back(fmt::format("{}: {} {}", name, row.figure.id, miss_text(row, limits)));
  return beyond;
}

std::vector<std::string> known_of(const FamilyPage& family) {
  std::vector<std::string> known;
  for (const PageRow& row : family.rows)
    if (row.is_known_miss())
      known.push_back(fmt::format("{}: {} {}: {}", family.family.name, row.figure.id,
                                  miss_text(row, family.family.limits), row.miss->reason));
  return known;
}

// A known miss is excused while it is the one that was declared.
bool is_beyond(const PageRow& row, double limit) {
  const bool misses = std::fabs(row.error) > limit;
  if (!row.miss) return misses;
  return !misses || std::fabs(row.error - row.miss->error) > kMissRange;
}

std::string verdict(const Page& page) {
  const auto figures = [](std::size_t n) { return fmt::format("{} figure{}", n, n == 1 ? "" : "s"); };
  std::string text;
  if (!page.beyond.empty())
    text += fmt::format("; {} limit{} exceeded", page.beyond.size(), page.beyond.size() == 1 ? "" : "s");
  if (page.without_value > 0) text += fmt::format("; {} without a value", figures(page.without_value));
  if (!text.empty() || page.tallies.all.figures == 0) return text;
  if (page.known.empty()) return "; all within limits";
  return fmt::format("; all within limits but {} known miss{}", page.known.size(),
                     page.known.size() == 1 ? "" : "es");
}

std::string headline_of(const Page& page) {
  const Tallies& t = page.tallies;
  std::string text = "no figure has a limit";
  if (t.all.figures > 0)
    text = fmt::format("mean {:.1f} %, worst {:.1f} % over {} figure{}; {} calibrated, {} held out",
                       t.all.mean, t.all.worst, t.all.figures, t.all.figures == 1 ? "" : "s",
                       t.calibration.figures, t.check.figures);
  if (page.unlimited > 0) text += fmt::format("; {} without a limit", page.unlimited);
  if (page.coverage.of > 0)
    text += fmt::format("; {} of {} held-out figures lie within their 95 % intervals", page.coverage.inside,
                        page.coverage.of);
  return text + verdict(page);
}

void count_coverage(const PageRow& row, Coverage& coverage) {
  if (!row.interval) return;
  ++coverage.of;
  if (row.in_interval())
    ++coverage.inside;
  else
    coverage.outside.push_back(row.figure.id);
}

}  // namespace

std::string miss_text(const PageRow& row, const Limits& limits) {
  const std::string text = fmt::format("{:+.2f} %, limit {} %", row.error, *limits.worst);
  if (!row.miss) return text;
  if (row.is_known_miss()) return fmt::format("{}, declared as {} %", text, row.miss->error);
  return fmt::format("{}, but declared as a miss of {} %: expected that, or no declaration", text,
                     row.miss->error);
}

FamilyPage judge(const Family& family, std::vector<PageRow> rows) {
  FamilyPage page{family, std::move(rows), {}, false};
  page.family.figures.clear();
  std::vector<const PageRow*> all;
  for (PageRow& row : page.rows) {
    all.push_back(&row);
    if (!row.has_value()) continue;
    row.error = error_percent(row.measured.model, row.figure.reference);
    const auto miss = std::find_if(family.misses.begin(), family.misses.end(),
                                   [&](const KnownMiss& one) { return one.id == row.figure.id; });
    if (miss != family.misses.end()) row.miss = *miss;
    row.beyond = family.limits.worst && is_beyond(row, *family.limits.worst);
  }
  page.tallies = tallies_of(all);
  page.mean_beyond = family.limits.mean && page.tallies.all.mean > *family.limits.mean;
  return page;
}

Page make_page(const Suite& suite, const std::vector<std::string>& overrides,
               std::vector<FamilyPage> families) {
  Page page;
  page.file = suite.file;
  page.title = suite.title;
  page.machine = suite.machine;
  page.overrides = overrides;
  page.families = std::move(families);
  std::vector<const PageRow*> limited;
  for (const FamilyPage& family : page.families) {
    for (const std::string& text : beyond_of(family)) page.beyond.push_back(text);
    for (const std::string& text : known_of(family)) page.known.push_back(text);
    for (const PageRow& row : family.rows) {
      page.status = std::max(page.status, row.measured.status);
      if (!row.has_value()) ++page.without_value;
      if (family.limited()) limited.push_back(&row);
      count_coverage(row, page.coverage);
      if (!family.limited() && row.has_value()) ++page.unlimited;
    }
  }
  if (!page.beyond.empty()) page.status = std::max(page.status, ExitStatus::kCheckFailed);
  page.tallies = tallies_of(limited);
  page.headline = headline_of(page);
  return page;
}

}  // namespace tahoma::runtime
