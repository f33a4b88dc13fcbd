// SPDX-License-Identifier: Apache-2.0
// Comma-separated text with the place of every field: one header line, fields in double quotes if they
// contain commas or quotes (doubled); lines that begin with '#' are comments, empty lines are skipped. A
// field ends with its line.
//
// UserError: E-ACC-002, a quoted field that is not closed or is followed by text, or a line with more or
// fewer fields than the header.
#pragma once

#include <string>
#include <vector>

#include "model/base/loader/config_loader.h"

namespace tahoma::runtime {

struct CsvField {
  std::string text, place;  // place: file:line:column
};
using CsvRow = std::vector<CsvField>;

struct CsvTable {
  CsvRow header;
  std::vector<CsvRow> rows;  // each as long as the header
};

CsvTable parse_csv(const base::NamedText& source);

}  // namespace tahoma::runtime
