// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/accuracy_page_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

namespace tahoma::runtime {

namespace {

constexpr std::size_t kLineWidth = 110;

// Five significant digits suffice: silicon's own resolution is rarely better.
std::string digits(double value) {
  const double size = std::fabs(value);
  return fmt::format("{:.{}f}", value, size >= 1000 ? 1 : size >= 10 ? 2 : 3);
}

std::string spread_text(const std::optional<Spread>& spread) {
  return spread ? fmt::format("{}..{}", digits(spread->low), digits(spread->high)) : "";
}

// Writes the model's spread over the phases; "same" if the printed digits are equal.
std::string phases_text(const std::optional<Spread>& phases) {
  return phases && digits(phases->low) == digits(phases->high) ? "same" : spread_text(phases);
}

using Cells = std::vector<std::string>;

// Writes columns as wide as their widest cell; those in `left` are left-aligned, the others right-aligned.
std::string columns(const std::vector<Cells>& lines, const std::vector<bool>& left) {
  std::vector<std::size_t> widths(left.size(), 0);
  for (const Cells& line : lines)
    for (std::size_t c = 0; c < line.size(); ++c) widths[c] = std::max(widths[c], line[c].size());
  std::string text;
  for (const Cells& line : lines) {
    std::string row = " ";
    for (std::size_t c = 0; c < line.size(); ++c) {
      if (widths[c] == 0) continue;
      row +=
          left[c] ? fmt::format(" {:<{}} ", line[c], widths[c]) : fmt::format(" {:>{}} ", line[c], widths[c]);
    }
    text += row.substr(0, row.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string tally_text(const char* name, const Tally& tally) {
  if (tally.figures == 0) return "";
  return fmt::format("  {:<12} {:>3} figure{}  mean {:5.2f} %  worst {:5.2f} % ({})  rank correlation {}\n",
                     name, tally.figures, tally.figures == 1 ? " " : "s", tally.mean, tally.worst,
                     tally.worst_id, tally.rank ? fmt::format("{:.4f}", *tally.rank) : "-");
}

std::string limits_text(const FamilyPage& page) {
  Cells limits;
  if (page.family.limits.mean) limits.push_back(fmt::format("mean {} %", *page.family.limits.mean));
  if (page.family.limits.worst) limits.push_back(fmt::format("worst {} %", *page.family.limits.worst));
  return limits.empty() ? "none, reported only" : fmt::format("{}", fmt::join(limits, ", "));
}

std::string law_error_text(const FamilyPage& page) {
  if (!page.law_error || page.tallies.check.figures == 0) return "";
  return fmt::format("  law error    {:.2f} %\n", 100 * *page.law_error);
}

Cells cells_of(const PageRow& row) {
  const Figure& figure = row.figure;
  const bool value = row.has_value();
  return {row.beyond || !value  ? "!"
          : row.is_known_miss() ? "~"
                                : "",
          figure.what,
          digits(figure.reference),
          spread_text(figure.spread),
          value ? digits(row.measured.model) : "-",
          value ? phases_text(row.phases) : "",
          name_of(figure.unit),
          value ? fmt::format("{:+.2f} %", row.error) : "-",
          name_of(figure.use),
          figure.id,
          figure.samples > 1 ? fmt::format("{}, {} samples", figure.source, figure.samples) : figure.source};
}

std::string case_lines(const FamilyPage& page) {
  std::vector<Cells> lines{
      {"", "what", "silicon", "low..high", "model", "phases", "", "error", "use", "id", "source"}};
  if (page.family.phases == 0) lines.front()[5] = "";
  for (const PageRow& row : page.rows) lines.push_back(cells_of(row));
  return columns(lines, {true, true, false, true, false, true, true, false, true, true, true});
}

// Additional columns: for traffic the components of its figure in percent and the duration of reads; for
// a collective likewise.
struct BesideColumn {
  const char* name;
  const char* heading;
  int digits = 1;
};
using BesideColumns = std::vector<BesideColumn>;

// Figures that are probes have none.
BesideColumns beside_columns(FigureKind kind) {
  if (kind == FigureKind::kMemory)
    return {{"row_hit_percent", "row hits"},
            {"lost_refresh_percent", "refresh"},
            {"lost_turnaround_percent", "turns"},
            {"lost_bank_percent", "banks"},
            {"read_mean_ns", "read ns"}};
  if (kind == FigureKind::kFabric)
    return {{"accepted", "accepted", 3}, {"links", "links", 2}, {"longest", "longest", 1}};
  if (kind == FigureKind::kCollective)
    return {
        {"collective_us", "collective"}, {"launch_us", "launch"}, {"bus_gigabytes_per_second", "busbw GB/s"}};
  if (kind == FigureKind::kPeak) return {{"percent_of_peak", "% of peak"}};
  return {};
}

std::string beside_text(const PageRow& row, const BesideColumn& column) {
  for (const Beside& beside : row.measured.beside)
    if (beside.name == column.name) return fmt::format("{:.{}f}", beside.value, column.digits);
  return "-";
}

std::string reference_lines(const FamilyPage& page) {
  const BesideColumns beside = beside_columns(page.family.kind);
  std::vector<Cells> lines{{"", "what", "reference", "model", "", "error"}};
  std::vector<bool> left{true, true, false, false, true, false};
  for (const BesideColumn& column : beside) lines.front().emplace_back(column.heading);
  left.resize(lines.front().size(), false);
  for (const char* heading : {"use", "id", "source"}) lines.front().emplace_back(heading);
  left.resize(lines.front().size(), true);
  for (const PageRow& row : page.rows) {
    const Cells all = cells_of(row);
    Cells cells{all[0], all[1], all[2], all[4], all[6], all[7]};
    for (const BesideColumn& column : beside) cells.push_back(beside_text(row, column));
    cells.insert(cells.end(), {name_of(row.figure.use), row.figure.id, row.figure.source});
    lines.push_back(std::move(cells));
  }
  return columns(lines, left);
}

std::string family_text(const FamilyPage& page) {
  std::string text = fmt::format("{}: {}\n", page.family.name, page.family.doc);
  text += page.family.kind == FigureKind::kProbe ? case_lines(page) : reference_lines(page);
  for (const PageRow& row : page.rows)
    if (!row.has_value()) text += fmt::format("  ! {}: {}\n", row.figure.id, row.measured.failure);
  return text + tally_text("all", page.tallies.all) + tally_text("calibration", page.tallies.calibration) +
         tally_text("check", page.tallies.check) + fmt::format("  limits       {}\n", limits_text(page)) +
         law_error_text(page);
}

// A label followed by words, as many on a line as fit.
std::string wrapped(const std::string& label, const Cells& words) {
  std::string text, line = label;
  for (const std::string& word : words) {
    if (line.size() + 1 + word.size() > kLineWidth) {
      text += line + "\n";
      line = std::string(label.size(), ' ');
    }
    line += " " + word;
  }
  return text + line + "\n";
}

std::string calibration_text(const Page& page) {
  std::string text =
      "calibration: constants of the model were derived from these figures. Their errors say how well the "
      "laws\n"
      "fit, and predict nothing; the figures marked check are the prediction.\n";
  std::size_t widest = 0;
  for (const FamilyPage& family : page.families) widest = std::max(widest, family.family.name.size());
  for (const FamilyPage& family : page.families) {
    Cells ids;
    for (const PageRow& row : family.rows)
      if (row.figure.use == FigureUse::kCalibration) ids.push_back(row.figure.id);
    if (!ids.empty()) text += wrapped(fmt::format("  {:<{}} ", family.family.name, widest), ids);
  }
  return text;
}

// Writes the totals over all families, in the format of a single family.
std::string summary_text(const Page& page) {
  std::string text;
  if (page.families.size() > 1)
    text = tally_text("all", page.tallies.all) + tally_text("calibration", page.tallies.calibration) +
           tally_text("check", page.tallies.check);
  for (const std::string& beyond : page.beyond) text += "  ! " + beyond + "\n";
  for (const std::string& known : page.known) text += "  ~ known miss of " + known + "\n";
  return text.empty() ? "" : "\nall families with limits\n" + text;
}

// The held-out figures whose reference is not in their interval.
std::string intervals_text(const Page& page) {
  if (page.coverage.of == 0) return "";
  std::vector<Cells> lines{{"outside", "reference", "low", "high", ""}};
  for (const FamilyPage& family : page.families)
    for (const PageRow& row : family.rows)
      if (row.interval && !row.in_interval())
        lines.push_back({row.figure.id, digits(row.figure.reference), digits(row.interval->low),
                         digits(row.interval->high), name_of(row.figure.unit)});
  return fmt::format("\n95 % intervals: {} of {} held-out figures lie within theirs\n", page.coverage.inside,
                     page.coverage.of) +
         (lines.size() > 1 ? columns(lines, {true, false, false, false, true}) : "");
}

}  // namespace

std::string page_text(const Page& page) {
  std::string text = fmt::format("{}\n\n{}\n", page.headline, page.title);
  if (!page.machine.empty()) text += fmt::format("machine {}, every case in timing mode\n", page.machine);
  if (!page.overrides.empty()) text += fmt::format("set     {}\n", fmt::join(page.overrides, "\n        "));
  for (const FamilyPage& family : page.families) text += "\n" + family_text(family);
  text += summary_text(page);
  text += intervals_text(page);
  if (page.tallies.calibration.figures > 0) text += "\n" + calibration_text(page);
  return text;
}

}  // namespace tahoma::runtime
