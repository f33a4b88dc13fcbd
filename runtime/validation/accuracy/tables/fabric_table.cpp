// SPDX-License-Identifier: Apache-2.0
#include "runtime/validation/accuracy/tables/fabric_table.h"

#include <fmt/format.h>

#include <array>

#include "model/base/error.h"
#include "runtime/validation/accuracy/tables/table_reader.h"

namespace tahoma::runtime {

using base::UserError, model::FabricPattern, model::FabricTraffic;

namespace {

constexpr std::array<const char*, 4> kFabricPatterns{"uniform", "bitcomp", "neighbor", "bisection"};
const std::vector<std::string> kFabricPatternWords{kFabricPatterns.begin(), kFabricPatterns.end()};
const std::vector<std::string> kFabricUses{name_of(FigureUse::kCalibration), name_of(FigureUse::kCheck)};

const std::vector<std::string> kFabricColumns{"id",        "what",      "machine", "pattern", "flits",
                                              "injection", "reference", "use",     "source"};

FabricTraffic read_fabric_traffic(const RowReader& row) {
  FabricTraffic traffic;
  traffic.pattern = static_cast<FabricPattern>(row.word("pattern", kFabricPatternWords));
  traffic.flits = row.count("flits");
  traffic.injection = row.positive("injection");
  if (traffic.injection > 1)
    throw UserError("E-ACC-015", row.field("injection").place,
                    fmt::format("column 'injection': expected a share of the rate between router and chip, "
                                "at most 1, got '{}'",
                                row.text("injection")));
  return traffic;
}

}  // namespace

const char* name_of(FabricPattern pattern) { return kFabricPatterns.at(static_cast<std::size_t>(pattern)); }

std::vector<Figure> parse_fabric(const base::NamedText& table) {
  return read_figures(table, kFabricColumns, [](const RowReader& row) {
    Figure figure = named_figure(row, "machine");
    figure.fabric = read_fabric_traffic(row);
    figure.reference = row.positive("reference");
    figure.unit = FigureUnit::kCycles;
    figure.use = static_cast<FigureUse>(row.word("use", kFabricUses));
    figure.source = row.text("source");
    return figure;
  });
}

}  // namespace tahoma::runtime
