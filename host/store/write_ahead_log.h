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
  std::string_view bytes;  // a part of the log
  bool sound = false;      // its checksum is right
};

// SQLite's write-ahead log, as https://sqlite.org/fileformat2.html (4) has it.
struct WriteAheadLog {
  std::vector<LogFrame> frames;  // in the order of their writing, up to the last commit
  // SQLite would miss a commit: it takes the first frame that is not sound for the end.
  bool damaged = false;
};

// Reads a log from BYTES, which must outlive the result. A log that ends anywhere, as after a kill
// in the middle of a write, is not damaged.
WriteAheadLog ReadWriteAheadLog(std::string_view bytes);

}  // namespace drover
