// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/record_schema.h"

#include <array>
#include <charconv>

#include "host/store/checksum.h"

// The version of the tables is in the file's header and, with a checksum, in the table `meta`. The
// table `meta` is the same in all versions. So a damaged header is not mistaken for the header of
// a newer program.
namespace drover {
namespace {

// The tables that each version adds to the version before it.
constexpr std::array<const char*, kRecordSchemaVersion> kSteps = {
    R"(CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL, sum INTEGER NOT NULL);
       CREATE TABLE record (number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL,
                            value BLOB NOT NULL, sum INTEGER NOT NULL, UNIQUE (kind, id)))",
    R"(CREATE TABLE damaged (number INTEGER PRIMARY KEY, found_at INTEGER NOT NULL, kind, id, value,
                             sum))",
};

Error Damaged(const std::string& what) { return Error(Code::kInternal, "it is damaged: " + what); }

Record VersionRecord(int version) { return {{"meta", "version"}, std::to_string(version)}; }

// Returns the version in the table `meta`; 0 if there is none with the right checksum.
Result<int> MetaVersion(Database* database) {
  const Result<std::int64_t> table =
      database->Number("SELECT count(*) FROM sqlite_schema WHERE name = 'meta'");
  if (!table.ok()) return table.error();
  if (*table == 0) return 0;
  DROVER_ASSIGN(Statement statement,
                database->Prepare("SELECT value, sum FROM meta WHERE key = 'version'"));
  DROVER_ASSIGN(const bool row, statement.Step());
  if (!row) return 0;
  const Record record{{"meta", "version"}, statement.Text(0)};
  int version = 0;
  std::from_chars(record.value.data(), record.value.data() + record.value.size(), version);
  return ChecksumOf(record) == statement.Number(1) ? version : 0;
}

Status TakeStep(Database* database, int version) {
  DROVER_TRY(database->Execute("BEGIN IMMEDIATE"));
  Status taken = database->Execute(kSteps[static_cast<std::size_t>(version - 1)]);
  if (taken.ok()) {
    const Record record = VersionRecord(version);
    const std::string note = "INSERT OR REPLACE INTO meta VALUES ('version', '" + record.value +
                             "', " + std::to_string(ChecksumOf(record)) +
                             "); PRAGMA user_version = " + record.value + "; COMMIT";
    taken = database->Execute(note.c_str());
  }
  if (!taken.ok()) (void)database->Execute("ROLLBACK");
  return taken;
}

}  // namespace

Status PrepareRecordSchema(Database* database, int version) {
  DROVER_ASSIGN(const std::int64_t header, database->Number("PRAGMA user_version"));
  DROVER_ASSIGN(const int meta, MetaVersion(database));
  if (meta > kRecordSchemaVersion) return NewerSchema(meta);
  if (header != meta) return Damaged("the versions in its header and in its table differ");
  if (meta == 0) {
    DROVER_ASSIGN(const std::int64_t tables,
                  database->Number("SELECT count(*) FROM sqlite_schema"));
    if (tables != 0) return Damaged("its tables are not those of this program");
  }
  for (int next = meta + 1; next <= version; ++next) DROVER_TRY(TakeStep(database, next));
  return {};
}

Error NewerSchema(int version) {
  return Error(Code::kUnimplemented,
               "it was written by a newer version of this program (format " +
                   std::to_string(version) + ", this one knows " +
                   std::to_string(kRecordSchemaVersion) +
                   "): use that version, or move the file away; it has not been changed");
}

}  // namespace drover
