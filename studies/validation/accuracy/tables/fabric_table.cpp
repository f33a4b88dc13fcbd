// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/tables/fabric_table.h"

#include <fmt/format.h>

#include <array>

#include "model/base/error.h"
#include "studies/validation/accuracy/tables/table_reader.h"

namespace tahoma::runtime {

using base::UserError, model::FabricPattern, model::FabricTraffic;

namespace {

constexpr std::array<const char*, 4> kFabricPatterns{"uniform", "bitcomp", "neighbor", "bisection"};
const std::vector<std::string> kFabricPatternWords{kFabricPatterns.begin(), kFabricPatterns.end()};
const std::vector<std::string> kFabricUses{name_of(FigureUse::kCalibration), name_of(FigureUse::kCheck)};

const std::vector<std::string> kFabricColumns{"id",        "what",     "machine",   "pattern", "flits",
                                              "injection", "quantity", "reference", "use",     "source"};

struct FabricQuantity {
  const char* name;
  FigureUnit unit;
  double scale;  // from the column to the unit
};
constexpr std::array<FabricQuantity, 2> kFabricQuantities{
    {{"latency", FigureUnit::kCycles, 1}, {"accepted", FigureUnit::kOfPeak, 100}}};
const std::vector<std::string> kFabricQuantityWords{kFabricQuantities[0].name, kFabricQuantities[1].name};

[[noreturn]] void exceeds_the_rate(const RowReader& row, const char* column) {
  throw UserError("E-ACC-015", row.field(column).place,
                  fmt::format("column '{}': expected a share of the rate between router and chip, at most 1, "
                              "got '{}'",
                              column, row.text(column)));
}

FabricTraffic read_fabric_traffic(const RowReader& row) {
  FabricTraffic traffic;
  traffic.pattern = static_cast<FabricPattern>(row.word("pattern", kFabricPatternWords));
  traffic.flits = row.count("flits");
  traffic.injection = row.positive("injection");
  if (traffic.injection > 1) exceeds_the_rate(row, "injection");
  return traffic;
}

}  // namespace

const char* name_of(FabricPattern pattern) { return kFabricPatterns.at(static_cast<std::size_t>(pattern)); }

std::vector<Figure> parse_fabric(const base::NamedText& table) {
  return read_figures(table, kFabricColumns, [](const RowReader& row) {
    Figure figure = named_figure(row, "machine");
    figure.fabric = read_fabric_traffic(row);
    const FabricQuantity& quantity = kFabricQuantities.at(row.word("quantity", kFabricQuantityWords));
    figure.reference = quantity.scale * row.positive("reference");
    figure.unit = quantity.unit;
    if (figure.unit == FigureUnit::kOfPeak && figure.reference > 100) exceeds_the_rate(row, "reference");
    figure.use = static_cast<FigureUse>(row.word("use", kFabricUses));
    figure.source = row.text("source");
    return figure;
  });
}

}  // namespace tahoma::runtime
