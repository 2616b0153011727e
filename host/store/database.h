// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace drover {

// A prepared statement. Its database must outlive it.
class Statement {
 public:
  Statement() = default;

  // Bind a value for the next execution; PLACE counts from 1. Texts and blobs are not copied: they
  // must live until Reset.
  void Bind(int place, std::int64_t number);
  void BindText(int place, const std::string& text);
  void BindBlob(int place, const std::string& bytes);

  // Goes to the next row; returns whether there is one. After an error, or after the last row, the
  // statement is reset.
  Result<bool> Step();
  // Executes a statement without rows.
  Status Run();
  void Reset();

  // Return a value of the row; COLUMN counts from 0. Values of other types are converted.
  std::int64_t Number(int column) const;
  std::string Text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// A thin wrapper of an SQLite database. For one thread at a time.
//
// Codes of errors: kResourceExhausted, the disk is full; kUnavailable, the system refused (these
// two are recoverable); kFailedPrecondition, another process has it; kInternal, it is damaged or is
// no database.
class Database {
 public:
  // Opens the file PATH, or makes it, for this process alone.
  static Result<Database> Open(const std::string& path);

  Result<Statement> Prepare(const char* sql);
  Status Execute(const char* sql);
  // Return the first column of the first row of SQL; 0 or empty without a row.
  Result<std::int64_t> Number(const char* sql);
  Result<std::string> Text(const char* sql);
  // Sets whether the contents of the write-ahead log stay there at Close. At first they do not.
  void KeepLogAtClose(bool keep);
  // Closes the database. First moves the contents of the write-ahead log into it, unless they must
  // stay there.
  void Close() { database_.reset(); }

 private:
  struct CloseIt {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, CloseIt> database_;
};

}  // namespace drover
