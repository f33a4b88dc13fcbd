// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/tables/figures.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>
#include <set>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/validation/accuracy/tables/table_reader.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

constexpr std::array<const char*, 7> kUnits{"ns",     "us",   "TFLOPS",     "% of peak",
                                            "cycles", "GB/s", "Gelements/s"};
constexpr std::array<const char*, 2> kUses{"calibration", "check"};

// The units of silicon's values; shares of the peak are those of memory traffic, cycles those of the fabric.
const std::vector<std::string> kUnitWords{kUnits.begin(), kUnits.begin() + 3};
const std::vector<std::string> kUseWords{kUses.begin(), kUses.end()};

const std::vector<std::string> kColumns{"id",      "what", "case", "probe", "silicon", "unit",
                                        "samples", "low",  "high", "use",   "source"};

std::optional<Spread> read_spread(const RowReader& row, const Figure& figure) {
  if (figure.samples == 1) {
    for (const char* column : {"low", "high"})
      if (!row.field(column).text.empty())
        throw UserError("E-ACC-007", row.field(column).place,
                        fmt::format("column '{}': expected nothing for a single sample", column));
    return std::nullopt;
  }
  const Spread spread{row.positive("low"), row.positive("high")};
  if (spread.low > figure.reference || figure.reference > spread.high)
    throw UserError("E-ACC-007", row.field("low").place,
                    fmt::format("expected low <= silicon <= high, got {} <= {} <= {}", spread.low,
                                figure.reference, spread.high));
  return spread;
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
  Figure figure = named_figure(row, "case");
  figure.case_path = (folder / figure.case_name).lexically_normal().string();
  figure.probe_text = row.text("probe");
  figure.probe = read_probe(row);
  figure.reference = row.positive("silicon");
  figure.unit = static_cast<FigureUnit>(row.word("unit", kUnitWords));
  figure.samples = row.count("samples");
  figure.spread = read_spread(row, figure);
  figure.use = static_cast<FigureUse>(row.word("use", kUseWords));
  figure.source = row.text("source");
  require_unit_of_probe(row, figure);
  return figure;
}

}  // namespace

Probe read_probe(const RowReader& row) {
  const CsvField& field = row.field("probe");
  const std::size_t colon = field.place.rfind(':');
  const std::uint64_t column = base::parse_count(field.place.substr(colon + 1));
  return parse_probe(row.text("probe"), [&](std::size_t offset) {
    return fmt::format("{}:{}", field.place.substr(0, colon), column + offset);
  });
}

Figure named_figure(const RowReader& row, const char* case_column) {
  Figure figure;
  figure.place = row.field("id").place;
  figure.id = row.id();
  figure.what = row.text("what");
  figure.case_name = row.text(case_column);
  figure.case_place = row.field(case_column).place;
  return figure;
}

const char* name_of(FigureUnit unit) { return kUnits.at(static_cast<std::size_t>(unit)); }
const char* name_of(FigureUse use) { return kUses.at(static_cast<std::size_t>(use)); }

std::vector<Figure> read_figures(const base::NamedText& table, const std::vector<std::string>& columns,
                                 const std::function<Figure(const RowReader&)>& read) {
  const CsvTable csv = parse_csv(table);
  const ColumnPlaces places = read_header(csv, columns, table.label);
  std::vector<Figure> figures;
  std::set<std::string> ids;
  for (const CsvRow& row : csv.rows) {
    figures.push_back(read(RowReader(row, places)));
    if (!ids.insert(figures.back().id).second)
      throw UserError("E-ACC-006", figures.back().place,
                      fmt::format("id '{}' appears twice", figures.back().id));
  }
  return figures;
}

std::vector<Figure> parse_figures(const base::NamedText& table) {
  const std::filesystem::path folder = std::filesystem::path(table.label).parent_path();
  return read_figures(table, kColumns, [&](const RowReader& row) { return read_figure(row, folder); });
}

}  // namespace tahoma::runtime
