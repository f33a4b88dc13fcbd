// SPDX-License-Identifier: Apache-2.0
#include "runtime/host/tables/database.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>

#include <algorithm>

#include "model/base/error.h"
#include "runtime/host/text/whole_file.h"

namespace tahoma::runtime {

namespace {

// The overhead of a statement equals that of several rows.
constexpr std::size_t kRowsOfStatement = 16;

int bind_value(sqlite3_stmt* statement, int at, const Database::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return sqlite3_bind_int64(statement, at, *number);
  if (const auto* real = std::get_if<double>(&value)) return sqlite3_bind_double(statement, at, *real);
  if (const auto* text = std::get_if<std::string>(&value))
    return sqlite3_bind_text(statement, at, text->c_str(), static_cast<int>(text->size()), SQLITE_STATIC);
  if (const auto* blob = std::get_if<Database::Blob>(&value))
    return sqlite3_bind_blob64(statement, at, blob->bytes.data(), blob->bytes.size(), SQLITE_STATIC);
  return sqlite3_bind_null(statement, at);
}

Database::Value column(sqlite3_stmt* statement, int at) {
  switch (sqlite3_column_type(statement, at)) {
    case SQLITE_INTEGER:
      return static_cast<std::int64_t>(sqlite3_column_int64(statement, at));
    case SQLITE_FLOAT:
      return sqlite3_column_double(statement, at);
    case SQLITE_NULL:
      return nullptr;
    case SQLITE_BLOB: {
      const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement, at));
      const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement, at));
      return Database::Blob{bytes == nullptr ? "" : std::string(bytes, size)};
    }
    default:
      return std::string(reinterpret_cast<const char*>(sqlite3_column_text(statement, at)),
                         static_cast<std::size_t>(sqlite3_column_bytes(statement, at)));
  }
}

}  // namespace

Database::Database(const std::filesystem::path& file, Access access) : file_(file) {
  const int flags =
      access == Access::kRead ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
  if (sqlite3_open_v2(file.c_str(), &handle_, flags, nullptr) == SQLITE_OK) return;
  const std::string reason = sqlite3_errmsg(handle_);
  const int system = sqlite3_system_errno(handle_);
  const base::ExitStatus status = system == 0 ? base::ExitStatus::kUsage : status_of_write(system);
  sqlite3_close(handle_);
  throw base::UserError("E-SWP-050", file.string(), reason, status);
}

Database::Database() : Database(":memory:", Access::kWrite) {}

Database Database::of_bytes(const std::filesystem::path& file, std::string_view bytes) {
  Database database;
  database.file_ = file;
  auto* copy = static_cast<unsigned char*>(sqlite3_malloc64(std::max<std::size_t>(bytes.size(), 1)));
  if (copy == nullptr)
    throw base::UserError("E-SWP-050", file.string(), "out of memory", base::ExitStatus::kHost);
  std::copy(bytes.begin(), bytes.end(), copy);
  const auto size = static_cast<sqlite3_int64>(bytes.size());
  // SQLite frees the copy, also if this fails.
  if (sqlite3_deserialize(database.handle_, "main", copy, size, size,
                          SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_READONLY) != SQLITE_OK)
    database.refuse("deserialize");
  return database;
}

Database::~Database() { sqlite3_close(handle_); }

void Database::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Database::refuse(const char* sql) {
  const int code = sqlite3_errcode(handle_);
  const bool host = code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_READONLY;
  throw base::UserError("E-SWP-050", file_.string(),
                        fmt::format("{} in {:.60}", sqlite3_errmsg(handle_), sql),
                        host ? base::ExitStatus::kHost : base::ExitStatus::kUsage);
}

Database::Statement Database::prepared(const std::string& sql) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) refuse(sql.c_str());
  return Statement(statement);
}

// Binds all values of all rows, in order; they must outlive the step.
void Database::bind(sqlite3_stmt* statement, std::span<const Row> rows) {
  int at = 0;
  for (const Row& row : rows)
    for (const Value& value : row)
      if (bind_value(statement, ++at, value) != SQLITE_OK) refuse(sqlite3_sql(statement));
}

void Database::step(sqlite3_stmt* statement, const std::function<void(Row)>& visit) {
  int code = sqlite3_step(statement);
  for (; code == SQLITE_ROW; code = sqlite3_step(statement)) {
    Row row;
    for (int c = 0; c < sqlite3_column_count(statement); ++c) row.push_back(column(statement, c));
    visit(std::move(row));
  }
  if (code != SQLITE_DONE) refuse(sqlite3_sql(statement));
  sqlite3_reset(statement);
}

void Database::run(const std::string& sql, const Row& values) { rows(sql, values); }

std::vector<Database::Row> Database::rows(const std::string& sql, const Row& values) {
  const Statement statement = prepared(sql);
  bind(statement.get(), {&values, 1});
  std::vector<Row> all;
  step(statement.get(), [&](Row row) { all.push_back(std::move(row)); });
  return all;
}

void Database::insert(const std::string& table, std::size_t columns, const std::function<bool(Row&)>& next) {
  const auto insertion = [&](std::size_t rows) {
    const std::string row = fmt::format("({})", fmt::join(std::vector<char>(columns, '?'), ", "));
    return prepared(
        fmt::format("INSERT INTO {} VALUES{}", table, fmt::join(std::vector<std::string>(rows, row), ", ")));
  };
  std::vector<Row> rows(kRowsOfStatement, Row(columns));
  const auto fill = [&] {
    std::size_t filled = 0;
    while (filled < rows.size() && next(rows[filled])) ++filled;
    return filled;
  };
  const auto put = [&](const Statement& statement, std::size_t filled) {
    bind(statement.get(), std::span(rows).first(filled));
    step(statement.get(), [](const Row&) {});
  };
  std::size_t filled = fill();
  if (filled == rows.size())
    for (const Statement statement = insertion(filled); filled == rows.size(); filled = fill())
      put(statement, filled);
  if (filled > 0) put(insertion(filled), filled);
}

std::string Database::bytes() const {
  sqlite3_int64 size = 0;
  const std::unique_ptr<unsigned char, void (*)(void*)> copy(sqlite3_serialize(handle_, "main", &size, 0),
                                                             sqlite3_free);
  if (copy == nullptr)
    throw base::UserError("E-SWP-050", file_.string(), "out of memory", base::ExitStatus::kHost);
  return {reinterpret_cast<const char*>(copy.get()), static_cast<std::size_t>(size)};
}

void Database::transaction(const std::function<void()>& body) {
  run("BEGIN IMMEDIATE");
  try {
    body();
    run("COMMIT");
  } catch (...) {
    sqlite3_exec(handle_, "ROLLBACK", nullptr, nullptr, nullptr);
    throw;
  }
}

}  // namespace tahoma::runtime
