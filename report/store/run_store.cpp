// SPDX-License-Identifier: Apache-2.0
#include "report/store/run_store.h"

#include <fmt/format.h>

#include <algorithm>

#include "model/base/error.h"
#include "report/store/deflate.h"
#include "report/store/statistics_relation.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace fs = std::filesystem;
using base::UserError;

namespace {

constexpr const char* kOlder = "stats.json";       // has the statistics of a run from before the store
constexpr std::int64_t kApplication = 0x5461686f;  // "Taho" in the header of the file, which `file` shows
constexpr std::int64_t kVersion = 1;               // of the tables; 0: statistics only, before the archive
constexpr std::int64_t kFileMode = 0100644;        // in the archive: a regular file

[[noreturn]] void refuse_store(const fs::path& file, const std::string& why) {
  throw UserError("E-REP-004", file.string(),
                  fmt::format("damaged, or not written by tahoma: {}; run config.resolved.yaml of the folder "
                              "again",
                              why));
}

// Calls `read`, and reports a damaged database.
template <class Read>
auto checked_read(const fs::path& file, const Read& read) {
  try {
    return read();
  } catch (const UserError& error) {
    if (error.code != "E-SWP-050") throw;
    refuse_store(file, error.message);
  } catch (const std::exception& error) {
    refuse_store(file, error.what());
  }
}

// SQLite would read what is missing at the end of its last page as zeros. The header has the size and the
// number of pages.
void check_size(const fs::path& file, std::string_view bytes) {
  const auto number_at = [&](std::size_t begin, std::size_t size) {
    std::uint64_t number = 0;
    for (const char byte : bytes.substr(begin, size))
      number = number << 8U | static_cast<unsigned char>(byte);
    return number;
  };
  constexpr std::size_t kHeader = 100, kPageSize = 16, kPages = 28;
  const std::uint64_t expected =
      bytes.size() < kHeader ? kHeader : number_at(kPageSize, 2) * number_at(kPages, 4);
  if (bytes.size() != expected)
    refuse_store(file, fmt::format("it has {} bytes, expected {}", bytes.size(), expected));
}

std::int64_t pragma(Database& database, const std::string& name) {
  return std::get<std::int64_t>(database.rows("PRAGMA " + name).at(0).at(0));
}

std::string unpacked(const Database::Row& row) {
  const auto size = static_cast<std::size_t>(std::get<std::int64_t>(row.at(0)));
  const std::string& packed = std::get<Database::Blob>(row.at(1)).bytes;
  if (packed.size() == size) return packed;
  if (auto bytes = inflated(packed, size)) return *std::move(bytes);
  throw std::invalid_argument("the archive");
}

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

}  // namespace

std::string store_bytes(const std::vector<base::Stat>& stats, const StoredFiles& files) {
  Database database;
  database.rows("PRAGMA journal_mode = OFF");
  database.run("PRAGMA page_size = 4096");
  database.run(fmt::format("PRAGMA application_id = {}", kApplication));
  database.run(fmt::format("PRAGMA user_version = {}", kVersion));
  database.transaction([&] {
    write_statistics(database, stats);
    database.run("CREATE TABLE sqlar(name TEXT PRIMARY KEY, mode INT, mtime INT, sz INT, data BLOB)");
    for (const auto& [name, bytes] : files) {
      std::string packed = deflated(bytes);
      const auto size = static_cast<std::int64_t>(bytes.size());
      database.run("INSERT INTO sqlar VALUES (?, ?, 0, ?, ?)",
                   {name, kFileMode, size, Database::Blob{packed.size() < bytes.size() ? packed : bytes}});
    }
  });
  return database.bytes();
}

bool has_statistics(const fs::path& folder) {
  return is_file(folder / kStoreName) || is_file(folder / kOlder);
}

RunStore::RunStore(fs::path folder) : folder_(std::move(folder)) {
  const fs::path file = folder_ / kStoreName;
  if (!is_file(file)) return;
  const std::string bytes = read_file(file.string());
  check_size(file, bytes);
  checked_read(file, [&] {
    auto database = std::make_unique<Database>(Database::of_bytes(file, bytes));
    const std::int64_t version = pragma(*database, "user_version");
    if (version > kVersion)
      throw UserError("E-REP-005", file.string(),
                      fmt::format("written by a newer tahoma: version {} of the store, expected {} at most",
                                  version, kVersion));
    if (pragma(*database, "application_id") == kApplication) database_ = std::move(database);
  });
}

std::vector<std::string> RunStore::names() const {
  if (database_ == nullptr) return {};
  return checked_read(folder_ / kStoreName, [&] {
    std::vector<std::string> names;
    for (const Database::Row& row : database_->rows("SELECT name FROM sqlar ORDER BY rowid"))
      names.push_back(std::get<std::string>(row.at(0)));
    return names;
  });
}

bool RunStore::has(const std::string& name) const {
  const std::vector<std::string> stored = names();
  return is_file(folder_ / name) || std::find(stored.begin(), stored.end(), name) != stored.end();
}

std::optional<std::string> RunStore::file(const std::string& name) const {
  if (is_file(folder_ / name)) return read_file((folder_ / name).string());
  if (database_ == nullptr) return std::nullopt;
  return checked_read(folder_ / kStoreName, [&]() -> std::optional<std::string> {
    const auto rows = database_->rows("SELECT sz, data FROM sqlar WHERE name = ?", {name});
    return rows.empty() ? std::nullopt : std::optional(unpacked(rows.front()));
  });
}

const std::vector<base::Stat>& RunStore::statistics() const {
  if (statistics_) return statistics_->stats;
  if (database_ != nullptr) {
    statistics_ = checked_read(folder_ / kStoreName, [&] { return read_statistics(*database_); });
  } else {
    const fs::path older = folder_ / kOlder;
    if (!is_file(older))
      throw UserError(
          "E-REP-006", folder_.string(),
          fmt::format("has no statistics: expected the folder of a `tahoma run`, with {}", kStoreName));
    statistics_ = checked_read(older, [&] { return statistics_of_json(read_file(older.string())); });
  }
  return statistics_->stats;
}

}  // namespace tahoma::runtime
