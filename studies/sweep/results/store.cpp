// SPDX-License-Identifier: Apache-2.0
#include "studies/sweep/results/store.h"

#include <array>
#include <sstream>

#include "report/reference/declarations.h"

namespace tahoma::runtime {

namespace {

using Value = Database::Value;

constexpr std::array<const char*, 8> kTables{
    "meta(key TEXT PRIMARY KEY, value TEXT)",
    "points(number INTEGER PRIMARY KEY, id TEXT, workload TEXT, status TEXT, reason TEXT)",
    "parameters(number INTEGER, path TEXT, text TEXT, value REAL, PRIMARY KEY(number, path))",
    "metrics(number INTEGER, name TEXT, value REAL, PRIMARY KEY(number, name))",
    "texts(number INTEGER, name TEXT, text TEXT, PRIMARY KEY(number, name))",
    "statistics(name TEXT PRIMARY KEY, unit TEXT, better TEXT)",
    "provenance(id TEXT PRIMARY KEY, config_sha256 TEXT, binary_sha256 TEXT, seed INTEGER, command TEXT)",
    "attempts(id TEXT, attempt INTEGER, executor TEXT, host TEXT, seconds REAL, peak_bytes INTEGER, "
    "outcome TEXT, PRIMARY KEY(id, attempt))"};

Value integer(std::uint64_t value) { return static_cast<std::int64_t>(value); }
Value real_or_null(const std::optional<double>& value) { return value ? Value(*value) : Value(nullptr); }

std::string text_in(const Value& value) {
  const auto* found = std::get_if<std::string>(&value);
  return found == nullptr ? "" : *found;
}
std::uint64_t count_in(const Value& value) {
  return static_cast<std::uint64_t>(std::get<std::int64_t>(value));
}

}  // namespace

Store::Store(const std::filesystem::path& file, const std::map<std::string, std::string>& meta)
    : database_(file, Database::Access::kWrite) {
  database_.transaction([&] {
    for (const std::string table : kTables) {
      database_.run("DROP TABLE IF EXISTS " + table.substr(0, table.find('(')));
      database_.run("CREATE TABLE " + table + " WITHOUT ROWID");
    }
    for (const auto& [key, value] : meta) database_.run("INSERT INTO meta VALUES (?, ?)", {key, value});
  });
}

void Store::add_points(const std::vector<PreparedSweepPoint>& points, const std::string& binary_sha256) {
  database_.transaction([&] {
    for (const PreparedSweepPoint& p : points) {
      const Value n = integer(p.point.number);
      const bool refused = !p.refused.empty();
      database_.run("INSERT INTO points VALUES (?, ?, ?, ?, ?)",
                    {n, p.id, p.point.workload, std::string(refused ? "failed" : "pending"), p.refused});
      add_parameters(p.point.number, p.point.parameters);
      if (!refused)
        add_provenance(
            p.id, {p.config_sha256, binary_sha256, p.seed, "tahoma run points/" + p.id + "/config.yaml"});
    }
  });
}

void Store::add_parameters(std::uint64_t number, const std::vector<SweepPoint::Parameter>& parameters) {
  for (const SweepPoint::Parameter& parameter : parameters)
    database_.run("INSERT INTO parameters VALUES (?, ?, ?, ?)",
                  {integer(number), parameter.path, parameter.text, real_or_null(parameter.value)});
}

void Store::add_provenance(const std::string& id, const Provenance& p) {
  database_.run("INSERT OR IGNORE INTO provenance VALUES (?, ?, ?, ?, ?)",
                {id, p.config_sha256, p.binary_sha256, integer(p.seed), p.command});
}

void Store::add_measures(std::uint64_t number, const PointMeasures& measures) {
  declare(measures.metrics);
  for (const auto& [name, value] : measures.metrics)
    database_.run("INSERT OR REPLACE INTO metrics VALUES (?, ?, ?)", {integer(number), name, value});
  for (const auto& [name, text] : measures.texts)
    database_.run("INSERT OR REPLACE INTO texts VALUES (?, ?, ?)", {integer(number), name, text});
}

void Store::add_row(const Row& row, const Provenance& provenance) {
  database_.transaction([&] {
    database_.run("INSERT INTO points VALUES (?, ?, ?, ?, ?)",
                  {integer(row.number), row.id, row.workload, row.status, row.reason});
    add_parameters(row.number, row.parameters);
    add_measures(row.number, {row.metrics, row.texts});
    add_provenance(row.id, provenance);
  });
}

void Store::add_result(const PreparedSweepPoint& point, const SweepPointResult& result,
                       const PointMeasures& measures) {
  database_.transaction([&] {
    database_.run(
        "UPDATE points SET status = ?, reason = ? WHERE number = ?",
        {std::string(result.done() ? "done" : "failed"), result.last().reason, integer(point.point.number)});
    add_measures(point.point.number, measures);
    for (std::size_t i = 0; i < result.attempts.size(); ++i) {
      const Attempt& a = result.attempts[i];
      database_.run(
          "INSERT OR REPLACE INTO attempts VALUES (?, ?, ?, ?, ?, ?, ?)",
          {point.id, integer(i), a.executor, a.host, a.seconds, integer(a.peak_bytes), name_of(a.outcome)});
    }
  });
}

void Store::declare(const Metrics& metrics) {
  for (const auto& [name, value] : metrics) {
    if (!declared_.insert(name).second) continue;
    if (const auto declared = declaration_of(name))
      database_.run(
          "INSERT INTO statistics VALUES (?, ?, ?)",
          {name, std::string(base::name_of(declared->unit)), std::string(base::name_of(declared->better))});
  }
}

std::map<std::string, std::string> Store::meta(const std::filesystem::path& file) {
  std::map<std::string, std::string> meta;
  for (const Database::Row& r : Database(file, Database::Access::kRead).rows("SELECT key, value FROM meta"))
    meta[text_in(r[0])] = text_in(r[1]);
  return meta;
}

std::map<std::string, Store::Provenance> Store::provenance(const std::filesystem::path& file) {
  std::map<std::string, Provenance> all;
  for (const Database::Row& r :
       Database(file, Database::Access::kRead)
           .rows("SELECT id, config_sha256, binary_sha256, seed, command FROM provenance"))
    all[text_in(r[0])] = {text_in(r[1]), text_in(r[2]), count_in(r[3]), text_in(r[4])};
  return all;
}

std::vector<std::string> Store::own_metrics(const std::filesystem::path& file) {
  const auto all = meta(file);
  const auto at = all.find("metrics");
  std::vector<std::string> names;
  std::istringstream words(at == all.end() ? "" : at->second);
  for (std::string name; std::getline(words, name, ',');) names.push_back(name);
  return names;
}

std::vector<Store::Row> Store::read(const std::filesystem::path& file) {
  Database database(file, Database::Access::kRead);
  std::vector<Row> all;
  std::map<std::uint64_t, std::size_t> place;
  for (const Database::Row& r :
       database.rows("SELECT number, id, workload, status, reason FROM points ORDER BY number")) {
    place[count_in(r[0])] = all.size();
    all.push_back({count_in(r[0]), text_in(r[1]), text_in(r[2]), text_in(r[3]), text_in(r[4]), {}, {}});
  }
  for (const Database::Row& r : database.rows("SELECT number, path, text, value FROM parameters")) {
    const auto* value = std::get_if<double>(&r[3]);
    all[place.at(count_in(r[0]))].parameters.push_back(
        {text_in(r[1]), text_in(r[2]), value == nullptr ? std::nullopt : std::optional(*value)});
  }
  for (const Database::Row& r : database.rows("SELECT number, name, value FROM metrics"))
    if (const auto* value = std::get_if<double>(&r[2]))
      all[place.at(count_in(r[0]))].metrics[text_in(r[1])] = *value;
  for (const Database::Row& r : database.rows("SELECT number, name, text FROM texts"))
    all[place.at(count_in(r[0]))].texts[text_in(r[1])] = text_in(r[2]);
  return all;
}

}  // namespace tahoma::runtime
