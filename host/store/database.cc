// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/database.h"

#include <sqlite3.h>
#include <sys/stat.h>

namespace drover {
namespace {

Error DatabaseError(sqlite3* database, int code) {
  const char* const file = database == nullptr ? nullptr : sqlite3_db_filename(database, "main");
  const std::string where = file == nullptr || *file == '\0' ? "the database" : file;
  // SQLite's message describes the last call on the database. It is used only if that call failed
  // with CODE.
  const std::string text =
      where + ": " +
      (database != nullptr && sqlite3_errcode(database) == code ? sqlite3_errmsg(database)
                                                                : sqlite3_errstr(code));
  switch (code & 0xff) {
    case SQLITE_FULL:
      return Error(Code::kResourceExhausted, text, true);
    case SQLITE_IOERR:
      // A file that is shorter than its header claims is damaged. A file that the disk cannot read
      // is treated as damaged, too.
      if (code == SQLITE_IOERR_SHORT_READ || code == SQLITE_IOERR_CORRUPTFS)
        return Error(Code::kInternal, text);
      return Error(Code::kUnavailable, text, true);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
    case SQLITE_NOMEM:
    case SQLITE_READONLY:  // the file system was made read-only
      return Error(Code::kUnavailable, text, true);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return Error(Code::kFailedPrecondition, text);
    default:
      return Error(Code::kInternal, text);
  }
}

Error ErrorOf(sqlite3_stmt* statement, int code) {
  return DatabaseError(sqlite3_db_handle(statement), code);
}

}  // namespace

void Statement::Finalize::operator()(sqlite3_stmt* statement) const { sqlite3_finalize(statement); }

void Statement::Bind(int place, std::int64_t number) {
  DROVER_CHECK(sqlite3_bind_int64(statement_.get(), place, number) == SQLITE_OK);
}

void Statement::BindText(int place, const std::string& text) {
  DROVER_CHECK(sqlite3_bind_text64(statement_.get(), place, text.data(), text.size(), SQLITE_STATIC,
                                   SQLITE_UTF8) == SQLITE_OK);
}

void Statement::BindBlob(int place, const std::string& bytes) {
  DROVER_CHECK(sqlite3_bind_blob64(statement_.get(), place, bytes.data(), bytes.size(),
                                   SQLITE_STATIC) == SQLITE_OK);
}

Result<bool> Statement::Step() {
  const int code = sqlite3_step(statement_.get());
  if (code == SQLITE_ROW) return true;
  if (code == SQLITE_DONE) {
    Reset();
    return false;
  }
  const Error error = ErrorOf(statement_.get(), code);
  Reset();
  return error;
}

Status Statement::Run() {
  DROVER_ASSIGN(const bool row, Step());
  if (row) Reset();
  return {};
}

void Statement::Reset() { sqlite3_reset(statement_.get()); }

std::int64_t Statement::Number(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string Statement::Text(int column) const {
  const void* const bytes = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (bytes == nullptr) return {};
  return std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
}

void Database::CloseIt::operator()(sqlite3* database) const { sqlite3_close_v2(database); }

Result<Database> Database::Open(const std::string& path) {
  sqlite3* opened = nullptr;
  const int code = sqlite3_open_v2(
      path.c_str(), &opened,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE,
      nullptr);
  Database database;
  database.database_.reset(opened);
  if (code != SQLITE_OK) return DatabaseError(opened, code).WithContext(path);
  // SQLite makes further files next to this file, and gives them the mode of this file. A failed
  // chmod does no harm, since no other user can enter the directory.
  for (const char* end : {"", "-wal"}) (void)chmod((path + end).c_str(), 0600);
  // A damaged file may contain a harmful schema, so SQLite must not trust the schema.
  sqlite3_db_config(opened, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(opened, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  return database;
}

std::int64_t Database::CacheBytes() const {
  if (database_ == nullptr) return 0;
  int bytes = 0;
  int highest = 0;
  sqlite3_db_status(database_.get(), SQLITE_DBSTATUS_CACHE_USED, &bytes, &highest, 0);
  return bytes;
}

void Database::KeepLogAtClose(bool keep) {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, keep ? 1 : 0, nullptr);
}

Result<Statement> Database::Prepare(const char* sql) {
  sqlite3_stmt* prepared = nullptr;
  const int code = sqlite3_prepare_v2(database_.get(), sql, -1, &prepared, nullptr);
  Statement statement;
  statement.statement_.reset(prepared);
  if (code != SQLITE_OK) return DatabaseError(database_.get(), code);
  return statement;
}

Status Database::Execute(const char* sql) {
  const int code = sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return DatabaseError(database_.get(), code);
  return {};
}

Result<std::int64_t> Database::Number(const char* sql) {
  DROVER_ASSIGN(Statement statement, Prepare(sql));
  DROVER_ASSIGN(const bool row, statement.Step());
  return row ? statement.Number(0) : 0;
}

Result<std::string> Database::Text(const char* sql) {
  DROVER_ASSIGN(Statement statement, Prepare(sql));
  DROVER_ASSIGN(const bool row, statement.Step());
  return row ? statement.Text(0) : std::string();
}

}  // namespace drover
