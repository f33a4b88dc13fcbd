// SPDX-License-Identifier: Apache-2.0
// Reads a table with known columns field by field: checks each value and provides its place.
//
// UserError: E-ACC-003 a column is missing, unknown or duplicate; E-ACC-004 an empty field, or not a number
// of its kind; E-ACC-005 not one of the legal words; E-ACC-006 a malformed id.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "runtime/host/tables/csv.h"

namespace tahoma::runtime {

using ColumnPlaces = std::map<std::string, std::size_t>;  // column -> position in the rows

// `label` is the place to report for a table without a header.
ColumnPlaces read_header(const CsvTable& table, const std::vector<std::string>& columns,
                         const std::string& label);

class RowReader {
 public:
  RowReader(const CsvRow& row, const ColumnPlaces& columns) : row_(row), columns_(columns) {}

  const CsvField& field(const char* column) const { return row_[columns_.at(column)]; }
  const std::string& text(const char* column) const;  // not empty
  double positive(const char* column) const;
  std::uint64_t count(const char* column) const;  // at least 1
  // Returns the position of the field among the legal words.
  std::size_t word(const char* column, const std::vector<std::string>& words) const;
  std::string id() const;  // column `id`: lower case letters, digits and underscores

 private:
  const CsvRow& row_;
  const ColumnPlaces& columns_;
};

}  // namespace tahoma::runtime
