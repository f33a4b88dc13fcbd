// SPDX-License-Identifier: Apache-2.0
// Declared columns (model/base/columns.h) as CSV as in RFC 4180: LF line ends, one header line.
#pragma once

#include <string>

#include "model/base/columns.h"

namespace tahoma::runtime {

// Quoted if the text contains a comma, a quote or a line end.
std::string csv_field(const std::string& text);
std::string cell_text(const base::Cell& cell);

template <class Record>
class CsvLines {
 public:
  explicit CsvLines(const base::Columns<Record>& columns) {
    for (const bool last : {false, true})
      for (const base::Column<Record>& column : columns.columns())
        if (column.last_in_csv == last && !column.text.csv.empty()) columns_.push_back(&column);
    for (const auto* column : columns_) text_ += separator(column) + column->text.csv;
    text_ += '\n';
  }
  void add(const Record& record) {
    for (const auto* column : columns_) text_ += separator(column) + cell_text(column->value(record));
    text_ += '\n';
  }
  const std::string& text() const { return text_; }

 private:
  std::string separator(const base::Column<Record>* column) const {
    return column == columns_.front() ? "" : ",";
  }

  std::vector<const base::Column<Record>*> columns_;
  std::string text_;
};

}  // namespace tahoma::runtime
