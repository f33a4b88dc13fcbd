// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/tables/peak_table.h"

#include <fmt/format.h>

#include <array>
#include <filesystem>

#include "model/base/error.h"
#include "studies/validation/accuracy/tables/table_reader.h"

namespace tahoma::runtime {

namespace {

const std::vector<std::string> kPeakColumns{"id",   "what", "machine", "case",  "probe",
                                            "work", "peak", "unit",    "source"};
constexpr std::array<FigureUnit, 3> kPeakUnits{FigureUnit::kTflops, FigureUnit::kGigabytes,
                                               FigureUnit::kGigaelements};

std::vector<std::string> unit_words() {
  std::vector<std::string> words;
  for (const FigureUnit unit : kPeakUnits) words.emplace_back(name_of(unit));
  return words;
}

}  // namespace

std::vector<Figure> parse_peaks(const base::NamedText& table) {
  const std::filesystem::path folder = std::filesystem::path(table.label).parent_path();
  return read_figures(table, kPeakColumns, [&](const RowReader& row) {
    Figure figure = named_figure(row, "case");
    figure.case_path = (folder / figure.case_name).lexically_normal().string();
    figure.probe_text = row.text("probe");
    figure.probe = read_probe(row);
    const auto* whole = std::get_if<Whole>(&figure.probe);
    if (whole != nullptr && *whole == Whole::kTflops)
      throw base::UserError(
          "E-ACC-009", row.field("probe").place,
          fmt::format("probe '{}' is a rate: expected a time, in which the work is done", figure.probe_text));
    figure.peak = PeakCase{row.text("machine"), "", row.field("machine").place, row.positive("work")};
    figure.reference = row.positive("peak");
    figure.unit = kPeakUnits.at(row.word("unit", unit_words()));
    figure.use = FigureUse::kCheck;
    figure.source = row.text("source");
    return figure;
  });
}

}  // namespace tahoma::runtime
