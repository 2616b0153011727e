// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

inline constexpr std::size_t kPageSize = 4096;  // bytes, of a database and of its log

// The name of the log of the database PATH.
inline std::string LogOf(const std::string& path) { return path + "-wal"; }

// A page as a transaction has left it.
struct LogFrame {
  std::uint32_t page = 0;  // its number, from 1
  std::string_view bytes;  // of the log
  bool sound = false;      // the checksum of all of it is right
};

// SQLite's write-ahead log, as https://sqlite.org/fileformat2.html (4) has it.
struct WriteAheadLog {
  std::vector<LogFrame> frames;  // in the order of their writing, up to the last commit
  // SQLite, which takes the first frame that is not sound for the end, would miss a commit.
  bool damaged = false;
};

// Of the bytes of a log, which must outlive it. One that ends anywhere, as after a kill in the
// middle of a write, is not damaged.
WriteAheadLog ReadWriteAheadLog(std::string_view bytes);

}  // namespace drover
