// SPDX-License-Identifier: Apache-2.0
#include "runtime/sweep/database.h"

#include <sqlite3.h>

#include "model/base/error.h"

namespace tahoma::runtime {

namespace {

int bind_value(sqlite3_stmt* statement, int at, const Database::Value& value) {
  if (const auto* number = std::get_if<std::int64_t>(&value))
    return sqlite3_bind_int64(statement, at, *number);
  if (const auto* real = std::get_if<double>(&value)) return sqlite3_bind_double(statement, at, *real);
  if (const auto* text = std::get_if<std::string>(&value))
    return sqlite3_bind_text(statement, at, text->c_str(), static_cast<int>(text->size()), SQLITE_TRANSIENT);
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
  sqlite3_close(handle_);
  throw base::UserError("E-SWP-050", file.string(), reason);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::refuse(const std::string& what) {
  const int code = sqlite3_errcode(handle_);
  const bool host = code == SQLITE_FULL || code == SQLITE_IOERR || code == SQLITE_READONLY;
  throw base::UserError("E-SWP-050", file_.string(), std::string(sqlite3_errmsg(handle_)) + " in " + what,
                        host ? base::ExitStatus::kHost : base::ExitStatus::kUsage);
}

void Database::step(const std::string& sql, const Row& values, const std::function<void(Row)>& visit) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) refuse(sql);
  int code = SQLITE_OK;
  for (std::size_t i = 0; i < values.size() && code == SQLITE_OK; ++i)
    code = bind_value(statement, static_cast<int>(i) + 1, values[i]);
  while (code == SQLITE_OK || code == SQLITE_ROW) {
    code = sqlite3_step(statement);
    if (code != SQLITE_ROW) break;
    Row row;
    for (int c = 0; c < sqlite3_column_count(statement); ++c) row.push_back(column(statement, c));
    visit(std::move(row));
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_DONE) refuse(sql);
}

void Database::run_for_each(const std::string& sql, const std::function<bool(Row&)>& next) {
  sqlite3_stmt* statement = nullptr;
  if (sqlite3_prepare_v2(handle_, sql.c_str(), -1, &statement, nullptr) != SQLITE_OK) refuse(sql);
  int code = SQLITE_DONE;
  for (Row values; code == SQLITE_DONE && next(values);) {
    code = SQLITE_OK;
    for (std::size_t i = 0; i < values.size() && code == SQLITE_OK; ++i)
      code = bind_value(statement, static_cast<int>(i) + 1, values[i]);
    if (code == SQLITE_OK) code = sqlite3_step(statement);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  if (code != SQLITE_DONE) refuse(sql);
}

void Database::run(const std::string& sql, const Row& values) {
  step(sql, values, [](const Row&) {});
}

std::vector<Database::Row> Database::rows(const std::string& sql, const Row& values) {
  std::vector<Row> all;
  step(sql, values, [&](Row row) { all.push_back(std::move(row)); });
  return all;
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
