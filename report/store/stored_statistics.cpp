// SPDX-License-Identifier: Apache-2.0
#include "report/store/stored_statistics.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace tahoma::runtime {

namespace {

using base::Stat;
using Value = Database::Value;
using Row = Database::Row;

std::int64_t integer_in(const Value& value) {
  if (const auto* found = std::get_if<std::int64_t>(&value)) return *found;
  throw std::invalid_argument("expected a whole number");
}
const std::string& string_in(const Value& value) {
  if (const auto* found = std::get_if<std::string>(&value)) return *found;
  throw std::invalid_argument("expected a text");
}

base::Unit unit_in(const std::string& name) {
  if (const auto unit = base::unit_named(name)) return *unit;
  throw std::invalid_argument("unit " + name);
}

std::variant<std::uint64_t, double> number_in(const Value& value) {
  if (const auto* real = std::get_if<double>(&value)) return *real;
  return static_cast<std::uint64_t>(integer_in(value));
}

struct StoredMember {
  std::string name;
  base::Unit unit;
  const char* description;
  Value usual;
};

struct StoredInstance {
  std::int64_t inner, profile;
};

// The list that a row belongs to by its number, which is that of the row before or the next.
template <class Item>
std::vector<Item>& list_of(const Row& row, std::vector<std::vector<Item>>& lists) {
  const std::int64_t number = integer_in(row.at(0));
  if (number == std::ssize(lists)) lists.emplace_back();
  if (number + 1 != std::ssize(lists)) throw std::invalid_argument("a number is missing");
  return lists.back();
}

std::string joined_path(std::initializer_list<std::string_view> parts) {
  std::string path;
  for (const std::string_view part : parts)
    if (!part.empty()) path.append(path.empty() ? "" : ".").append(part);
  return path;
}

}  // namespace

StoredStatistics read_statistics(Database& database) {
  StoredStatistics found;
  std::vector<std::string> places;
  for (const Row& row : database.rows("SELECT path FROM places ORDER BY id"))
    places.push_back(string_in(row.at(0)));
  std::vector<std::vector<StoredMember>> classes;
  for (const Row& row :
       database.rows("SELECT class, name, unit, description, usual FROM members ORDER BY class, position"))
    list_of(row, classes)
        .push_back({string_in(row.at(1)), unit_in(string_in(row.at(2))),
                    found.descriptions.emplace_back(string_in(row.at(3))).c_str(), row.at(4)});
  std::vector<std::vector<StoredInstance>> layouts;
  for (const Row& row : database.rows("SELECT layout, inner, profile FROM layouts ORDER BY layout, item"))
    list_of(row, layouts).push_back({integer_in(row.at(1)), integer_in(row.at(2))});
  const std::vector<Row> profiles = database.rows("SELECT * FROM profiles ORDER BY id");
  for (const Row& row : database.rows("SELECT outer, layout FROM parts ORDER BY id"))
    for (const StoredInstance& instance : layouts.at(integer_in(row.at(1)))) {
      const std::string& outer = places.at(integer_in(row.at(0)));
      const Row& profile = profiles.at(instance.profile);
      std::size_t at = 2;  // behind its number and its class
      for (const StoredMember& member : classes.at(integer_in(profile.at(1)))) {
        const Value& own = profile.at(at++);
        const bool usual = std::holds_alternative<std::nullptr_t>(own);
        found.stats.push_back({joined_path({outer, places.at(instance.inner), member.name}),
                               number_in(usual ? member.usual : own), member.unit, member.description, true,
                               base::usually_better(member.unit)});
      }
    }
  return found;
}

StoredStatistics statistics_of_json(const std::string& text) {
  StoredStatistics found;
  const auto all = nlohmann::json::parse(text);
  if (!all.is_array()) throw std::invalid_argument("expected a list of statistics");
  for (const auto& each : all) {
    const auto& value = each.at("value");
    const base::Unit unit = unit_in(each.at("unit").get<std::string>());
    const std::string& description =
        found.descriptions.emplace_back(each.at("description").get<std::string>());
    Stat stat{each.at("path").get<std::string>(), value.get<double>(), unit, description.c_str(), true,
              base::usually_better(unit)};
    if (value.is_number_unsigned()) stat.value = value.get<std::uint64_t>();
    found.stats.push_back(std::move(stat));
  }
  return found;
}

}  // namespace tahoma::runtime
