// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/database_pages.h"

#include <optional>
#include <set>
#include <utility>

#include "host/store/big_endian.h"
#include "host/store/write_ahead_log.h"

// The file format: https://sqlite.org/fileformat2.html, sections 1.5, 1.6 and 2.1.
namespace drover {
namespace {

constexpr std::size_t kFileHeader = 100;  // bytes, at the start of the first page
constexpr std::size_t kLeafHeader = 8;    // bytes; after it, each row has an offset of two bytes
constexpr char kTableLeaf = 0x0d;         // the first byte of a leaf page of a table

// Reads numbers and bytes from the front of BYTES. A read beyond the end returns 0 or an empty
// text, and failed() is true from then on.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  std::string_view Bytes(std::uint64_t size) {
    failed_ = failed_ || size > bytes_.size();
    if (failed_) return {};
    const std::string_view bytes = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return bytes;
  }

  // Reads a number of variable length. Each byte contains seven bits of the number, the highest
  // bits first. The highest bit of a byte is 0 in the last byte, and 1 in the others. If there is a
  // ninth byte, it contains eight bits of the number.
  std::uint64_t Varint() {
    std::uint64_t number = 0;
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t byte = BigEndian(Bytes(1));
      number = number << 7 | (byte & 0x7f);
      if (byte < 0x80) return number;
    }
    return number << 8 | BigEndian(Bytes(1));
  }

  bool empty() const { return bytes_.empty(); }
  bool failed() const { return failed_; }

 private:
  std::string_view bytes_;
  bool failed_ = false;
};

// Returns the column for a serial type of SQLite; absent if this program writes no such values.
std::optional<Column> ColumnOf(std::uint64_t serial) {
  using enum Column::Type;
  constexpr std::uint64_t kSizes[] = {0, 1, 2, 3, 4, 6, 8};
  if (serial == 0) return Column{kNull, 0, 0, {}};
  if (serial <= 6) return Column{kNumber, kSizes[serial], 0, {}};
  if (serial == 8 || serial == 9) return Column{kNumber, 0, serial - 8, {}};
  if (serial < 12) return {};
  return Column{serial % 2 == 0 ? kBlob : kText, (serial - 12) / 2, 0, {}};
}

// Reads the types and sizes of a row's columns from its FRONT. The row has SIZE bytes. Returns
// false if the columns do not fit the row.
bool ReadColumns(std::string_view front, std::uint64_t size, Row* row) {
  std::uint64_t sum = Reader(front).Varint();
  Reader header(Reader(front).Bytes(sum));
  header.Varint();
  row->clear();
  while (!header.failed() && !header.empty()) {
    std::optional<Column> column = ColumnOf(header.Varint());
    if (!column || column->size > size) return false;
    sum += column->size;
    row->push_back(*std::move(column));
  }
  return !row->empty() && !header.failed() && sum == size;
}

// Returns how many bytes of a row of SIZE bytes are on the page of its table. The other bytes are
// on a chain of further pages.
std::uint64_t SizeOnLeaf(std::uint64_t size) {
  constexpr std::uint64_t kMost = kPageSize - 35;
  constexpr std::uint64_t kLeast = (kPageSize - 12) * 32 / 255 - 23;
  if (size <= kMost) return size;
  const std::uint64_t wanted = kLeast + (size - kLeast) % (kPageSize - 4);
  return wanted <= kMost ? wanted : kLeast;
}

}  // namespace

DatabasePages::DatabasePages(std::string file, std::string log)
    : file_(std::move(file)), log_(std::move(log)) {
  const WriteAheadLog read = ReadWriteAheadLog(log_);
  std::set<Number> replaced;
  for (auto frame = read.frames.rbegin(); frame != read.frames.rend(); ++frame) {
    if (replaced.contains(frame->page)) continue;
    if (frame->sound) replaced.insert(frame->page);
    Add(frame->page, frame->bytes);
  }
  for (std::size_t at = 0; at < file_.size(); at += kPageSize) {
    const auto number = static_cast<Number>(at / kPageSize + 1);
    if (!replaced.contains(number)) Add(number, std::string_view(file_).substr(at, kPageSize));
  }
}

void DatabasePages::Add(Number number, std::string_view bytes) {
  pages_.push_back({number, bytes});
  newest_.try_emplace(number, bytes);
}

void DatabasePages::ForEachRow(const std::function<void(const Row&)>& take) const {
  for (auto page = pages_.rbegin(); page != pages_.rend(); ++page) {
    Reader reader(page->bytes);
    if (page->number == 1) reader.Bytes(kFileHeader);
    const std::string_view header = reader.Bytes(kLeafHeader);
    if (header.empty() || header.front() != kTableLeaf) continue;
    for (std::uint64_t left = BigEndian(header.substr(3, 2)); left > 0; --left) {
      const std::uint64_t place = BigEndian(reader.Bytes(2));
      Row row;
      if (place < page->bytes.size() && ReadRow(page->bytes.substr(place), &row)) take(row);
    }
  }
}

bool DatabasePages::ReadRow(std::string_view bytes, Row* row) const {
  Reader reader(bytes);
  const std::uint64_t size = reader.Varint();
  reader.Varint();  // skips the row's number
  if (size > file_.size() + log_.size()) return false;
  const std::uint64_t here = SizeOnLeaf(size);
  std::string whole(reader.Bytes(here));
  if (reader.failed() || !ReadColumns(whole, size, row)) return false;
  const auto next = static_cast<Number>(here < size ? BigEndian(reader.Bytes(4)) : 0);
  if (!AppendChain(next, size, &whole)) return false;
  Reader values{std::string_view(whole)};
  values.Bytes(Reader(whole).Varint());
  for (Column& column : *row) {
    column.bytes = values.Bytes(column.size);
    if (column.type == Column::Type::kNumber && column.size > 0)
      column.number = BigEndian(column.bytes);
  }
  return true;
}

// Each page of the chain begins with the number of the next page.
bool DatabasePages::AppendChain(Number first, std::uint64_t size, std::string* row) const {
  for (Number number = first; row->size() < size;) {
    const auto page = newest_.find(number);
    if (page == newest_.end() || page->second.size() <= 4) return false;
    number = static_cast<Number>(BigEndian(page->second.substr(0, 4)));
    row->append(page->second.substr(4, size - row->size()));
  }
  return true;
}

}  // namespace drover
