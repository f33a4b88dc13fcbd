// SPDX-License-Identifier: Apache-2.0
// A file that says how near to silicon the model has to be: below the key `accuracy` a title, the machine on
// which every case is run, and families of figures, in the order of the report. A family has
//   doc: one sentence                     rows: ids of the table, or beginnings of ids with a '*'; none: all
//   table: FILE.csv, beside this file     phases: N runs of each case with other phases of the tensor
//   throttle limits: {mean: 2 %, worst: 10 %}      of the absolute errors; without one the figures are only
//   reported
// A family of memory traffic has `traffic: FILE.csv` instead of `table` and `phases`, one of traffic through
// the fabric `fabric: FILE.csv`, one of collectives `collectives: FILE.csv`: their rows or cases name
// machines of their own, and a file with none but such families names no machine. Each row of a table belongs
// to exactly one family.
//
// UserError beside those of the configuration loader and figures.h:
//   E-ACC-001 no `accuracy` in the file, or in none of a folder's   E-ACC-010 a limit that is no percentage
//   E-ACC-011 a row of no family or of two, or a family without rows  E-ACC-013 a key is missing
//   E-ACC-014 no family of that name                        E-ACC-017 keys that exclude each other
//   E-CFG-021 no machine of that name
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "runtime/validation/accuracy/figures.h"

namespace tahoma::runtime {

struct Limits {
  std::optional<double> mean, worst;  // percent
};

struct Family {
  std::string name, doc, table;
  FigureKind kind = FigureKind::kProbe;
  Limits limits;
  std::uint64_t phases = 0;
  std::vector<Figure> figures;
};

struct Suite {
  std::string file, title;
  // As the file names it, and where it was found, beside the file or a preset; "" without cases.
  std::string machine, machine_path;
  std::vector<Family> families;
};

// Whether the YAML file `path` has the root key `accuracy`.
bool is_suite(const std::string& path);

// With `only`, those families alone; the tables of others are not opened.
Suite load_suite(const std::string& path, const std::vector<std::string>& only = {});

}  // namespace tahoma::runtime
