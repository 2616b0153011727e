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

// A file of records, each with its checksum. For one thread at a time; its calls block.
//
// A damaged record is moved to the table `damaged`, which keeps the newest 1000. A damaged file is
// renamed, with the time, and made anew from its records that can be read and have the right
// checksum. Damaged files are never deleted. If the disk is too full for a new file, each write
// first tries again to make it, and fails if it cannot.
class RecordFile {
 public:
  struct Opened;
  // Opens the file PATH, or makes it. kUnimplemented: a newer program has made it.
  static Result<Opened> Open(const std::string& path);

  // Carries out the changes, all or none. When this returns, they survive the end of this process.
  // They survive a power cut only after the log was synchronized, too, which any thread may do.
  Status Apply(const std::vector<RecordChange>& changes);
  std::int64_t LogSize() const;  // of the write-ahead log, bytes
  // Writes the contents of the log to the file itself, on the disk, and empties the log, except for
  // one page that changes nothing. May take long.
  Status Checkpoint();

  const std::string& path() const { return path_; }

 private:
  // kInternal: the file, or its log, is damaged.
  static Status OpenWhole(const std::string& path, Opened* opened);
  explicit RecordFile(std::string path) : path_(std::move(path)) {}
  Status Prepare();
  Result<std::vector<Record>> ReadAll(std::vector<std::string>* damage);
  Status SetAside(std::int64_t number);
  Status MakeAnew();

  const std::string path_;
  Database database_;
  Statement put_;
  Statement erase_;
  // The records of a damaged file that could not be made anew yet.
  std::optional<SalvagedRecords> salvaged_;
};

struct RecordFile::Opened {
  std::unique_ptr<RecordFile> file;
  std::vector<Record> records;
  std::vector<std::string> damage;  // a sentence for each thing that was set aside
};

}  // namespace drover
