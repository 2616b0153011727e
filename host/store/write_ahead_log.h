// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace drover {

inline constexpr std::size_t kPageSize = 4096;  // bytes, for a database and its log

// Returns the name of the write-ahead log of the database PATH.
inline std::string LogOf(const std::string& path) { return path + "-wal"; }

// A page as a transaction has written it to the log.
struct LogFrame {
  std::uint32_t page = 0;  // the number of the page, from 1
  std::string_view bytes;  // the contents of the page, a part of the log
  bool sound = false;      // the checksum of the frame is right
};

// SQLite's write-ahead log. The format: https://sqlite.org/fileformat2.html, section 4.
struct WriteAheadLog {
  std::vector<LogFrame> frames;  // in the order of the writes, up to the last commit
  // True if SQLite would miss a commit, since it treats the first frame that is not sound as the
  // end of the log.
  bool damaged = false;
};

// Reads a log from BYTES, which must outlive the result. A log that was cut off anywhere, as by a
// kill in the middle of a write, does not count as damaged.
WriteAheadLog ReadWriteAheadLog(std::string_view bytes);

}  // namespace drover
