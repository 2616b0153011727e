// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/salvage.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <system_error>
#include <utility>

#include "host/base/unique_fd.h"
#include "host/store/checksum.h"
#include "host/store/database_pages.h"
#include "host/store/write_ahead_log.h"

namespace drover {
namespace {

// Reads the bytes of FILE from offset BEGIN to offset END, to the same offsets of BYTES. Stops at
// the end of FILE.
Status ReadPart(int file, std::size_t begin, std::size_t end, std::string* bytes) {
  for (std::size_t at = begin; at < end;) {
    const ssize_t got = pread(file, bytes->data() + at, end - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return ErrnoError(errno, "read");
    if (got == 0) break;
    at += static_cast<std::size_t>(got);
  }
  return {};
}

// Returns the contents of the file PATH; empty if there is no such file. Pages that the disk
// cannot read become zeros, as if they were overwritten. If the disk can read no page at all, the
// result is an error, since the disk may be broken or missing.
Result<std::string> ReadFile(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::string();
  if (!file) return ErrnoError(errno, "open " + path);
  struct stat status{};
  if (fstat(file.get(), &status) != 0) return ErrnoError(errno, path);
  std::string bytes(static_cast<std::size_t>(status.st_size), '\0');
  const Status whole = ReadPart(file.get(), 0, bytes.size(), &bytes);
  if (whole.ok()) return bytes;
  bool some = false;
  for (std::size_t at = 0; at < bytes.size(); at += kPageSize) {
    const std::size_t end = std::min(at + kPageSize, bytes.size());
    some = ReadPart(file.get(), at, end, &bytes).ok() || some;
  }
  if (!some) return whole.error().WithContext(path);
  return bytes;
}

bool HasTypes(const Row& row, std::initializer_list<Column::Type> types) {
  return std::equal(row.begin(), row.end(), types.begin(), types.end(),
                    [](const Column& column, Column::Type type) { return column.type == type; });
}

// Adds ROW to SALVAGE if ROW belongs to the table `record`, or is the row of `meta` with the
// version. No other row has such columns and a right checksum.
void Take(const Row& row, Salvage* salvage) {
  using enum Column::Type;
  if (HasTypes(row, {kNull, kText, kText, kBlob, kNumber})) {
    Record record{{row[1].bytes, row[2].bytes}, row[3].bytes};
    if (ChecksumOf(record) == row[4].number)
      salvage->records.insert_or_assign(record.key, std::move(record.value));
  } else if (HasTypes(row, {kText, kText, kNumber})) {
    const Record record{{"meta", row[0].bytes}, row[1].bytes};
    const std::string& text = record.value;
    if (record.key.id == "version" && ChecksumOf(record) == row[2].number)
      std::from_chars(text.data(), text.data() + text.size(), salvage->version);
  }
}

}  // namespace

Result<Salvage> SalvageRecords(const std::string& path) {
  DROVER_ASSIGN(std::string file, ReadFile(path));
  DROVER_ASSIGN(std::string log, ReadFile(LogOf(path)));
  Salvage salvage;
  DatabasePages(std::move(file), std::move(log)).ForEachRow([&](const Row& row) {
    Take(row, &salvage);
  });
  return salvage;
}

Status CheckLog(const std::string& path) {
  DROVER_ASSIGN(const std::string bytes, ReadFile(LogOf(path)));
  const WriteAheadLog log = ReadWriteAheadLog(bytes);
  if (log.damaged) return Error(Code::kInternal, "its write-ahead log is damaged");
  std::error_code missing;
  const std::uintmax_t size = std::filesystem::file_size(path, missing);
  if (!log.frames.empty() && (missing || size < kPageSize))
    return Error(Code::kInternal, "it is empty, but its write-ahead log is not");
  return {};
}

}  // namespace drover
