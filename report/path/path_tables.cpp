// SPDX-License-Identifier: Apache-2.0
// The critical path as text and as columns.
#include <fmt/format.h>

#include <algorithm>

#include "report/path/path_summary.h"
#include "runtime/host/text/format.h"

namespace tahoma::runtime {

namespace {

std::string spot_line(const PathHotSpot& s) {
  return trimmed(fmt::format("  {:>6.1f} %{:>11}{:>8}{:>8}  {:<24} {:<18} {}", s.share_percent,
                             time_text(s.time), s.steps, s.instructions,
                             fitted(fmt::format("{} {} [{}]", s.engine, s.opcode, s.index), 24),
                             fitted(s.program, 18), fitted(s.source, 17))) +
         "\n";
}

std::string row_line(const PathRow& r) {
  const std::string what =
      r.core.empty() ? "no instruction explains it" : fmt::format("{} {} {}", r.core, r.engine, r.opcode);
  return trimmed(fmt::format("  {:>11}{:>11}{:>7.1f} %{:>7}  {:<41} {}", time_text({r.to.fs}),
                             time_text(r.time()), r.share_percent, r.steps, fitted(what, 41),
                             fitted(r.source, 16))) +
         "\n";
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

std::string path_text(const PathSummary& path, const RowLimits& most) {
  if (path.hot_spots.empty()) return "";
  std::string text =
      fmt::format("\ncritical path: {} steps, each of which begins where another one ends; together {}\n",
                  path.steps, time_text(path.elapsed));
  if (path.not_followed != 0)
    text += fmt::format("  the first {} instructions of the run are not followed\n", path.not_followed);
  text += path_shares_text(path.operations, most.path_shares);
  if (most.path_spots > 0)
    text += fmt::format("  {:>8}{:>11}{:>8}{:>8}  {:<24} {:<18} {}\n", "share", "time", "steps", "instr.",
                        "hot spot [largest]", "program", "source");
  for (std::size_t n = 0; n < std::min(most.path_spots, path.hot_spots.size()); ++n)
    text += spot_line(path.hot_spots[n]);
  text += fmt::format("  from the end to the start\n  {:>11}{:>11}{:>9}{:>7}  {:<41} {}\n", "ends at", "time",
                      "share", "steps", "longest step", "source");
  for (const PathRow& row : united(path.rows, most.path_rows)) text += row_line(row);
  return text;
}

}  // namespace tahoma::runtime
