// SPDX-License-Identifier: Apache-2.0
// The critical path as text and as columns.
#include <fmt/format.h>

#include <algorithm>

#include "runtime/report/path/path_summary.h"
#include "runtime/report/summary/format.h"

namespace tahoma::runtime {

namespace {

constexpr std::size_t kMostSpotsShown = 8;  // in the text; summary.json has more

std::string spot_line(const PathHotSpot& s) {
  return fmt::format("  {:>6.1f} %{:>12}{:>9}{:>14}  {:<28} {:<22} {}\n", s.share_percent, time_text(s.time),
                     s.steps, s.instructions, fmt::format("{} {}, [{}]", s.engine, s.opcode, s.index),
                     s.program, s.source);
}

std::string row_line(const PathRow& r) {
  const std::string what =
      r.core.empty() ? "no instruction explains it" : fmt::format("{} {} {}", r.core, r.engine, r.opcode);
  return fmt::format("  {:>12}{:>12}{:>7.1f} %{:>9}  {:<46}{}\n", time_text({r.to.fs}), time_text(r.time()),
                     r.share_percent, r.steps, what, r.source);
}

// The saving is a bound: another chain may end last then.
std::string next_line(const std::vector<PathHotSpot>& spots) {
  if (spots.empty()) return "";
  const auto name = [](const PathHotSpot& s) {
    return fmt::format("{} {} of {}", s.engine, s.opcode, s.source.empty() ? s.program : s.source);
  };
  return fmt::format("  if {} were free, at most {:.1f} % would be saved{}\n", name(spots[0]),
                     spots[0].share_percent,
                     spots.size() < 2 ? "" : fmt::format("; {} is next", name(spots[1])));
}

}  // namespace

const base::Columns<PathHotSpot>& path_hot_spot_columns() {
  using base::Unit;
  using Row = PathHotSpot;
  static const auto kColumns =
      base::Columns<Row>("", "critical_path.hot_spots.*")
          .text("", "program", "program that the instructions belong to",
                [](const Row& r) { return r.program; })
          .text("", "engine", "engine that executes them", [](const Row& r) { return r.engine; })
          .text("", "opcode", "the instruction", [](const Row& r) { return r.opcode; })
          .number("", "instructions", Unit::kCount,
                  "instructions of the engine's stream with this opcode and source on the path",
                  [](const Row& r) { return r.instructions; })
          .number("", "index", Unit::kCount,
                  "number of the one with the largest time, in the engine's stream from 0",
                  [](const Row& r) { return r.index; })
          .text("", "source", "source line, or region of a program without lines",
                [](const Row& r) { return r.source; })
          .number("", "steps", Unit::kCount, "steps of the critical path that they make, over all cores",
                  [](const Row& r) { return r.steps; })
          .number("", "time_ns", Unit::kNanoseconds, "their time on the critical path",
                  [](const Row& r) { return r.time.ns(); })
          .number("", "share_percent", Unit::kPercent, "that in percent of the simulated time",
                  [](const Row& r) { return r.share_percent; });
  return kColumns;
}

const base::Columns<PathRow>& path_row_columns() {
  using base::Unit;
  using Row = PathRow;
  static const auto kColumns =
      base::Columns<Row>("", "critical_path.rows.*")
          .number("", "start_ns", Unit::kNanoseconds, "start of the row, where the next row ends",
                  [](const Row& r) { return r.from.ns(); })
          .number("", "end_ns", Unit::kNanoseconds, "end of the row", [](const Row& r) { return r.to.ns(); })
          .number("", "time_ns", Unit::kNanoseconds, "time between them",
                  [](const Row& r) { return r.time().ns(); })
          .number("", "share_percent", Unit::kPercent, "that in percent of the simulated time",
                  [](const Row& r) { return r.share_percent; })
          .number("", "steps", Unit::kCount, "consecutive steps of the critical path that the row unites",
                  [](const Row& r) { return r.steps; })
          .text("", "core", "core of the longest of them", [](const Row& r) { return r.core; })
          .text("", "engine", "its engine", [](const Row& r) { return r.engine; })
          .text("", "opcode", "its instruction", [](const Row& r) { return r.opcode; })
          .text("", "source", "its source line or region", [](const Row& r) { return r.source; });
  return kColumns;
}

std::string path_text(const PathSummary& path) {
  if (path.hot_spots.empty()) return "";
  std::string text = fmt::format(
      "\ncritical path: {} steps, each of which begins where another one ends; together {}\n  "
      "{:>8}{:>12}{:>9}{:>14}  {:<28} {:<22} {}\n",
      path.steps, time_text(path.elapsed), "share", "time", "steps", "instructions", "hot spot, [largest]",
      "program", "source");
  for (std::size_t n = 0; n < std::min(kMostSpotsShown, path.hot_spots.size()); ++n)
    text += spot_line(path.hot_spots[n]);
  text += next_line(path.hot_spots);
  text += fmt::format("  from the end to the start\n  {:>12}{:>12}{:>9}{:>9}  {:<46}{}\n", "ends at", "time",
                      "share", "steps", "longest step", "source");
  for (const PathRow& row : path.rows) text += row_line(row);
  return text;
}

}  // namespace tahoma::runtime
