// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/tables/csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "model/base/error.h"
#include "runtime/host/text/text_file.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

class LineReader {
 public:
  LineReader(const std::string& label, std::size_t number, const std::string& line)
      : label_(label), number_(number), line_(line) {}

  CsvRow fields() {
    CsvRow row;
    do row.push_back(field());
    while (at_ < line_.size() && line_[at_++] == ',');
    return row;
  }

 private:
  std::string place(std::size_t at) const { return fmt::format("{}:{}:{}", label_, number_, at + 1); }

  CsvField field() {
    if (at_ < line_.size() && line_[at_] == '"') return quoted();
    const std::size_t begin = at_;
    at_ = std::min(line_.find(',', at_), line_.size());
    return {line_.substr(begin, at_ - begin), place(begin)};
  }

  CsvField quoted() {
    const std::size_t begin = ++at_;
    std::string text;
    for (;; ++at_) {
      if (at_ >= line_.size()) throw UserError("E-ACC-002", place(begin - 1), "a quoted field is not closed");
      if (line_[at_] == '"' && line_.compare(at_, 2, "\"\"") != 0) break;
      if (line_[at_] == '"') ++at_;
      text += line_[at_];
    }
    if (++at_ < line_.size() && line_[at_] != ',')
      throw UserError("E-ACC-002", place(at_), "expected a comma after the quoted field");
    return {text, place(begin)};
  }

  const std::string& label_;
  std::size_t number_;
  const std::string& line_;
  std::size_t at_ = 0;
};

}  // namespace

CsvTable parse_csv(const base::NamedText& source) {
  CsvTable table;
  std::istringstream lines(as_text(source.text, source.label));
  std::string line;
  for (std::size_t number = 1; std::getline(lines, line); ++number) {
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.starts_with('#')) continue;
    CsvRow row = LineReader(source.label, number, line).fields();
    if (table.header.empty()) {
      table.header = std::move(row);
      continue;
    }
    if (row.size() != table.header.size())
      throw UserError(
          "E-ACC-002", row.front().place,
          fmt::format("{} fields, but the header has {}: a field with a comma needs double quotes",
                      row.size(), table.header.size()));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace tahoma::runtime
