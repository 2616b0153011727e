// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/store/database.h"
#include "host/store/rebuild.h"
#include "host/store/record.h"

namespace drover {

// A file of records, each with its checksum. Only one thread may use it at a time. Its calls
// block.
//
// A damaged record is moved to the table `damaged`, which keeps the newest 1000. A damaged file is
// renamed, with the time in its new name. Its records that can be read and have the right checksum
// are written to a new file. Damaged files are never deleted. If the new file cannot be made, as
// on a full disk, each write first tries again to make the new file. The write fails if the new
// file still cannot be made.
class RecordFile {
 public:
  struct Opened;
  // Opens the file PATH, or creates it. Error kUnimplemented means that a newer program has
  // written the file.
  static Result<Opened> Open(const std::string& path);

  // Carries out all changes or none. After Apply has returned, the changes survive the end of this
  // process. They survive a power failure only after the log was also synchronized to the disk. Any
  // thread may synchronize the log.
  Status Apply(const std::vector<RecordChange>& changes);
  std::int64_t LogSize() const;  // size of the write-ahead log in bytes
  // Returns how many bytes of memory the pages of the file take that are kept.
  std::int64_t CacheBytes() const { return database_.CacheBytes(); }
  // Writes the contents of the log to the file itself, and synchronizes the file. Empties the log,
  // except for one page that changes nothing. May take long.
  Status Checkpoint();

  const std::string& path() const { return path_; }

 private:
  // Opens the file if it is not damaged. Error kInternal means that the file or its log is
  // damaged.
  static Status OpenWhole(const std::string& path, Opened* opened);
  explicit RecordFile(std::string path) : path_(std::move(path)) {}
  Status Prepare();
  // From now on, keeps only a few pages of the file in memory.
  Status KeepFewPages();
  Result<std::vector<Record>> ReadAll(std::vector<std::string>* damage);
  Status SetAside(std::int64_t number);
  Status MakeAnew();

  const std::string path_;
  Database database_;
  Statement put_;
  Statement erase_;
  // The records of a damaged file, if a new file must still be made from them; else absent.
  std::optional<SalvagedRecords> salvaged_;
};

struct RecordFile::Opened {
  std::unique_ptr<RecordFile> file;
  std::vector<Record> records;
  // A sentence for each damaged record or file that was set aside.
  std::vector<std::string> damage;
};

}  // namespace drover
