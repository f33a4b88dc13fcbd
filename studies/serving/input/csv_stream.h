// SPDX-License-Identifier: Apache-2.0
// Reads a CSV file row by row, so that a trace of millions of rows needs no memory for its text. One header
// line; lines that begin with '#' are comments, and empty lines are skipped. Fields have no quotes. The last
// line may lack its line end, as in Azure's published traces.
//
// UserError at file:line: E-RUN-001 the file cannot be read; E-SRV-001 a line with more or fewer fields than
// the header, as at the end of a truncated file, or longer than kMostLine; E-SRV-002 a column is missing,
// unknown or twice; E-SRV-006 the file has no row.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace tahoma::runtime::serving {

// A column, by any of its names.
struct CsvColumn {
  std::vector<std::string> names;
  bool required = true;
};
enum class OtherColumns { kRefused, kIgnored };

class CsvStream {
 public:
  static constexpr std::size_t kMostLine = 4096;  // characters

  CsvStream(std::string path, std::vector<CsvColumn> columns, OtherColumns others);

  // Reads the next row. False at the end of the file.
  bool next();
  std::size_t rows() const { return rows_; }

  bool has(std::size_t column) const { return position_[column] != kNone; }
  // The name by which the header has the column.
  const std::string& name(std::size_t column) const { return header_[position_[column]]; }
  std::string_view field(std::size_t column) const { return fields_[position_[column]]; }
  std::string place() const;                    // file:line
  std::string place(std::size_t column) const;  // file:line:column of the text

 private:
  static constexpr std::size_t kNone = SIZE_MAX;

  bool read_line();
  void split();
  void read_header(OtherColumns others);
  void find_columns(OtherColumns others);

  std::string path_;
  std::ifstream file_;
  std::vector<CsvColumn> columns_;
  std::vector<std::size_t> position_;  // by column, among the fields
  std::vector<std::string> header_;
  std::string line_;
  std::vector<std::string_view> fields_;
  std::size_t number_ = 0, rows_ = 0;
};

}  // namespace tahoma::runtime::serving
