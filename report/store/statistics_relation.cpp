// SPDX-License-Identifier: Apache-2.0
#include "report/store/statistics_relation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <string_view>
#include <tuple>

#include "model/base/error.h"

namespace tahoma::runtime {

using base::Stat;

namespace {

using Value = Database::Value;
using Row = Database::Row;

constexpr std::size_t kMostMembers = 100;  // of a class; a row of SQLite may have 2000 columns

// Gives each key the next number, in the order of first use.
template <class Key>
class Numbered {
 public:
  std::int64_t of(const Key& key) {
    const auto [at, fresh] = numbers_.try_emplace(key, std::ssize(order_));
    if (fresh) order_.push_back(&at->first);
    return at->second;
  }
  const std::vector<const Key*>& order() const { return order_; }

 private:
  std::map<Key, std::int64_t> numbers_;
  std::vector<const Key*> order_;
};

// A statistic of an instance apart from its value: name, unit, description, whether it is a count.
using Member = std::tuple<std::string_view, base::Unit, std::string_view, bool>;
// The values of an instance by their bits, so that values are the same only if nothing distinguishes them;
// and its class.
using Profile = std::pair<std::int64_t, std::vector<std::uint64_t>>;

std::uint64_t bits_of(const Stat& stat) {
  const auto* count = std::get_if<std::uint64_t>(&stat.value);
  return count != nullptr ? *count : std::bit_cast<std::uint64_t>(std::get<double>(stat.value));
}
Value value_of(std::uint64_t bits, bool count) {
  return count ? Value(static_cast<std::int64_t>(bits)) : Value(std::bit_cast<double>(bits));
}

std::string_view place_of_stat(const Stat& stat) {
  const std::string_view path = stat.path;
  const std::size_t dot = path.rfind('.');
  return path.substr(0, dot == std::string_view::npos ? 0 : dot);
}
std::string_view name_in(const Stat& stat) {
  return std::string_view(stat.path).substr(stat.path.rfind('.') + 1);  // npos + 1 is 0
}

// Returns the position behind "server0.chip00" of "server0.chip00.core5.tensor": there are few chips, and few
// places in a chip.
std::size_t end_of_outer(std::string_view place) {
  const std::size_t first = place.find('.');
  return first == std::string_view::npos ? place.size() : std::min(place.size(), place.find('.', first + 1));
}

struct Instance {
  std::int64_t outer, inner, profile;
};
using Layout = std::vector<std::pair<std::int64_t, std::int64_t>>;  // inner place, profile

// A list of statistics, each of its texts and profiles once.
class Relation {
 public:
  explicit Relation(std::span<const Stat> stats) {
    while (!stats.empty()) stats = stats.subspan(add(stats));
    find_usual();
    find_parts();
  }

  std::vector<Row> places() const {
    std::vector<Row> rows;
    for (const std::string* place : places_.order()) rows.push_back({std::ssize(rows), *place});
    return rows;
  }
  std::vector<Row> members() const {
    std::vector<Row> rows;
    for (std::size_t c = 0; c < usual_.size(); ++c)
      for (std::size_t at = 0; at < usual_[c].size(); ++at) {
        const auto& [name, unit, description, count] = classes_.order()[c]->at(at);
        rows.push_back({static_cast<std::int64_t>(c), static_cast<std::int64_t>(at), std::string(name),
                        std::string(base::name_of(unit)), std::string(description),
                        value_of(usual_[c][at], count)});
      }
    return rows;
  }
  // With as many values in each row as the largest class has members.
  std::vector<Row> profiles() const {
    std::vector<Row> rows;
    for (const Profile* profile : profiles_.order()) {
      const auto& [of_class, values] = *profile;
      Row row{std::ssize(rows), of_class};
      for (std::size_t at = 0; at < values.size(); ++at)
        row.push_back(values[at] == usual_[of_class][at]
                          ? Value(nullptr)
                          : value_of(values[at], std::get<bool>(classes_.order()[of_class]->at(at))));
      row.resize(2 + most_members(), nullptr);
      rows.push_back(std::move(row));
    }
    return rows;
  }
  std::vector<Row> layouts() const {
    std::vector<Row> rows;
    for (const Layout* layout : layouts_.order()) {
      const std::int64_t number = rows.empty() ? 0 : std::get<std::int64_t>(rows.back().front()) + 1;
      for (std::size_t item = 0; item < layout->size(); ++item)
        rows.push_back(
            {number, static_cast<std::int64_t>(item), (*layout)[item].first, (*layout)[item].second});
    }
    return rows;
  }
  std::vector<Row> parts() const {
    std::vector<Row> rows;
    for (const auto& [outer, layout] : parts_) rows.push_back({std::ssize(rows), outer, layout});
    return rows;
  }
  std::size_t most_members() const {
    std::size_t most = 0;
    for (const auto& of_class : usual_) most = std::max(most, of_class.size());
    return most;
  }

 private:
  // Adds the instance that the list begins with, and returns how many statistics it has.
  std::size_t add(std::span<const Stat> stats) {
    const std::string_view place = place_of_stat(stats.front());
    std::vector<Member> members;
    std::vector<std::uint64_t> values;
    for (const Stat& stat : stats) {
      if (place_of_stat(stat) != place || members.size() == kMostMembers) break;
      members.emplace_back(name_in(stat), stat.unit, stat.doc,
                           std::holds_alternative<std::uint64_t>(stat.value));
      values.push_back(bits_of(stat));
    }
    const std::size_t outer = end_of_outer(place);
    instances_.push_back({places_.of(std::string(place.substr(0, outer))),
                          places_.of(std::string(place.substr(std::min(place.size(), outer + 1)))),
                          profiles_.of({classes_.of(members), std::move(values)})});
    return members.size();
  }

  // The value of each member of each class that most instances have; of several, the one of the first
  // instance.
  void find_usual() {
    struct Tally {
      std::int64_t times = 0, first = 0;
    };
    std::vector<std::vector<std::map<std::uint64_t, Tally>>> tallies;
    for (const auto* members : classes_.order()) tallies.emplace_back(members->size());
    for (std::size_t n = 0; n < instances_.size(); ++n) {
      const auto& [of_class, values] = *profiles_.order()[instances_[n].profile];
      for (std::size_t at = 0; at < values.size(); ++at) {
        Tally& tally = tallies[of_class][at][values[at]];
        if (tally.times++ == 0) tally.first = static_cast<std::int64_t>(n);
      }
    }
    for (const auto& members : tallies) {
      std::vector<std::uint64_t>& usual = usual_.emplace_back();
      for (const auto& values : members)
        usual.push_back(std::max_element(values.begin(), values.end(), [](const auto& a, const auto& b) {
                          return std::pair(a.second.times, -a.second.first) <
                                 std::pair(b.second.times, -b.second.first);
                        })->first);
    }
  }

  void find_parts() {
    for (std::size_t n = 0; n < instances_.size();) {
      const std::int64_t outer = instances_[n].outer;
      Layout layout;
      for (; n < instances_.size() && instances_[n].outer == outer; ++n)
        layout.emplace_back(instances_[n].inner, instances_[n].profile);
      parts_.emplace_back(outer, layouts_.of(layout));
    }
  }

  Numbered<std::string> places_;
  Numbered<std::vector<Member>> classes_;
  Numbered<Profile> profiles_;
  Numbered<Layout> layouts_;
  std::vector<Instance> instances_;
  std::vector<std::pair<std::int64_t, std::int64_t>> parts_;  // outer place, layout
  std::vector<std::vector<std::uint64_t>> usual_;             // by class and position
};

void insert_all(Database& database, const std::string& table, std::size_t columns, std::vector<Row> rows) {
  auto row = rows.begin();
  database.insert(table, columns, [&](Row& values) {
    if (row == rows.end()) return false;
    values = std::move(*row++);
    return true;
  });
}

// The text and the rows that come with it in SQL: "v0, v1, ...".
std::string value_columns(std::size_t count, const char* format) {
  std::string text;
  for (std::size_t n = 0; n < count; ++n) text += fmt::format(fmt::runtime(format), n);
  return text;
}

constexpr const char* kView =
    "CREATE VIEW statistics AS SELECT o.path || iif(o.path = '', '', '.') || i.path || iif(i.path = '', '', "
    "'.') || name AS path, coalesce(CASE position{} END, usual) AS value, unit, description FROM parts n "
    "JOIN "
    "places o ON o.id = outer JOIN layouts USING (layout) JOIN places i ON i.id = inner JOIN profiles p ON "
    "p.id = profile JOIN members USING (class) ORDER BY n.id, item, position";

}  // namespace

void write_statistics(Database& database, const std::vector<Stat>& stats) {
  const Relation relation(stats);
  const std::size_t values = relation.most_members();
  for (const std::string& table :
       {std::string("places(id INTEGER PRIMARY KEY, path TEXT)"),
        std::string(
            "members(class INTEGER, position INTEGER, name TEXT, unit TEXT, description TEXT, usual)"),
        "profiles(id INTEGER PRIMARY KEY, class INTEGER" + value_columns(values, ", v{}") + ")",
        std::string("layouts(layout INTEGER, item INTEGER, inner INTEGER, profile INTEGER, PRIMARY "
                    "KEY(layout, item)) WITHOUT ROWID"),
        std::string("parts(id INTEGER PRIMARY KEY, outer INTEGER, layout INTEGER)")})
    database.run("CREATE TABLE " + table);
  database.run(fmt::format(kView, value_columns(std::max<std::size_t>(values, 1), " WHEN {0} THEN v{0}")));
  insert_all(database, "places", 2, relation.places());
  insert_all(database, "members", 6, relation.members());
  insert_all(database, "profiles", 2 + values, relation.profiles());
  insert_all(database, "layouts", 4, relation.layouts());
  insert_all(database, "parts", 3, relation.parts());
}

}  // namespace tahoma::runtime
