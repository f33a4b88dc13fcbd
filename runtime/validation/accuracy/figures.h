// SPDX-License-Identifier: Apache-2.0
// A figure that the model is compared with, and what of a run it is: a probe of a workload's run on silicon's
// side, what a stack of HBM or the fabric makes of some traffic (traffic_table.h, fabric_table.h), or the
// time of a collective (collective_table.h). Here: a table of figures measured on silicon, whose columns are
// described in workloads/micro/README.md.
//
// UserError beside those of csv.h and probe.h, at the field's place:
//   E-ACC-003 a column is missing, unknown or there twice   E-ACC-004 an empty field, or not a number above 0
//   E-ACC-005 none of the legal words                       E-ACC-006 an id that is malformed or there twice
//   E-ACC-007 samples, low and high contradict the value    E-ACC-009 a unit in which the probe has no value
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/config_loader.h"
#include "model/system/statistics/fabric_traffic.h"
#include "model/system/statistics/memory_traffic.h"
#include "runtime/validation/accuracy/probe.h"

namespace tahoma::runtime {

class RowReader;

enum class FigureUnit : std::uint8_t { kNs, kUs, kTflops, kOfPeak, kCycles };
const char* name_of(FigureUnit unit);  // "ns", "us", "TFLOPS", "% of peak", "cycles"

enum class FigureUse : std::uint8_t { kCalibration, kCheck };
const char* name_of(FigureUse use);  // "calibration", "check"

struct Spread {
  double low = 0, high = 0;
};

// What a table's rows are.
enum class FigureKind : std::uint8_t { kProbe, kMemory, kFabric, kCollective };

// A collective of a workload's run: the case with `set` on top of it, and what the reference's time has
// before and behind the collective itself.
struct CollectiveCase {
  std::vector<std::string> set;  // overrides, as of --set
  base::Duration launch;
};

struct Figure {
  std::string id, what;
  std::string case_name;   // as the table writes it
  std::string case_path;   // the file: a workload's, or with traffic a machine's
  std::string case_place;  // of its field
  std::string probe_text;  // as the table writes it
  Probe probe;
  std::optional<model::MemoryTraffic> traffic;  // instead of a probe
  std::optional<model::FabricTraffic> fabric;   // likewise
  std::optional<CollectiveCase> collective;     // likewise
  double reference = 0;                         // silicon's value in `unit`, or another simulator's
  FigureUnit unit = FigureUnit::kNs;
  std::uint64_t samples = 1;
  std::optional<Spread> spread;  // of the samples
  FigureUse use = FigureUse::kCheck;
  std::string source;
  std::string place;  // of its row
};

// The columns with which the row of every figure begins: id, what, and whose figure it is.
Figure named_figure(const RowReader& row, const char* case_column);

// Every row of a table of these columns, as `read` takes it; ids are there once (E-ACC-006).
std::vector<Figure> read_figures(const base::NamedText& table, const std::vector<std::string>& columns,
                                 const std::function<Figure(const RowReader&)>& read);

// Cases are relative to the table's folder.
std::vector<Figure> parse_figures(const base::NamedText& table);

}  // namespace tahoma::runtime
