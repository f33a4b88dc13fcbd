// SPDX-License-Identifier: Apache-2.0
// stats.db, the store of a run: its statistics, and the files that `tahoma export` writes, packed. It is a
// database of SQLite; statistics_relation.h has the tables of the statistics. The files are an archive of
// SQLite, the table sqlar: `sqlite3 stats.db -Ax` writes them. The same run gives the same bytes with every
// supported SQLite and zlib.
//
// UserError at the file: E-REP-004, it is damaged or no store; E-REP-005, a newer version of tahoma wrote it.
// At the folder: E-REP-006, it has no statistics.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/store/stored_statistics.h"

namespace tahoma::runtime {

inline constexpr const char* kStoreName = "stats.db";

using StoredFiles = std::vector<std::pair<std::string, std::string>>;  // name and bytes

// Returns the bytes of stats.db.
std::string store_bytes(const std::vector<base::Stat>& stats, const StoredFiles& files);

// Whether the folder is that of a run.
bool has_statistics(const std::filesystem::path& folder);

// Reads the folder of a finished run. A folder of a version before the store has the files themselves, and a
// stats.db that has the statistics only.
class RunStore {
 public:
  explicit RunStore(std::filesystem::path folder);

  // The names of the files in the store, in order.
  std::vector<std::string> names() const;
  bool has(const std::string& name) const;
  // Returns the bytes of a file of the folder, or else of its store; none if neither has it.
  std::optional<std::string> file(const std::string& name) const;
  // From the store, or from stats.json. Read once.
  const std::vector<base::Stat>& statistics() const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
  std::unique_ptr<Database> database_;  // null: a folder without a store
  mutable std::optional<StoredStatistics> statistics_;
};

}  // namespace tahoma::runtime
