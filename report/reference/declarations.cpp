// SPDX-License-Identifier: Apache-2.0
#include "report/reference/declarations.h"

#include <algorithm>
#include <vector>

#include "report/files/stats_files.h"
#include "report/reference/table_list.h"
#include "report/tables/name_pattern.h"

namespace tahoma::runtime {

namespace {

struct DeclaredName {
  std::string pattern;
  Declaration declaration;
};

std::vector<DeclaredName> declared_names() {
  const std::string file = "summary.json/";
  std::vector<DeclaredName> names;
  for (const ColumnPlace& column : declared_columns())
    if (const auto unit = base::unit_named(column.unit); unit && column.path.starts_with(file))
      names.push_back({column.path.substr(file.size()), {*unit, column.better}});
  for (const base::Stat& stat : known_statistics()) names.push_back({stat.path, {stat.unit, stat.better}});
  return names;
}

// "collectives[3].time_ns" becomes "collectives.3.time_ns"; a class loses ".total" and ".most".
std::string plain(std::string name) {
  for (std::size_t at = name.find('['); at != std::string::npos; at = name.find('[', at)) name[at] = '.';
  std::erase(name, ']');
  for (const std::string end : {".total", ".most"})
    if (name.ends_with(end) && name.find('*') != std::string::npos) name.resize(name.size() - end.size());
  return name;
}

}  // namespace

std::optional<Declaration> declaration_of(const std::string& name) {
  static const std::vector<DeclaredName> kNames = declared_names();
  const std::string wanted = plain(name);
  const DeclaredName* best = nullptr;  // the longest pattern is the most specific one
  for (const DeclaredName& each : kNames)
    if ((best == nullptr || each.pattern.size() > best->pattern.size()) &&
        matches_pattern(wanted, each.pattern))
      best = &each;
  if (best == nullptr) return std::nullopt;
  return best->declaration;
}

}  // namespace tahoma::runtime
