// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/regression/page_writers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "report/files/markdown.h"
#include "runtime/host/json/json_text.h"
#include "studies/validation/regression/differences/difference_json.h"

namespace tahoma::runtime {

using Json = nlohmann::ordered_json;

namespace {

constexpr std::size_t kMostLines = 8;  // per subsystem; the JSON has all

bool was_compared(const RegressionRow& row) { return row.has_golden_statistics && row.has_run; }

std::string time_change(const RegressionRow& row) {
  if (row.golden.time_ns == 0 || row.golden.time_ns == row.now.time_ns) return "";
  return fmt::format("{:+.3g} %", 100 * (row.now.time_ns - row.golden.time_ns) / row.golden.time_ns);
}

// Writes the headline; the old one is added only if it differs.
std::string figures_text(const RegressionRow& row) {
  const std::string now = headline_text(row.now), golden = headline_text(row.golden);
  const std::string change = time_change(row);
  if (now == golden) return now + (change.empty() ? "" : fmt::format(" (time {})", change));
  return fmt::format("{} -> {}{}", golden, now, change.empty() ? "" : fmt::format(" (time {})", change));
}

// '?' marks a row in which nothing failed, but whose values are unchecked.
char mark_of(const RegressionRow& row) { return !row.passed() ? '!' : row.unchecked.empty() ? ' ' : '?'; }

std::string row_text(const RegressionRow& row, std::size_t widest) {
  if (!was_compared(row)) return fmt::format("! {:<{}}  {}\n", row.name, widest, row.failure);
  std::string text = fmt::format("{} {:<{}}  {}\n", mark_of(row), row.name, widest, figures_text(row));
  if (!row.unchecked.empty()) text += fmt::format("      values {}\n", row.unchecked);
  text += leads_text(row.leads, "      ");
  for (const OutputChange& output : row.outputs) text += fmt::format("      {}\n", change_text(output));
  return text + groups_text(row.differences, kMostLines, "      ");
}

// A summary for one cell or attribute: the number of differences, those that lead, and the errors of outputs.
std::string reason_of(const RegressionRow& row) {
  if (row.passed()) return "";
  if (!was_compared(row)) return row.failure;
  const std::size_t count = count_of(row.differences);
  std::string text = fmt::format("{} of {} statistics", count, row.compared);
  for (const LeadingChange& lead : row.leads.leads) text += "; " + lead_cell(lead.difference);
  for (const OutputChange& output : row.outputs) text += "; " + change_text(output);
  return text;
}

std::string busiest_cell(const Headline& h) {
  return fmt::format("{} {:.1f} %", h.busiest, h.busiest_percent);
}

// One text if both are equal, otherwise both.
std::string both(const std::string& golden, const std::string& now) {
  return golden == now ? now : golden + " -> " + now;
}

std::string markdown_row(const RegressionRow& row) {
  const char* verdict = !row.passed() ? "**FAIL**" : row.unchecked.empty() ? "ok" : "not checked";
  if (!was_compared(row))
    return fmt::format("| {} | {} | | | | | {} |\n", markdown_cell(row.name), verdict,
                       markdown_cell(row.failure));
  const auto mfu = [](const Headline& h) { return fmt::format("{:.1f} %", h.mfu_percent); };
  return fmt::format(
      "| {} | {} | {} | {} | {} | {} | {} |\n", markdown_cell(row.name), verdict,
      both(headline_time(row.golden), headline_time(row.now)), time_change(row),
      both(mfu(row.golden), mfu(row.now)), both(busiest_cell(row.golden), busiest_cell(row.now)),
      markdown_cell(row.passed() && !row.unchecked.empty() ? "values " + row.unchecked : reason_of(row)));
}

Json row_json(const RegressionRow& row) {
  return {{"name", row.name},
          {"passed", row.passed()},
          {"unchecked", row.unchecked.empty() ? Json() : Json(row.unchecked)},
          {"failure", row.failure.empty() ? Json() : Json(row.failure)},
          {"golden", row.has_golden_statistics ? headline_json(row.golden) : Json()},
          {"now", row.has_run ? headline_json(row.now) : Json()},
          {"compared", row.compared},
          {"leading", leads_json(row.leads)},
          {"outputs", changes_json(row.outputs)},
          {"groups", groups_json(row.differences)}};
}

}  // namespace

std::string regression_text(const RegressionPage& page) {
  std::string text = fmt::format("{}\n\n{}: {}\n", page.headline, page.file, page.title);
  if (!page.overrides.empty()) text += fmt::format("set     {}\n", fmt::join(page.overrides, "\n        "));
  std::size_t widest = 0;
  for (const RegressionRow& row : page.rows) widest = std::max(widest, row.name.size());
  for (const RegressionRow& row : page.rows) text += row_text(row, widest);
  return text;
}

std::string regression_json(const RegressionPage& page) {
  Json rows = Json::array();
  for (const RegressionRow& row : page.rows) rows.push_back(row_json(row));
  const Json json{{"schema_version", 1},         {"file", page.file},         {"title", page.title},
                  {"overrides", page.overrides}, {"headline", page.headline}, {"passed", page.passed()},
                  {"cases", std::move(rows)}};
  return dump_json(json, 2) + "\n";
}

JunitSuite regression_suite(const RegressionPage& page) {
  JunitSuite suite{"cases." + page.file, {}};
  for (const RegressionRow& row : page.rows)
    suite.cases.push_back({row.name, reason_of(row), row.unchecked.empty() ? "" : "values " + row.unchecked,
                           row.has_run ? std::optional(row.now.time_ns) : std::nullopt});
  return suite;
}

std::string regression_markdown(const RegressionPage& page) {
  std::string text = fmt::format("### {}: {}\n\n{}\n\n", page.passed() ? "passed" : "FAILED",
                                 markdown_cell(page.title), markdown_cell(page.headline));
  text +=
      "| case | verdict | time | change | MFU | busiest | what differs "
      "|\n|---|---|---:|---:|---:|---|---|\n";
  // Failures come first, because a summary that is too long is truncated.
  for (const bool passed : {false, true})
    for (const RegressionRow& row : page.rows)
      if (row.passed() == passed) text += markdown_row(row);
  return text + "\n";
}

}  // namespace tahoma::runtime
