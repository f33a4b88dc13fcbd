// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/tables/table_reader.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "model/base/error.h"
#include "model/base/quantity.h"

namespace tahoma::runtime {

using base::UserError;

ColumnPlaces read_header(const CsvTable& table, const std::vector<std::string>& columns,
                         const std::string& label) {
  ColumnPlaces places;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    const auto& [name, place] = table.header[i];
    if (std::find(columns.begin(), columns.end(), name) == columns.end())
      throw UserError("E-ACC-003", place,
                      fmt::format("unknown column '{}': expected {}{}", name, fmt::join(columns, ", "),
                                  base::did_you_mean(name, columns)));
    if (!places.emplace(name, i).second)
      throw UserError("E-ACC-003", place, fmt::format("column '{}' appears twice", name));
  }
  for (const std::string& name : columns)
    if (!places.contains(name))
      throw UserError("E-ACC-003", table.header.empty() ? label : table.header.front().place,
                      fmt::format("column '{}' is missing", name));
  return places;
}

const std::string& RowReader::text(const char* column) const {
  const CsvField& given = field(column);
  if (given.text.empty())
    throw UserError("E-ACC-004", given.place, fmt::format("column '{}' is empty", column));
  return given.text;
}

double RowReader::positive(const char* column) const {
  const std::string& given = text(column);
  try {
    if (const double value = base::parse_number(given); value > 0) return value;
  } catch (const UserError&) {  // reported below, at the place of the field
  }
  throw UserError("E-ACC-004", field(column).place,
                  fmt::format("column '{}': expected a number above 0, got '{}'", column, given));
}

std::uint64_t RowReader::count(const char* column) const {
  const std::string& given = text(column);
  try {
    if (const std::uint64_t value = base::parse_count(given); value > 0) return value;
  } catch (const UserError&) {  // reported below, at the place of the field
  }
  throw UserError("E-ACC-004", field(column).place,
                  fmt::format("column '{}': expected a count of at least 1, got '{}'", column, given));
}

std::size_t RowReader::word(const char* column, const std::vector<std::string>& words) const {
  const CsvField& given = field(column);
  const auto found = std::find(words.begin(), words.end(), given.text);
  if (found == words.end())
    throw UserError("E-ACC-005", given.place,
                    fmt::format("column '{}': expected {}, got '{}'{}", column, fmt::join(words, " or "),
                                given.text, base::did_you_mean(given.text, words)));
  return static_cast<std::size_t>(found - words.begin());
}

std::string RowReader::id() const {
  const std::string& id = text("id");
  if (id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
    throw UserError("E-ACC-006", field("id").place,
                    fmt::format("id '{}': expected lower case letters, digits and underscores", id));
  return id;
}

}  // namespace tahoma::runtime
