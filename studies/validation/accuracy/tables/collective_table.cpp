// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/tables/collective_table.h"

#include <fmt/format.h>

#include <filesystem>

#include "model/base/error.h"
#include "model/base/quantity.h"
#include "studies/validation/accuracy/tables/table_reader.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

const std::vector<std::string> kCollectiveColumns{"id",     "what",      "case", "set",
                                                  "launch", "reference", "use",  "source"};
const std::vector<std::string> kCollectiveUses{name_of(FigureUse::kCalibration), name_of(FigureUse::kCheck)};

base::Duration read_launch(const RowReader& row) {
  const std::string& given = row.text("launch");
  try {
    if (const base::Duration launch = base::parse_duration(given); launch.fs >= 0) return launch;
  } catch (const UserError&) {  // reported below
  }
  throw UserError("E-ACC-004", row.field("launch").place,
                  fmt::format("column 'launch': expected a time such as '0 us', got '{}'", given));
}

// Overrides are separated by semicolons; an empty field has none.
std::vector<std::string> read_set(const RowReader& row) {
  const std::string& text = row.field("set").text;
  std::vector<std::string> overrides;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(';', begin), text.size());
    const std::size_t first = std::min(text.find_first_not_of(' ', begin), end);
    if (first < end) overrides.push_back(text.substr(first, end - first));
    begin = end + 1;
  }
  return overrides;
}

}  // namespace

std::vector<Figure> parse_collectives(const base::NamedText& table) {
  const std::filesystem::path folder = std::filesystem::path(table.label).parent_path();
  return read_figures(table, kCollectiveColumns, [&](const RowReader& row) {
    Figure figure = named_figure(row, "case");
    figure.case_path = (folder / figure.case_name).lexically_normal().string();
    figure.collective = CollectiveCase{read_set(row), read_launch(row)};
    figure.reference = row.positive("reference");
    figure.unit = FigureUnit::kUs;
    figure.use = static_cast<FigureUse>(row.word("use", kCollectiveUses));
    figure.source = row.text("source");
    return figure;
  });
}

}  // namespace tahoma::runtime
