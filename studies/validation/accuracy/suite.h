// SPDX-License-Identifier: Apache-2.0
// A file that specifies the required accuracy: below the key `accuracy` a title, the machine on which every
// case is run, and families of figures, in the order of the report. A family has
//   doc: one sentence
//   table: FILE.csv, next to this file
//   rows: ids of the table, or prefixes of ids with a '*'; default: all
//   phases: N runs of each case with different phases of the tensor throttle
//   limits: {mean: 2 %, worst: 10 %} of the absolute errors; without limits the figures are only reported
//   misses: {ID: {error: -10 %, reason: TEXT}} figures that are known to exceed limits.worst. A figure whose
//   error is no longer within kMissRange of the declared one fails, and so does one that meets the limit
// A family of memory traffic has `traffic: FILE.csv` instead of `table` and `phases`, one of traffic
// through the fabric `fabric: FILE.csv`, one of collectives `collectives: FILE.csv`, one of published peaks
// `peaks: FILE.csv`. Their rows or cases
// name their own machines, and a file with only such families names no machine. Each row of a table belongs
// to exactly one family.
//
// UserError in addition to those of the configuration loader and figures.h:
//   E-ACC-018 a known miss of a row that the family lacks
//   E-ACC-001 no `accuracy` in the file, or in any file of a folder   E-ACC-010 a limit is not a percentage
//   E-ACC-011 a row of no family or of two, or a family without rows  E-ACC-013 a key is missing
//   E-ACC-014 no family of that name                        E-ACC-017 keys that exclude each other
//   E-CFG-021 no machine of that name
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "studies/validation/accuracy/tables/figures.h"

namespace tahoma::runtime {

struct Limits {
  std::optional<double> mean, worst;  // percent
};

// Percentage points by which the error of a known miss may differ from the declared one.
inline constexpr double kMissRange = 1;

struct KnownMiss {
  std::string id;
  double error = 0;  // percent
  std::string reason;
};

struct Family {
  std::string name, doc, table;
  FigureKind kind = FigureKind::kProbe;
  Limits limits;
  std::uint64_t phases = 0;
  std::vector<Figure> figures;
  std::vector<KnownMiss> misses = {};
};

struct Suite {
  std::string file, title;
  // The name in the file, and the path of the file or preset; "" without cases.
  std::string machine, machine_path;
  std::vector<Family> families;
};

// True if the YAML file `path` has the root key `accuracy`.
bool is_suite(const std::string& path);

// With `only`, only those families are loaded; the tables of the others are not opened.
Suite load_suite(const std::string& path, const std::vector<std::string>& only = {});

}  // namespace tahoma::runtime
