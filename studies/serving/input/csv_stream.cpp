// SPDX-License-Identifier: Apache-2.0
#include "studies/serving/input/csv_stream.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>
#include <utility>

#include "model/base/error.h"
#include "runtime/host/text/text_file.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime::serving {

using base::UserError;

CsvStream::CsvStream(std::string path, std::vector<CsvColumn> columns, OtherColumns others)
    : path_(std::move(path)), file_(path_, std::ios::binary), columns_(std::move(columns)) {
  // The file is refused with the system's reason. A pipe must not be read here: it cannot be read twice.
  if (std::error_code ignored; !file_ || std::filesystem::is_directory(path_, ignored)) read_file(path_, 1);
  read_header(others);
}

bool CsvStream::read_line() {
  // A device or a file of another format may have a line without an end.
  std::array<char, kMostLine + 2> text{};  // with its line end
  while (file_.getline(text.data(), text.size()) || file_.gcount() > 0) {
    ++number_;
    if (file_.fail())
      throw UserError("E-SRV-001", place(),
                      fmt::format("expected at most {} characters in a line", kMostLine));
    line_ = text.data();
    if (line_.ends_with('\r')) line_.pop_back();
    if (!line_.empty() && line_.front() != '#') return true;
  }
  if (file_.bad()) throw UserError("E-RUN-001", path_, "cannot read the file to its end");
  return false;
}

void CsvStream::split() {
  fields_.clear();
  const std::string_view line = line_;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    fields_.push_back(line.substr(begin, end - begin));
    if (end == line.size()) return;
    begin = end + 1;
  }
}

void CsvStream::read_header(OtherColumns others) {
  if (!read_line()) throw UserError("E-SRV-006", path_, "expected a header and rows, got an empty file");
  line_ = as_text(line_, path_);
  split();
  header_.assign(fields_.begin(), fields_.end());
  find_columns(others);
}

void CsvStream::find_columns(OtherColumns others) {
  std::vector<std::string> legal;
  for (const CsvColumn& column : columns_) {
    legal.insert(legal.end(), column.names.begin(), column.names.end());
    std::size_t found = kNone;
    std::string first;
    for (std::size_t at = 0; at < header_.size(); ++at)
      if (std::find(column.names.begin(), column.names.end(), header_[at]) != column.names.end()) {
        if (found != kNone)
          throw UserError("E-SRV-002", place(),
                          first == header_[at]
                              ? fmt::format("column '{}' appears twice", first)
                              : fmt::format("columns '{}' and '{}' are two names of the same: expected one",
                                            first, header_[at]));
        found = at;
        first = header_[at];
      }
    position_.push_back(found);
  }
  for (std::size_t at = 0; at < header_.size() && others == OtherColumns::kRefused; ++at)
    if (std::find(legal.begin(), legal.end(), header_[at]) == legal.end())
      throw UserError("E-SRV-002", place(),
                      fmt::format("unknown column '{}': expected {}{}", header_[at], fmt::join(legal, ", "),
                                  base::did_you_mean(header_[at], legal)));
  for (std::size_t column = 0; column < columns_.size(); ++column)
    if (columns_[column].required && !has(column))
      throw UserError("E-SRV-002", place(),
                      fmt::format("column '{}' is missing: the header is '{}'",
                                  fmt::join(columns_[column].names, "' or '"), fmt::join(header_, ",")));
}

bool CsvStream::next() {
  if (!read_line()) {
    if (rows_ == 0) throw UserError("E-SRV-006", path_, "expected rows below the header, got none");
    return false;
  }
  split();
  if (fields_.size() != header_.size())
    throw UserError("E-SRV-001", place(),
                    fmt::format("expected {} fields as in the header, got {}: the file may be truncated",
                                header_.size(), fields_.size()));
  ++rows_;
  return true;
}

std::string CsvStream::place() const { return fmt::format("{}:{}", path_, number_); }

std::string CsvStream::place(std::size_t column) const {
  return fmt::format("{}:{}:{}", path_, number_, field(column).data() - line_.data() + 1);
}

}  // namespace tahoma::runtime::serving
