// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace drover {

// A prepared statement. Its database must outlive the statement.
class Statement {
 public:
  Statement() = default;

  // These functions bind a value for the next execution. The first PLACE is 1. Texts and blobs are
  // not copied: they must live until Reset.
  void Bind(int place, std::int64_t number);
  void BindText(int place, const std::string& text);
  void BindBlob(int place, const std::string& bytes);

  // Moves to the next row and returns whether there is one. If Step fails, or if there is no
  // further row, the statement is reset.
  Result<bool> Step();
  // Executes a statement that returns no rows.
  Status Run();
  void Reset();

  // These functions return a value of the current row. The first COLUMN is 0. Values of other types
  // are converted.
  std::int64_t Number(int column) const;
  std::string Text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// A thin wrapper of an SQLite database. Only one thread may use it at a time.
//
// Error codes: kResourceExhausted if the disk is full, kUnavailable if the system refused an
// operation, kFailedPrecondition if another process uses the database, and kInternal if the file
// is damaged or is not a database. Only the first two errors are recoverable.
class Database {
 public:
  // Opens the file PATH, or creates it. Only the user of this process may read or write the file.
  static Result<Database> Open(const std::string& path);

  Result<Statement> Prepare(const char* sql);
  Status Execute(const char* sql);
  // These functions return the first column of the first row of SQL; 0 or an empty text if there is
  // no row.
  Result<std::int64_t> Number(const char* sql);
  Result<std::string> Text(const char* sql);
  // Returns how many bytes of memory the pages take that SQLite keeps.
  std::int64_t CacheBytes() const;
  // Sets whether Close leaves the contents of the write-ahead log in the log. By default, Close
  // empties the log.
  void KeepLogAtClose(bool keep);
  // Closes the database. First moves the contents of the write-ahead log into the database, unless
  // KeepLogAtClose(true) was called.
  void Close() { database_.reset(); }

 private:
  struct CloseIt {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, CloseIt> database_;
};

}  // namespace drover
