// SPDX-License-Identifier: Apache-2.0
#include "report/files/program_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/quantity.h"
#include "report/tables/column_csv.h"
#include "report/tables/column_json.h"
#include "report/text/text_layout.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

using base::StallReason;

base::Duration more_of(const ProgramRow& row, std::size_t reason) {
  return row.engines[reason] - row.alone->engines[reason];
}

// "wait_dma +12.3 us, handover +1.2 us": at most three reasons that grew by a hundredth of the time alone.
std::string grown_text(const ProgramRow& row) {
  std::vector<std::size_t> reasons;
  for (std::size_t reason = 0; reason < base::kStallReasons; ++reason)
    if (more_of(row, reason).fs > row.alone->time.fs / 100) reasons.push_back(reason);
  std::sort(reasons.begin(), reasons.end(),
            [&](std::size_t a, std::size_t b) { return more_of(row, a) > more_of(row, b); });
  std::string text;
  for (std::size_t n = 0; n < std::min<std::size_t>(reasons.size(), 3); ++n)
    text += fmt::format("{}{} +{}", n == 0 ? "" : ", ", base::name_of(static_cast<StallReason>(reasons[n])),
                        time_text(more_of(row, reasons[n])));
  return text;
}

}  // namespace

double ProgramRow::slowdown() const {
  return alone->time.fs == 0 ? 1 : static_cast<double>(time().fs) / static_cast<double>(alone->time.fs);
}

base::StallTimes engine_times(const base::RunMeasurement& run, const std::vector<std::uint32_t>& cores) {
  base::StallTimes sum{};
  std::int64_t engines = 0;
  for (const base::EngineMeasurement& engine : run.engines) {
    if (!engine.took_part() || !std::binary_search(cores.begin(), cores.end(), engine.core)) continue;
    ++engines;
    for (std::size_t reason = 0; reason < sum.size(); ++reason)
      if (reason != static_cast<std::size_t>(StallReason::kIdle)) sum[reason] += engine.time[reason];
  }
  for (base::Duration& time : sum) time = {engines == 0 ? 0 : time.fs / engines};
  return sum;
}

std::vector<ProgramRow> program_rows(const std::vector<ProgramTimes>& programs,
                                     const base::RunMeasurement& run, const std::vector<AloneTimes>& alone) {
  std::vector<ProgramRow> rows;
  for (const ProgramTimes& program : programs) {
    rows.push_back({program, engine_times(run, program.cores), std::nullopt});
    for (const AloneTimes& one : alone)
      if (one.name == program.name) rows.back().alone = one;
  }
  return rows;
}

std::optional<Sharing> sharing_of(const std::vector<ProgramRow>& rows) {
  if (rows.empty() ||
      !std::all_of(rows.begin(), rows.end(), [](const ProgramRow& row) { return row.alone.has_value(); }))
    return std::nullopt;
  Sharing sharing;
  double smallest = rows.front().slowdown();
  for (const ProgramRow& row : rows) {
    sharing.weighted_speedup += 1 / row.slowdown();
    sharing.largest_slowdown = std::max(sharing.largest_slowdown, row.slowdown());
    smallest = std::min(smallest, row.slowdown());
  }
  sharing.unfairness = sharing.largest_slowdown / smallest;
  return sharing;
}

const base::Columns<ProgramRow>& program_columns() {
  using base::Unit;
  using Row = ProgramRow;
  static const auto kColumns = [] {
    auto columns =
        base::Columns<ProgramRow>("programs.csv", "programs.*")
            .text("name", "name of the program in the case", [](const Row& r) { return r.program.name; })
            .number("first_core", Unit::kIdentifier, "its first core",
                    [](const Row& r) { return std::uint64_t{r.program.cores.front()}; })
            .number("cores", Unit::kCount, "its cores", [](const Row& r) { return r.program.cores.size(); })
            .number("begin_ns", Unit::kNanoseconds, "start of its first instruction",
                    [](const Row& r) { return base::clean_nanoseconds(r.program.begin); })
            .number("time_ns", Unit::kNanoseconds, "from there to its last completion",
                    [](const Row& r) { return base::clean_nanoseconds(r.time()); })
            .number("alone_ns", Unit::kNanoseconds, "the same when it runs alone, with --isolated",
                    [](const Row& r) {
                      return r.alone ? base::Cell(base::clean_nanoseconds(r.alone->time)) : base::Cell();
                    })
            .number(
                "slowdown", Unit::kCount, "time together over time alone",
                [](const Row& r) { return r.alone ? base::Cell(r.slowdown()) : base::Cell(); },
                base::Better::kLess);
    for (std::size_t reason = 0; reason < base::kStallReasons; ++reason) {
      if (reason == static_cast<std::size_t>(StallReason::kIdle)) continue;
      const std::string name = base::name_of(static_cast<StallReason>(reason));
      columns.number("more_" + name + "_ns", "more_ns." + name, Unit::kNanoseconds,
                     "time of the mean engine beyond that alone: " +
                         std::string(base::doc_of(static_cast<StallReason>(reason))),
                     [reason](const Row& r) {
                       return r.alone ? base::Cell(base::clean_nanoseconds(more_of(r, reason)))
                                      : base::Cell();
                     });
    }
    return columns;
  }();
  return kColumns;
}

std::string programs_text(const std::vector<ProgramRow>& rows) {
  if (rows.empty()) return "";
  const auto line = [](auto... cells) {
    std::string text = fmt::format("  {:<14} {:>6} {:>11} {:>11} {:>11} {:>11} {:>8}  {}", cells...);
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = "\nprograms: each on cores of its own; alone: with --isolated, on the same cores\n" +
                     line("", "cores", "from", "to", "time", "alone", "slowdown",
                          "the mean engine's time beyond that alone");
  for (const ProgramRow& row : rows)
    text +=
        line(row.program.name, row.program.cores.size(), time_text(row.program.begin),
             time_text(row.program.end), time_text(row.time()), row.alone ? time_text(row.alone->time) : "-",
             row.alone ? fmt::format("{:.3f}", row.slowdown()) : "-", row.alone ? grown_text(row) : "");
  if (const std::optional<Sharing> sharing = sharing_of(rows))
    text += fmt::format(
        "  weighted speedup {:.2f} of {}; unfairness {:.2f} (largest slowdown over the smallest)\n",
        sharing->weighted_speedup, rows.size(), sharing->unfairness);
  return text;
}

nlohmann::ordered_json programs_json(const std::vector<ProgramRow>& rows) {
  auto list = nlohmann::ordered_json::array();
  for (const ProgramRow& row : rows) list.push_back(columns_json(program_columns(), row));
  return list;
}

std::string programs_csv(const std::vector<ProgramRow>& rows) {
  CsvLines lines(program_columns());
  for (const ProgramRow& row : rows) lines.add(row);
  return lines.text();
}

}  // namespace tahoma::runtime
