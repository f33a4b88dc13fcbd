// SPDX-License-Identifier: Apache-2.0
#include "studies/validation/accuracy/tables/suite_tables.h"

#include <fmt/format.h>

#include <array>

#include "model/base/error.h"
#include "runtime/config/config_files.h"
#include "studies/validation/accuracy/tables/collective_table.h"
#include "studies/validation/accuracy/tables/fabric_table.h"
#include "studies/validation/accuracy/tables/peak_table.h"
#include "studies/validation/accuracy/tables/traffic_table.h"

namespace tahoma::runtime {

using base::UserError;

namespace {

bool matches(const std::string& id, const std::string& pattern) {
  return pattern.ends_with('*') ? id.starts_with(pattern.substr(0, pattern.size() - 1)) : id == pattern;
}

using TableParser = std::vector<Figure> (*)(const base::NamedText& table);

// In the order of FigureKind.
constexpr std::array<TableParser, 5> kParsers{parse_figures, parse_traffic, parse_fabric, parse_collectives,
                                              parse_peaks};

TableParser parser_of(FigureKind kind) { return kParsers.at(static_cast<std::size_t>(kind)); }

std::vector<Figure> read_table(const SuiteTables::Name& table, const std::filesystem::path& path) {
  try {
    const base::NamedText text = read_config_text(path);
    if (text.text.size() > base::kMostText)
      throw UserError("E-ACC-002", text.label, fmt::format("more than {} bytes", base::kMostText));
    return parser_of(table.kind)(text);
  } catch (const UserError& e) {
    if (e.code != "E-RUN-001") throw;
    throw UserError(e.code, table.place, fmt::format("{}: {}", e.place, e.message));
  }
}

}  // namespace

std::vector<Figure> SuiteTables::take(const Name& table, const std::vector<std::string>& patterns,
                                      const std::string& family) {
  Opened& opened = open(table);
  std::vector<Figure> taken;
  for (const std::string& pattern : patterns) {
    const std::size_t before = taken.size();
    for (std::size_t i = 0; i < opened.figures.size(); ++i) {
      const Figure& figure = opened.figures[i];
      if (!matches(figure.id, pattern)) continue;
      if (!opened.owners[i].empty())
        throw UserError("E-ACC-011", figure.place,
                        fmt::format("row '{}' belongs to two families: '{}' and '{}'", figure.id,
                                    opened.owners[i], family));
      opened.owners[i] = family;
      taken.push_back(figure);
    }
    if (taken.size() == before)
      throw UserError(
          "E-ACC-011", table.place,
          fmt::format("family '{}': no row of {} has an id like '{}'", family, table.file, pattern));
  }
  return taken;
}

void SuiteTables::require_all_taken() const {
  for (const auto& [name, opened] : opened_)
    for (std::size_t i = 0; i < opened.figures.size(); ++i)
      if (opened.owners[i].empty())
        throw UserError("E-ACC-011", opened.figures[i].place,
                        fmt::format("no family takes the row '{}'", opened.figures[i].id));
}

SuiteTables::Opened& SuiteTables::open(const Name& table) {
  const auto [at, fresh] = opened_.try_emplace({table.file, table.kind});
  Opened& opened = at->second;
  if (!fresh) return opened;
  opened.figures = read_table(table, folder_ / table.file);
  opened.owners.resize(opened.figures.size());
  for (Figure& figure : opened.figures) {
    if (figure.traffic || figure.fabric)
      figure.case_path = find_machine(figure.case_name, folder_, figure.case_place);
    if (figure.peak)
      figure.peak->machine_path = find_machine(figure.peak->machine, folder_, figure.peak->machine_place);
    if (const auto [first, unique] = ids_.emplace(figure.id, figure.place); !unique)
      throw UserError("E-ACC-006", figure.place,
                      fmt::format("id '{}' appears twice: also at {}", figure.id, first->second));
  }
  return opened;
}

}  // namespace tahoma::runtime
