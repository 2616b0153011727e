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

// The rows of a damaged database, read without its trees and its schema: each stands on a page of
// its table, or begins there and goes on in a chain of pages. What a row is of, and whether it is
// whole, its reader must tell by what is in it. What was deleted is not found, since SQLite
// overwrites it (`secure_delete`).
class DatabasePages {
 public:
  // Of the bytes of a file and of its log. A page of the log replaces older ones if it is sound; if
  // not, it stands beside them.
  DatabasePages(std::string file, std::string log);
  DatabasePages(const DatabasePages&) = delete;
  DatabasePages& operator=(const DatabasePages&) = delete;

  // The rows of what was written last come last.
  void ForEachRow(const std::function<void(const Row&)>& take) const;

 private:
  using Number = std::uint32_t;  // of a page, from 1
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
