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

// A file of records, each with its checksum. Of one thread at a time; its calls block.
//
// A record that is damaged is moved to the table `damaged` and is no record any more. A file that
// is damaged is renamed, with the time, and made anew from those of its records that can still be
// read and whose checksums are right. Nothing is ever deleted because it is damaged. Where that
// cannot be, since the disk is full, each write tries it again before it is refused.
class RecordFile {
 public:
  struct Opened;
  // Opens the file PATH, or makes it. kUnimplemented: a newer program has made it.
  static Result<Opened> Open(const std::string& path);

  // Carries out the changes, all or none: when this returns they survive the end of this process.
  // What must survive a power cut too needs Sync, which any thread may call.
  Status Apply(const std::vector<RecordChange>& changes);
  std::int64_t LogSize() const;  // of the write-ahead log, bytes
  // Writes what is in the log to the file proper, on the disk, and empties the log but for a page
  // that says nothing new. May take long.
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
  // What a damaged file held that could not be made anew yet.
  std::optional<SalvagedRecords> salvaged_;
};

struct RecordFile::Opened {
  std::unique_ptr<RecordFile> file;
  std::vector<Record> records;
  std::vector<std::string> damage;  // a sentence for each thing that was set aside
};

}  // namespace drover
