// SPDX-License-Identifier: Apache-2.0
#include "runtime/report/files/stats_files.h"

#include <fmt/compile.h>
#include <fmt/format.h>

#include <iterator>
#include <map>

#include "model/system/statistics/list_statistics.h"
#include "runtime/host/tables/database.h"

namespace tahoma::runtime {

using base::Stat;

namespace {

constexpr std::size_t kLine = 170;  // typical length; there may be 100,000 lines

// Pads what was appended to `text` since `begin` to `width`; longer text is unchanged.
void pad(std::string& text, std::size_t begin, std::size_t width) {
  if (text.size() < begin + width) text.append(begin + width - text.size(), ' ');
}

}  // namespace

std::string stats_text(const std::vector<Stat>& stats) {
  std::string text = "---------- begin of statistics ----------\n";
  text.reserve(text.size() + kLine * stats.size());
  for (const Stat& stat : stats) {
    const std::size_t begin = text.size();
    text += stat.path;
    pad(text, begin, 52);
    text += ' ';
    const std::size_t value = text.size();
    std::visit([&](auto number) { fmt::format_to(std::back_inserter(text), FMT_COMPILE("{}"), number); },
               stat.value);
    pad(text, value, 20);
    text += ' ';
    const std::size_t unit = text.size();
    text += base::name_of(stat.unit);
    pad(text, unit, 5);
    text += " # ";
    text += stat.doc;
    text += '\n';
  }
  text += "---------- end of statistics ----------\n";  // no copy: the text may have 20 MB
  return text;
}

std::string stats_database(const std::vector<Stat>& stats) {
  Database database;
  database.rows("PRAGMA journal_mode = OFF");
  database.run("PRAGMA page_size = 8192");
  std::map<std::pair<base::Unit, std::string_view>, std::int64_t> kinds;
  database.transaction([&] {
    database.run("CREATE TABLE kinds(id INTEGER PRIMARY KEY, unit TEXT, description TEXT)");
    database.run("CREATE TABLE stats(path TEXT, value NUMERIC, kind INTEGER REFERENCES kinds(id))");
    database.run(
        "CREATE VIEW statistics AS SELECT path, value, unit, description FROM stats JOIN kinds ON kind = id");
    auto stat = stats.begin();
    database.insert("stats", 3, [&](Database::Row& row) {
      if (stat == stats.end()) return false;
      const auto kind =
          kinds.try_emplace({stat->unit, stat->doc}, static_cast<std::int64_t>(kinds.size())).first->second;
      row[0] = stat->path;
      if (const auto* count = std::get_if<std::uint64_t>(&stat->value))
        row[1] = static_cast<std::int64_t>(*count);
      else
        row[1] = std::get<double>(stat->value);
      row[2] = kind;
      ++stat;
      return true;
    });
    auto kind = kinds.begin();
    database.insert("kinds", 3, [&](Database::Row& row) {
      if (kind == kinds.end()) return false;
      const auto& [unit, description] = kind->first;
      row = {kind->second, std::string(base::name_of(unit)), std::string(description)};
      ++kind;
      return true;
    });
  });
  return database.bytes();
}

namespace {

// A run with one instance of everything that declares statistics.
base::RunMeasurement run_of_everything() {
  const std::string chip = "server*.chip*", core = chip + ".core*";
  base::RunMeasurement run;
  for (std::size_t kind = 0; kind < base::kEngineKinds; ++kind) {
    base::EngineMeasurement& engine = run.engines.emplace_back();
    engine.kind = static_cast<base::EngineKind>(kind);
    engine.path = engine.kind == base::EngineKind::kCollective
                      ? core + ".cc*"
                      : fmt::format("{}.{}", core, base::name_of(engine.kind));
  }
  run.dma.emplace_back().path = core + ".dma";
  base::HbmMeasurement& stack = run.hbm.emplace_back();
  stack.path = chip + ".hbm*";
  stack.users.emplace_back();
  stack.channels.emplace_back().path = stack.path + ".channel*";
  run.crossings.emplace_back().path = chip + ".network.die*_to_die*";
  run.links.emplace_back().path = chip + ".link.*";
  return run;
}

}  // namespace

std::vector<Stat> known_statistics() {
  base::StatSink sink;
  model::list_declared(run_of_everything(), sink);
  std::vector<Stat> stats = sink.stats();
  const std::string user = ".users.core0.";  // a number, not a path, identifies the user of a stack
  for (Stat& stat : stats) {
    std::visit([](auto& value) { value = 0; }, stat.value);
    if (const std::size_t at = stat.path.find(user); at != std::string::npos)
      stat.path.replace(at, user.size(), ".users.core*.");
  }
  return stats;
}

}  // namespace tahoma::runtime
