// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/salvage.h"

#include <fcntl.h>
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

// Empty if there is no such file.
Result<std::string> ReadFile(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file && errno == ENOENT) return std::string();
  if (!file) return ErrnoError(errno, "open " + path);
  std::string bytes;
  while (true) {
    constexpr std::size_t kMore = 1 << 20;
    const std::size_t size = bytes.size();
    bytes.resize(size + kMore);
    const ssize_t got = read(file.get(), bytes.data() + size, kMore);
    if (got < 0 && errno != EINTR) return ErrnoError(errno, "read " + path);
    bytes.resize(size + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got == 0) return bytes;
  }
}

bool HasTypes(const Row& row, std::initializer_list<Column::Type> types) {
  return std::equal(row.begin(), row.end(), types.begin(), types.end(),
                    [](const Column& column, Column::Type type) { return column.type == type; });
}

// A row of the table `record`, or that of `meta` with the version. No other has such columns and a
// checksum that is right.
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
    return Error(Code::kInternal, "it is empty, its write-ahead log is not");
  return {};
}

}  // namespace drover
