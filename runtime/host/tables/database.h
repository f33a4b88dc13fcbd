// SPDX-License-Identifier: Apache-2.0
// A thin wrapper of SQLite: statements with values in order, rows in the order of SQLite. Errors are
// UserError E-SWP-050 at the file, with SQLite's message; a full disk leaves the file unchanged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

struct sqlite3;
struct sqlite3_stmt;

namespace tahoma::runtime {

class Database {
 public:
  struct Blob {
    std::string bytes;
  };
  using Value = std::variant<std::nullptr_t, std::int64_t, double, std::string, Blob>;
  using Row = std::vector<Value>;

  enum class Access : std::uint8_t { kRead, kWrite };  // kWrite creates the file
  Database(const std::filesystem::path& file, Access access);
  Database();  // in memory, for bytes()
  // To read the bytes of a file, of any path. UserError E-SWP-050 at `file`.
  static Database of_bytes(const std::filesystem::path& file, std::string_view bytes);
  Database(Database&& other) noexcept
      : file_(std::move(other.file_)), handle_(std::exchange(other.handle_, nullptr)) {}
  ~Database();
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  void run(const std::string& sql, const Row& values = {});
  // Inserts rows of `columns` columns into `table`; `next` fills in each one and returns false at the end.
  void insert(const std::string& table, std::size_t columns, const std::function<bool(Row& values)>& next);
  std::vector<Row> rows(const std::string& sql, const Row& values = {});
  // Returns the database as the bytes of a file. SQLite opens no path of more than 512 bytes, but any file
  // can hold these. Of a database in memory they name no version of SQLite.
  std::string bytes() const;
  // Runs `body` as one transaction.
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
