// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "host/base/result.h"

struct sqlite3;
struct sqlite3_stmt;

namespace drover {

// A prepared statement. Belongs to its database and goes before it.
class Statement {
 public:
  Statement() = default;

  // Of the next execution; PLACE counts from 1. A text is not copied: it stays until Reset.
  void Bind(int place, std::int64_t number);
  void BindText(int place, const std::string& text);
  void BindBlob(int place, const std::string& bytes);

  // Goes to the next row: whether there is one. After an error, or the last row, it is reset.
  Result<bool> Step();
  // Executes a statement without rows.
  Status Run();
  void Reset();

  // Of the row; COLUMN counts from 0. What is of another type is converted.
  std::int64_t Number(int column) const;
  std::string Text(int column) const;

 private:
  friend class Database;
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Finalize> statement_;
};

// An SQLite database, as thin as it can be. Of one thread at a time.
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
  // The first column of the first row of SQL; 0 or empty without one.
  Result<std::int64_t> Number(const char* sql);
  Result<std::string> Text(const char* sql);
  // Whether what the write-ahead log holds stays there when this is closed. At first it does not.
  void KeepLogAtClose(bool keep);
  // Closes it; what the write-ahead log holds goes to the database first, if it is not to be kept.
  void Close() { database_.reset(); }

 private:
  struct CloseIt {
    void operator()(sqlite3* database) const;
  };
  std::unique_ptr<sqlite3, CloseIt> database_;
};

}  // namespace drover
