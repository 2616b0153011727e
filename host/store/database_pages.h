// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

// A value in a row of a database.
struct Column {
  enum class Type { kNull, kNumber, kText, kBlob } type = Type::kNull;
  std::uint64_t size = 0;  // bytes
  std::uint64_t number = 0;
  std::string bytes;
};
using Row = std::vector<Column>;

// The rows of a damaged database, read without its trees and its schema. Each row is on a page of
// its table, or begins there and continues on a chain of further pages. The caller must find out
// from a row's contents to which table the row belongs, and whether the row is whole. Deleted rows
// are not found, since SQLite overwrites them (`secure_delete`).
class DatabasePages {
 public:
  // FILE and LOG are the contents of a database file and of its write-ahead log. A page in the log
  // with the right checksum replaces older versions of that page. A page with a wrong checksum is
  // read in addition to the older versions.
  DatabasePages(std::string file, std::string log);
  DatabasePages(const DatabasePages&) = delete;
  DatabasePages& operator=(const DatabasePages&) = delete;

  // Calls TAKE with each row. The rows of newer pages come later.
  void ForEachRow(const std::function<void(const Row&)>& take) const;

 private:
  using Number = std::uint32_t;  // the number of a page, from 1
  struct Page {
    Number number;
    std::string_view bytes;
  };

  void Add(Number number, std::string_view bytes);
  bool ReadRow(std::string_view bytes, Row* row) const;
  bool AppendChain(Number first, std::uint64_t size, std::string* row) const;

  const std::string file_;
  const std::string log_;
  std::vector<Page> pages_;  // the newest first
  std::map<Number, std::string_view> newest_;
};

}  // namespace drover
