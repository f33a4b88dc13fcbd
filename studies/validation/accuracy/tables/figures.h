// SPDX-License-Identifier: Apache-2.0
// A reference figure for the model, and the quantity of a run that corresponds to it: a probe of a workload's
// run (compared with silicon, or with a published peak: peak_table.h), the result of traffic on an HBM stack
// or the fabric (traffic_table.h, fabric_table.h), or the time of a collective (collective_table.h). This
// file reads a table of figures measured on silicon; workloads/micro/README.md describes its columns.
//
// UserError in addition to those of csv.h and probe.h, at the field's place:
//   E-ACC-003 a column is missing, unknown or duplicate     E-ACC-004 an empty field, or not a number above 0
//   E-ACC-005 not one of the legal words                    E-ACC-006 a malformed or duplicate id
//   E-ACC-007 samples, low and high contradict the value    E-ACC-009 a unit in which the probe has no value
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/base/loader/config_loader.h"
#include "model/system/statistics/fabric_traffic.h"
#include "model/system/statistics/memory_traffic.h"
#include "studies/validation/accuracy/tables/probe.h"

namespace tahoma::runtime {

class RowReader;

enum class FigureUnit : std::uint8_t { kNs, kUs, kTflops, kOfPeak, kCycles, kGigabytes, kGigaelements };
// "ns", "us", "TFLOPS", "% of peak", "cycles", "GB/s", "Gelements/s"
const char* name_of(FigureUnit unit);

enum class FigureUse : std::uint8_t { kCalibration, kCheck };
const char* name_of(FigureUse use);  // "calibration", "check"

struct Spread {
  double low = 0, high = 0;
};

// The kind of a table's rows.
enum class FigureKind : std::uint8_t { kProbe, kMemory, kFabric, kCollective, kPeak };

// A collective in a workload's run: the case with the overrides `set`, and the time that the reference
// includes before and after the collective itself.
struct CollectiveCase {
  std::vector<std::string> set;  // overrides, as of --set
  base::Duration launch;
};

// A published peak: the work that the probe's interval contains, in operations, bytes or elements, on a
// machine.
struct PeakCase {
  std::string machine, machine_path, machine_place;
  double work = 0;
};

struct Figure {
  std::string id, what;
  std::string case_name;   // as in the table
  std::string case_path;   // file of the workload, or for traffic of the machine
  std::string case_place;  // place of its field
  std::string probe_text;  // as in the table
  Probe probe;
  std::optional<model::MemoryTraffic> traffic;  // instead of a probe
  std::optional<model::FabricTraffic> fabric;   // likewise
  std::optional<CollectiveCase> collective;     // likewise
  std::optional<PeakCase> peak;                 // beside a probe
  double reference = 0;                         // silicon's value in `unit`, or another simulator's
  FigureUnit unit = FigureUnit::kNs;
  std::uint64_t samples = 1;
  std::optional<Spread> spread;  // of the samples
  FigureUse use = FigureUse::kCheck;
  std::string source;
  std::string place;  // of its row
};

// Reads the common first columns of every figure: id, what, and the case in `case_column`.
Figure named_figure(const RowReader& row, const char* case_column);

// Reads every row of a table of these columns with `read`; ids must be unique (E-ACC-006).
std::vector<Figure> read_figures(const base::NamedText& table, const std::vector<std::string>& columns,
                                 const std::function<Figure(const RowReader&)>& read);

// Returns the probe in the column `probe`.
Probe read_probe(const RowReader& row);

// Cases are relative to the table's folder.
std::vector<Figure> parse_figures(const base::NamedText& table);

}  // namespace tahoma::runtime
