// SPDX-License-Identifier: Apache-2.0
#include "runtime/accuracy/figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <set>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "runtime/accuracy/csv.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

constexpr std::array<const char*, 3> kUnits{"ns", "us", "TFLOPS"};
constexpr std::array<const char*, 2> kUses{"calibration", "check"};

const std::vector<std::string> kColumns{"id",      "what", "case", "probe", "silicon", "unit",
                                        "samples", "low",  "high", "use",   "source"};

// column -> its position in the rows.
std::map<std::string, std::size_t> read_header(const CsvTable& table, const std::string& label) {
  std::map<std::string, std::size_t> columns;
  for (std::size_t i = 0; i < table.header.size(); ++i) {
    const auto& [name, place] = table.header[i];
    if (std::find(kColumns.begin(), kColumns.end(), name) == kColumns.end())
      throw UserError("E-ACC-003", place,
                      fmt::format("unknown column '{}': expected {}{}", name, fmt::join(kColumns, ", "),
                                  base::did_you_mean(name, kColumns)));
    if (!columns.emplace(name, i).second)
      throw UserError("E-ACC-003", place, fmt::format("column '{}' is there twice", name));
  }
  for (const std::string& name : kColumns)
    if (!columns.contains(name))
      throw UserError("E-ACC-003", table.header.empty() ? label : table.header.front().place,
                      fmt::format("column '{}' is missing", name));
  return columns;
}

class RowReader {
 public:
  RowReader(const CsvRow& row, const std::map<std::string, std::size_t>& columns)
      : row_(row), columns_(columns) {}

  const CsvField& field(const char* column) const { return row_[columns_.at(column)]; }

  const std::string& text(const char* column) const {
    const CsvField& given = field(column);
    if (given.text.empty())
      throw UserError("E-ACC-004", given.place, fmt::format("column '{}' is empty", column));
    return given.text;
  }

  double positive(const char* column) const {
    const std::string& given = text(column);
    try {
      if (const double value = base::parse_number(given); value > 0) return value;
    } catch (const UserError&) {  // what is expected is said below, at the place
    }
    throw UserError("E-ACC-004", field(column).place,
                    fmt::format("column '{}': expected a number above 0, got '{}'", column, given));
  }

  std::uint64_t count(const char* column) const {
    const std::string& given = text(column);
    try {
      if (const std::uint64_t value = base::parse_count(given); value > 0) return value;
    } catch (const UserError&) {  // as above
    }
    throw UserError("E-ACC-004", field(column).place,
                    fmt::format("column '{}': expected a count of at least 1, got '{}'", column, given));
  }

  template <class Word, std::size_t kWords>
  Word word(const char* column, const std::array<const char*, kWords>& words) const {
    const CsvField& given = field(column);
    const auto found = std::find(words.begin(), words.end(), given.text);
    if (found == words.end())
      throw UserError("E-ACC-005", given.place,
                      fmt::format("column '{}': expected {}, got '{}'{}", column, fmt::join(words, " or "),
                                  given.text, base::did_you_mean(given.text, {words.begin(), words.end()})));
    return static_cast<Word>(found - words.begin());
  }

 private:
  const CsvRow& row_;
  const std::map<std::string, std::size_t>& columns_;
};

std::string read_id(const RowReader& row) {
  const std::string& id = row.text("id");
  if (id.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") != std::string::npos)
    throw UserError("E-ACC-006", row.field("id").place,
                    fmt::format("id '{}': expected lower case letters, digits and underscores", id));
  return id;
}

std::optional<Spread> read_spread(const RowReader& row, const Figure& figure) {
  if (figure.samples == 1) {
    for (const char* column : {"low", "high"})
      if (!row.field(column).text.empty())
        throw UserError("E-ACC-007", row.field(column).place,
                        fmt::format("column '{}': expected nothing beside a single sample", column));
    return std::nullopt;
  }
  const Spread spread{row.positive("low"), row.positive("high")};
  if (spread.low > figure.silicon || figure.silicon > spread.high)
    throw UserError("E-ACC-007", row.field("low").place,
                    fmt::format("expected low <= silicon <= high, got {} <= {} <= {}", spread.low,
                                figure.silicon, spread.high));
  return spread;
}

Probe read_probe(const RowReader& row) {
  const CsvField& field = row.field("probe");
  const std::size_t colon = field.place.rfind(':');
  const std::uint64_t column = base::parse_count(field.place.substr(colon + 1));
  return parse_probe(row.text("probe"), [&](std::size_t offset) {
    return fmt::format("{}:{}", field.place.substr(0, colon), column + offset);
  });
}

void require_unit_of_probe(const RowReader& row, const Figure& figure) {
  const auto* whole = std::get_if<Whole>(&figure.probe);
  const bool rate = whole != nullptr && *whole == Whole::kTflops;
  if (rate != (figure.unit == FigureUnit::kTflops))
    throw UserError("E-ACC-009", row.field("unit").place,
                    fmt::format("probe '{}' is {}: expected unit {}", figure.probe_text,
                                rate ? "a rate" : "a time", rate ? "TFLOPS" : "ns or us"));
}

Figure read_figure(const RowReader& row, const std::filesystem::path& folder) {
  Figure figure;
  figure.place = row.field("id").place;
  figure.id = read_id(row);
  figure.what = row.text("what");
  figure.case_name = row.text("case");
  figure.case_path = (folder / figure.case_name).lexically_normal().string();
  figure.probe_text = row.text("probe");
  figure.probe = read_probe(row);
  figure.silicon = row.positive("silicon");
  figure.unit = row.word<FigureUnit>("unit", kUnits);
  figure.samples = row.count("samples");
  figure.spread = read_spread(row, figure);
  figure.use = row.word<FigureUse>("use", kUses);
  figure.source = row.text("source");
  require_unit_of_probe(row, figure);
  return figure;
}

}  // namespace

const char* name_of(FigureUnit unit) { return kUnits.at(static_cast<std::size_t>(unit)); }
const char* name_of(FigureUse use) { return kUses.at(static_cast<std::size_t>(use)); }

std::vector<Figure> parse_figures(const base::NamedText& table) {
  const CsvTable csv = parse_csv(table);
  const auto columns = read_header(csv, table.label);
  const std::filesystem::path folder = std::filesystem::path(table.label).parent_path();
  std::vector<Figure> figures;
  std::set<std::string> ids;
  for (const CsvRow& row : csv.rows) {
    figures.push_back(read_figure(RowReader(row, columns), folder));
    if (!ids.insert(figures.back().id).second)
      throw UserError("E-ACC-006", figures.back().place,
                      fmt::format("id '{}' is there twice", figures.back().id));
  }
  return figures;
}

}  // namespace tahoma::runtime
