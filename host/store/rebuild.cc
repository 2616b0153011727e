// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/rebuild.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <vector>

#include "host/base/durable_step.h"
#include "host/base/unique_fd.h"
#include "host/store/record_file.h"
#include "host/store/write_ahead_log.h"

// The new file is written next to the old file and receives its final name last, so a crash loses
// nothing. If the old file still has its name, the new file may be incomplete and is written
// again. If the old file was renamed, the new file is complete.
namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNew = ".new";

void Remove(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
  fs::remove(LogOf(path), ignored);
  fs::remove(path + "-shm", ignored);
}

Status Rename(const std::string& from, const std::string& to) {
  return DurableStep(Step::kReplaceStore, [&]() -> Status {
    if (rename(from.c_str(), to.c_str()) == 0 || errno == ENOENT) return {};
    return ErrnoError(errno, "rename " + from);
  });
}

Status SyncDirectoryOf(const std::string& path) {
  const std::string directory = fs::path(path).parent_path().string();
  const UniqueFd opened(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened || fsync(opened.get()) != 0) return ErrnoError(errno, directory);
  return {};
}

std::string Timestamp() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y%m%dT%H%M%SZ", &parts);
  return text;
}

// Returns an unused name to which the damaged file can be renamed.
std::string NameForDamaged(const std::string& path) {
  const std::string name = path + ".damaged-" + Timestamp();
  std::string free = name;
  for (int i = 2; fs::exists(free); ++i) free = name + "-" + std::to_string(i);
  return free;
}

// Writes a complete file of RECORDS to the disk.
Status Write(const std::string& path, const SalvagedRecords& records) {
  Remove(path);
  DROVER_ASSIGN(RecordFile::Opened made, RecordFile::Open(path));
  std::vector<RecordChange> changes;
  for (const auto& [key, value] : records) changes.push_back({key, value});
  DROVER_TRY(made.file->Apply(changes));
  return made.file->Checkpoint();
}

}  // namespace

Result<std::string> ReplaceDamaged(const std::string& path, const SalvagedRecords& records) {
  const std::string fresh = path + kNew;
  // The new file is complete and only lacks its final name, so it is not written again.
  if (!fs::exists(path) && fs::exists(fresh)) {
    DROVER_TRY(FinishRebuild(path));
    return std::string("the new file has its name now");
  }
  if (const Status made = Write(fresh, records); !made.ok()) {
    Remove(fresh);
    return made.error();
  }
  const std::string damaged = NameForDamaged(path);
  // After this rename, FinishRebuild uses the new file instead of the damaged one.
  DROVER_TRY(Rename(path, damaged));
  DROVER_TRY(Rename(LogOf(path), LogOf(damaged)));
  DROVER_TRY(FinishRebuild(path));
  return "the damaged file is " + damaged + " now, and " + std::to_string(records.size()) +
         " of its records could be read";
}

Status FinishRebuild(const std::string& path) {
  if (fs::exists(path)) {
    Remove(path + kNew);
    return {};
  }
  if (!fs::exists(path + kNew)) return {};
  // If the process was killed between the two renames, the log of the damaged file still has its
  // old name.
  if (fs::exists(LogOf(path))) DROVER_TRY(Rename(LogOf(path), LogOf(NameForDamaged(path))));
  DROVER_TRY(Rename(path + kNew, path));
  return SyncDirectoryOf(path);
}

}  // namespace drover
