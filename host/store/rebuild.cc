// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/rebuild.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>
#include <filesystem>
#include <map>
#include <vector>

#include "host/base/durable_step.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"
#include "host/store/checksum.h"
#include "host/store/database.h"
#include "host/store/record_file.h"

// The new file is made beside the old one and gets its name last, so a crash loses nothing: while
// the old one has its name, what is half made is made again; once it has lost it, the new one is
// complete.
namespace drover {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNew = ".new";
constexpr const char* kCopy = ".copy";
constexpr Duration kPatience = 2s;  // for what is read row by row

std::string WalOf(const std::string& path) { return path + "-wal"; }

void Remove(const std::string& path) {
  std::error_code ignored;
  fs::remove(path, ignored);
  fs::remove(WalOf(path), ignored);
  fs::remove(path + "-shm", ignored);
}

Status Copy(const std::string& from, const std::string& to) {
  std::error_code error;
  fs::copy_file(from, to, fs::copy_options::overwrite_existing, error);
  if (error == std::errc::no_such_file_or_directory) return {};
  if (error) return ErrnoError(error.value(), "copy " + from);
  return {};
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

using Found = SalvagedRecords;

// Takes the row that STATEMENT stands on, if it is whole. The newest of a key comes last.
void Take(const Statement& statement, Found* found) {
  Record record{{statement.Text(0), statement.Text(1)}, statement.Text(2)};
  if (ChecksumOf(record) == statement.Number(3)) found->insert_or_assign(record.key, record.value);
}

// Row by row, from the newest on: a part of the tree that is damaged costs only what is below it.
void ReadRows(Database* database, Found* found) {
  auto last = database->Number("SELECT max(number) FROM record");
  auto row = database->Prepare("SELECT kind, id, value, sum FROM record WHERE number = ?");
  if (!last.ok() || !row.ok()) return;
  const TimePoint until = BootClock::now() + kPatience;
  for (std::int64_t number = *last; number > 0 && BootClock::now() < until; --number) {
    row->Bind(1, number);
    const Result<bool> there = row->Step();
    if (there.ok() && *there) {
      Found one;
      Take(*row, &one);
      found->merge(one);  // what is known already is newer
      row->Reset();
    }
  }
}

// Whatever can be read of the file; it is changed by that.
Found ReadWhatIsLeft(const std::string& path) {
  Found found;
  Result<Database> database = Database::Open(path);
  if (!database.ok()) return found;
  (void)database->Execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON");
  bool whole = false;
  if (auto all = database->Prepare("SELECT kind, id, value, sum FROM record ORDER BY number");
      all.ok()) {
    Result<bool> row = all->Step();
    for (; row.ok() && *row; row = all->Step()) Take(*all, &found);
    whole = row.ok();
  }
  if (!whole) ReadRows(&*database, &found);
  return found;
}

// The first page says where the tables begin, which is the same in all files: that of a fresh one
// stands in for one that is damaged.
Status PutFirstPage(const std::string& fresh, const std::string& path) {
  unsigned char page[4096];
  constexpr std::size_t kPageCount = 28;  // where it stands, with the highest byte first
  const UniqueFd from(open(fresh.c_str(), O_RDONLY | O_CLOEXEC));
  const UniqueFd to(open(path.c_str(), O_WRONLY | O_CLOEXEC));
  if (!from || !to || pread(from.get(), page, sizeof page, 0) != sizeof page) {
    return ErrnoError(errno, fresh);
  }
  const auto pages = lseek(to.get(), 0, SEEK_END) / static_cast<off_t>(sizeof page);
  for (std::size_t i = 0; i < 4; ++i) {
    page[kPageCount + i] = static_cast<unsigned char>(pages >> (24 - 8 * i));
  }
  if (pwrite(to.get(), page, sizeof page, 0) != sizeof page) return ErrnoError(errno, path);
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

// A name that no file has.
std::string NameForDamaged(const std::string& path) {
  const std::string name = path + ".damaged-" + Timestamp();
  std::string free = name;
  for (int i = 2; fs::exists(free); ++i) free = name + "-" + std::to_string(i);
  return free;
}

// A complete file of FOUND, on the disk.
Status Write(const std::string& path, const Found& found) {
  Remove(path);
  DROVER_ASSIGN(RecordFile::Opened made, RecordFile::Open(path));
  std::vector<RecordChange> changes;
  for (const auto& [key, value] : found) changes.push_back({key, value});
  DROVER_TRY(made.file->Apply(changes));
  return made.file->Checkpoint(true);
}

// Reads a copy of the file, and once more with the first page of a fresh one. Both are made at
// BASE, with endings of their own.
Result<Found> SalvageAt(const std::string& path, const std::string& base) {
  const std::string copy = base + kCopy;
  const std::string fresh = base + kNew;
  Found found;
  Status status = Write(fresh, {});
  for (const bool other_page : {false, true}) {
    Remove(copy);
    if (status.ok()) status = Copy(path, copy);
    if (status.ok()) status = Copy(WalOf(path), WalOf(copy));
    if (status.ok() && other_page && !PutFirstPage(fresh, copy).ok()) break;
    if (!status.ok()) break;
    Found again = ReadWhatIsLeft(copy);
    if (again.size() > found.size()) found = std::move(again);
    if (!found.empty()) break;
  }
  Remove(copy);
  Remove(fresh);
  if (!status.ok()) return status.error();
  return found;
}

// Whether the disk of PATH has room for what is made there on the way.
bool HasRoom(const std::string& path) {
  constexpr std::uintmax_t kTimes = 4;
  constexpr std::uintmax_t kMore = 1 << 20;
  std::error_code error;
  const fs::space_info space = fs::space(fs::path(path).parent_path(), error);
  if (error) return false;
  std::uintmax_t size = fs::file_size(path, error);
  if (error) size = 0;
  const std::uintmax_t log = fs::file_size(WalOf(path), error);
  if (!error) size += log;
  return space.available > kTimes * size + kMore;
}

}  // namespace

Result<SalvagedRecords> SalvageRecords(const std::string& path) {
  if (HasRoom(path)) return SalvageAt(path, path);
  Error last(Code::kResourceExhausted, path + ": there is no room to read what is left of it");
  for (const char* const place : {"/dev/shm", "/run", "/tmp"}) {
    std::string directory = std::string(place) + "/drover-salvage-XXXXXX";  // for this user alone
    if (mkdtemp(directory.data()) == nullptr) continue;
    Result<Found> found = SalvageAt(path, directory + "/state.db");
    std::error_code ignored;
    fs::remove_all(directory, ignored);
    if (found.ok()) return found;
    last = found.error();
  }
  return last;
}

Result<std::string> ReplaceDamaged(const std::string& path, const SalvagedRecords& records) {
  const std::string fresh = path + kNew;
  if (const Status made = Write(fresh, records); !made.ok()) {
    Remove(fresh);
    return made.error();
  }
  const std::string damaged = NameForDamaged(path);
  // Without its own name the file is not read again: from then on the new one is.
  DROVER_TRY(Rename(path, damaged));
  DROVER_TRY(Rename(WalOf(path), WalOf(damaged)));
  DROVER_TRY(FinishRebuild(path));
  return "the damaged file is " + damaged + " now, and " + std::to_string(records.size()) +
         " records could be read of it";
}

Status FinishRebuild(const std::string& path) {
  Remove(path + kCopy);
  if (fs::exists(path)) {
    Remove(path + kNew);
    return {};
  }
  if (!fs::exists(path + kNew)) return {};
  Remove(path);  // its log, which belongs to nothing
  DROVER_TRY(Rename(path + kNew, path));
  return SyncDirectoryOf(path);
}

}  // namespace drover
