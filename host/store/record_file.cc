// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/record_file.h"

#include <sys/stat.h>

#include "host/base/time.h"
#include "host/store/checksum.h"
#include "host/store/record_schema.h"
#include "host/store/write_ahead_log.h"

namespace drover {
namespace {

constexpr const char* kKeepDamaged = "1000";
constexpr int kCacheKib = 256;  // the most memory for pages of the file, after it has been read

bool IsDamage(const Error& error) { return error.code() == Code::kInternal; }

}  // namespace

Result<RecordFile::Opened> RecordFile::Open(const std::string& path) {
  DROVER_TRY(FinishRebuild(path));
  Opened opened;
  const Status read = OpenWhole(path, &opened);
  if (read.ok()) return opened;
  if (!IsDamage(read.error())) return read.error().WithContext(path);
  DROVER_ASSIGN(Salvage salvage, SalvageRecords(path));
  if (salvage.version > kRecordSchemaVersion) return NewerSchema(salvage.version).WithContext(path);
  const Result<std::string> replaced = ReplaceDamaged(path, salvage.records);
  if (replaced.ok()) {
    const Status again = OpenWhole(path, &opened);
    if (!again.ok()) return again.error().WithContext(path);
    opened.damage = {read.error().message() + "; " + *replaced};
    return opened;
  }
  // No new file can be made now. The agent continues with the records that were read, because
  // running tasks need them.
  opened.damage = {read.error().message() + "; " + std::to_string(salvage.records.size()) +
                   " of its records could be read, but no new file can be made now; the next "
                   "write tries it again: " +
                   replaced.error().message()};
  for (const auto& [key, value] : salvage.records) opened.records.push_back({key, value});
  opened.file.reset(new RecordFile(path));
  opened.file->salvaged_ = std::move(salvage.records);
  return opened;
}

Status RecordFile::OpenWhole(const std::string& path, Opened* opened) {
  *opened = {};
  // The log is checked before SQLite opens the file, since SQLite treats the start of the damage
  // as the end of the log.
  DROVER_TRY(CheckLog(path));
  std::unique_ptr<RecordFile> file(new RecordFile(path));
  DROVER_TRY(file->Prepare());
  DROVER_ASSIGN(opened->records, file->ReadAll(&opened->damage));
  DROVER_TRY(file->KeepFewPages());
  opened->file = std::move(file);
  return {};
}

Status RecordFile::MakeAnew() {
  DROVER_TRY(ReplaceDamaged(path_, *salvaged_));
  DROVER_TRY(Prepare());
  DROVER_TRY(KeepFewPages());
  salvaged_.reset();
  return {};
}

// The file is read as a whole only once. Afterwards a write needs only the pages on the way to its
// records, and the kernel keeps the others.
Status RecordFile::KeepFewPages() {
  const std::string limit = "PRAGMA cache_size = -" + std::to_string(kCacheKib);
  return database_.Execute(limit.c_str());
}

Status RecordFile::Prepare() {
  DROVER_ASSIGN(database_, Database::Open(path_));
  // Exclusive locking keeps the index of the log in memory. Without it, the index would be a file,
  // which cannot be written on a full disk.
  DROVER_TRY(database_.Execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA cell_size_check = ON"));
  // A salvage finds rows by their places on pages, so deleted rows must be overwritten.
  const std::string pages =
      "PRAGMA secure_delete = ON; PRAGMA page_size = " + std::to_string(kPageSize);
  DROVER_TRY(database_.Execute(pages.c_str()));
  DROVER_TRY(
      database_.Execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;"
                        "PRAGMA wal_autocheckpoint = 0"));
  // If a newer program has written the file, the file and its log must stay as they are.
  database_.KeepLogAtClose(LogSize() > 0);
  DROVER_TRY(PrepareRecordSchema(&database_));
  database_.KeepLogAtClose(false);
  DROVER_ASSIGN(put_,
                database_.Prepare("INSERT INTO record (kind, id, value, sum) VALUES (?, ?, ?, ?)"
                                  " ON CONFLICT (kind, id) DO UPDATE SET"
                                  " value = excluded.value, sum = excluded.sum"));
  DROVER_ASSIGN(erase_, database_.Prepare("DELETE FROM record WHERE kind = ? AND id = ?"));
  return {};
}

Result<std::vector<Record>> RecordFile::ReadAll(std::vector<std::string>* damage) {
  DROVER_ASSIGN(const std::string sound, database_.Text("PRAGMA integrity_check(1)"));
  if (sound != "ok") return Error(Code::kInternal, "it is damaged: " + sound);
  std::vector<Record> records;
  std::vector<std::int64_t> bad;
  DROVER_ASSIGN(Statement all,
                database_.Prepare("SELECT kind, id, value, sum, number FROM record"));
  while (true) {
    DROVER_ASSIGN(const bool row, all.Step());
    if (!row) break;
    Record record{{all.Text(0), all.Text(1)}, all.Text(2)};
    if (ChecksumOf(record) == all.Number(3)) {
      records.push_back(std::move(record));
    } else {
      bad.push_back(all.Number(4));
      damage->push_back("the record " + record.key.kind + " " + record.key.id +
                        " is damaged and was moved to the table of damaged records");
    }
  }
  for (const std::int64_t number : bad) {
    // If the disk is full, the record stays in the table `record`, and the next start finds it
    // damaged again.
    const Status moved = SetAside(number);
    if (!moved.ok() && IsDamage(moved.error())) return moved.error();
  }
  return records;
}

Status RecordFile::SetAside(std::int64_t number) {
  const std::string from = std::to_string(number);
  const std::string sql =
      "BEGIN; INSERT INTO damaged SELECT NULL, " + std::to_string(WallNow()) +
      ", kind, id, value, sum FROM record WHERE number = " + from +
      "; DELETE FROM record WHERE number = " + from +
      "; DELETE FROM damaged WHERE number <= (SELECT max(number) FROM damaged) - " + kKeepDamaged +
      "; COMMIT";
  const Status moved = database_.Execute(sql.c_str());
  if (!moved.ok()) (void)database_.Execute("ROLLBACK");
  return moved;
}

Status RecordFile::Apply(const std::vector<RecordChange>& changes) {
  if (salvaged_) DROVER_TRY(MakeAnew());
  DROVER_TRY(database_.Execute("BEGIN IMMEDIATE"));
  Status done;
  for (const RecordChange& change : changes) {
    Statement& statement = change.value ? put_ : erase_;
    statement.BindText(1, change.key.kind);
    statement.BindText(2, change.key.id);
    if (change.value) {
      statement.BindBlob(3, *change.value);
      statement.Bind(4, ChecksumOf({change.key, *change.value}));
    }
    done = statement.Run();
    if (!done.ok()) break;
  }
  if (done.ok()) done = database_.Execute("COMMIT");
  // Some errors have already rolled the transaction back. Then this ROLLBACK fails, which does no
  // harm.
  if (!done.ok()) (void)database_.Execute("ROLLBACK");
  return done;
}

std::int64_t RecordFile::LogSize() const {
  struct stat status{};
  return stat(LogOf(path_).c_str(), &status) == 0 ? status.st_size : 0;
}

Status RecordFile::Checkpoint() {
  if (salvaged_) DROVER_TRY(MakeAnew());
  DROVER_TRY(database_.Execute("PRAGMA wal_checkpoint(TRUNCATE)"));
  // The first commit to an empty log waits for the disk. So a commit that changes nothing is made
  // now, when no caller waits.
  (void)database_.Execute("UPDATE meta SET value = value WHERE key = 'version'");
  return {};
}

}  // namespace drover
