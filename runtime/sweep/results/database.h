// SPDX-License-Identifier: Apache-2.0
// SQLite as this project uses it: statements with values in order, rows as they come. Errors are UserError
// E-SWP-050 at the file, with what SQLite says; a full disk leaves the file as it was.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

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
  // Rows of so many columns into `table`, each as `next` fills it in, until that returns false.
  void insert(const std::string& table, std::size_t columns, const std::function<bool(Row& values)>& next);
  std::vector<Row> rows(const std::string& sql, const Row& values = {});
  // All of it or nothing.
  void transaction(const std::function<void()>& body);

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  using Statement = std::unique_ptr<sqlite3_stmt, Finalize>;

  Statement prepared(const std::string& sql);
  void bind(sqlite3_stmt* statement, std::span<const Row> rows);
  void step(sqlite3_stmt* statement, const std::function<void(Row)>& visit);
  [[noreturn]] void refuse(const char* sql);
  std::filesystem::path file_;
  sqlite3* handle_ = nullptr;
};

}  // namespace tahoma::runtime
