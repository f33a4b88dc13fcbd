// SPDX-License-Identifier: Apache-2.0
// SQLite as this project uses it: statements with values in order, rows as they come. Errors are UserError
// E-SWP-050 at the file, with what SQLite says; a full disk leaves the file as it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;

namespace tahoma::runtime {

class Database {
 public:
  using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string>;
  using Row = std::vector<Value>;

  enum class Access : std::uint8_t { kRead, kWrite };  // kWrite makes the file
  Database(const std::filesystem::path& file, Access access);
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql, const Row& values = {});
  // The same statement for each row that `next` fills in, until it returns false.
  void run_for_each(const std::string& sql, const std::function<bool(Row& values)>& next);
  std::vector<Row> rows(const std::string& sql, const Row& values = {});
  // All of it or nothing.
  void transaction(const std::function<void()>& body);

 private:
  void step(const std::string& sql, const Row& values, const std::function<void(Row)>& visit);
  [[noreturn]] void refuse(const std::string& what);
  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
};

}  // namespace tahoma::runtime
