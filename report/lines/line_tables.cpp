// SPDX-License-Identifier: Apache-2.0
#include "report/lines/line_tables.h"

#include <fmt/format.h>

#include <algorithm>

#include "isa/core/source_place.h"
#include "report/tables/column_csv.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

using base::Unit, base::StallReason;

std::string place_of(const HotSpot& spot) {
  if (spot.file.empty()) return "(no line)";
  return spot.line == 0 ? isa::file_name_of(spot.file)
                        : fmt::format("{}:{}", isa::file_name_of(spot.file), spot.line);
}

std::string spot_row(const HotSpot& spot) {
  const std::string stall = spot.stall.empty() ? "none"
                                               : fmt::format("{} {} {}", spot.stalled_engine, spot.stall,
                                                             time_text(spot.stall_time));
  return fmt::format("  {:<25}{:<16}{:>7.1f} %{:>11}{:>11}  {}\n", fitted(place_of(spot), 24),
                     fitted(spot.function, 15), spot.share_percent, time_text(spot.busy()),
                     time_text(spot.counts.waited_for), fitted(stall, 24));
}

// Lists only those that executed anything: the start and the end of the critical path are not a hot spot.
std::string spot_rows(const std::vector<HotSpot>& spots, std::size_t most) {
  std::string text;
  for (std::size_t n = 0; n < std::min(most, spots.size()); ++n)
    if (spots[n].counts.instructions > 0) text += spot_row(spots[n]);
  return text;
}

// Returns the columns of only one of the two outputs.
template <class Row>
base::Columns<Row> only(base::Columns<Row> empty, const base::Columns<Row>& columns) {
  for (base::Column<Row> column : columns.columns()) {
    if (empty.csv().empty()) column.text.csv.clear();
    if (empty.json().empty()) column.text.json.clear();
    empty.column(std::move(column));
  }
  return empty;
}

template <class Row>
void add_place(base::Columns<Row>& columns) {
  columns.text("file", "file of the source", [](const Row& r) { return r.file; })
      .number("line", Unit::kIdentifier, "line in it, from 1; 0: instructions without a line",
              [](const Row& r) { return r.line; })
      .text("function", "function that the line belongs to", [](const Row& r) { return r.function; })
      .text("callers", "chain of calls that led to the line, the innermost first",
            [](const Row& r) { return r.callers; });
}

template <class Row>
void add_counts(base::Columns<Row>& columns) {
  columns
      .number("instructions", Unit::kCount, "instructions of the line that were executed",
              [](const Row& r) { return r.counts.instructions; })
      .number("transfers", Unit::kCount, "transfers that the line started",
              [](const Row& r) { return r.counts.transfers; })
      .number("bytes", Unit::kBytes, "bytes that they moved, the larger side of a cast",
              [](const Row& r) { return r.counts.bytes; })
      .number("dma_ns", Unit::kNanoseconds, "time of DMA engines on them, summed over the engines",
              [](const Row& r) { return r.counts.dma.ns(); })
      .number("time_ns", Unit::kNanoseconds, "engine time of the line, busy and stalled, over all engines",
              [](const Row& r) { return r.total().ns(); })
      .number("busy_ns", Unit::kNanoseconds, "of that, busy", [](const Row& r) { return r.busy().ns(); })
      .number("waited_for_ns", Unit::kNanoseconds,
              "time that instructions of all engines waited for results of the line",
              [](const Row& r) { return r.counts.waited_for.ns(); })
      .number("critical_ns", Unit::kNanoseconds,
              "time of the line on the critical path, which adds up to the simulated time",
              [](const Row& r) { return r.counts.critical.ns(); });
}

}  // namespace

const base::Columns<LineTime>& line_columns() {
  using Row = LineTime;
  static const auto kColumns = [] {
    base::Columns<Row> columns("lines.csv");
    add_place(columns);
    add_counts(columns);
    for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind) {
      const std::string engine = base::name_of(static_cast<base::EngineKind>(kind));
      for (std::size_t n = 0; n < base::kStallReasons; ++n) {
        const auto reason = static_cast<StallReason>(n);
        if (reason == StallReason::kIdle) continue;
        columns.number(engine + '_' + base::name_of(reason) + "_ns", Unit::kNanoseconds, base::doc_of(reason),
                       [=](const Row& r) { return r.engines[kind].time[n].ns(); });
      }
    }
    return only(base::Columns<Row>("lines.csv"), columns);
  }();
  return kColumns;
}

const base::Columns<HotSpot>& hot_spot_columns() {
  using Row = HotSpot;
  static const auto kColumns = [] {
    base::Columns<Row> columns("", "lines.*");
    add_place(columns);
    columns.number("share_percent", Unit::kPercent, "part of the limiting engine's time",
                   [](const Row& r) { return r.share_percent; });
    add_counts(columns);
    columns
        .text("largest_stall", "largest stall of the line, or none",
              [](const Row& r) { return r.stall.empty() ? "none" : r.stall; })
        .text("stalled_engine", "kind of engine that it stalled",
              [](const Row& r) { return r.stalled_engine; })
        .number("stall_ns", Unit::kNanoseconds, "time of that stall",
                [](const Row& r) { return r.stall_time.ns(); });
    return only(base::Columns<Row>("", "lines.*"), columns);
  }();
  return kColumns;
}

std::string lines_csv(const LineTimes& times) {
  if (times.lines.empty()) return "";
  CsvLines lines(line_columns());
  for (const LineTime& line : times.lines) lines.add(line);
  return lines.text();
}

std::string hot_spots_text(const HotSpots& spots, const RowLimits& most) {
  if (spots.lines.empty()) return "";
  std::string text = fmt::format(
      "\nhot spots: lines of the source, by their share of the time of {}\n  {:<25}{:<16}{:>9}{:>11}{:>11}  "
      "{}\n",
      spots.of_dma ? "the DMA engines" : spots.limit, "", "function", "share", "busy", "waited for",
      "largest stall");
  text += spot_rows(spots.lines, most.hot_spots);
  if (spots.lines.size() > most.hot_spots)
    text += fmt::format("  and {} more in lines.csv\n", spots.lines.size() - most.hot_spots);
  if (spots.functions.size() < 2) return text;
  text += "of functions, calls from them not included\n";
  return text + spot_rows(spots.functions, most.hot_spots);
}

}  // namespace tahoma::runtime
