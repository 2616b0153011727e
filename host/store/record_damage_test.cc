// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <random>

#include "host/base/seed_for_test.h"
#include "host/base/time.h"
#include "host/store/record_schema.h"
#include "host/store/store_for_test.h"
#include "host/store/write_ahead_log.h"

// A damaged file can still be opened, and the records that it then holds are right.
namespace drover {
namespace {

// While it lives, reads of these bytes of the file PATH fail as from a bad sector of a disk, for
// SQLite, too.
class BadSector {
 public:
  BadSector(const std::string& path, std::size_t begin, std::size_t size)
      : begin_(begin), end_(begin + size) {
    struct stat status{};
    EXPECT_EQ(stat(path.c_str(), &status), 0);
    inode_ = status.st_ino;
    only_ = this;
  }
  ~BadSector() { only_ = nullptr; }
  BadSector(const BadSector&) = delete;
  BadSector& operator=(const BadSector&) = delete;

  static ssize_t Read(int file, void* to, std::size_t size, off_t at) {
    struct stat status{};
    const std::size_t begin = static_cast<std::size_t>(at);
    if (only_ != nullptr && begin < only_->end_ && begin + size > only_->begin_ &&
        fstat(file, &status) == 0 && status.st_ino == only_->inode_) {
      errno = EIO;
      return -1;
    }
    return syscall(SYS_pread64, file, to, size, at);
  }

 private:
  static inline const BadSector* only_ = nullptr;
  ino_t inode_ = 0;
  const std::size_t begin_;
  const std::size_t end_;
};

}  // namespace
}  // namespace drover

extern "C" {
__attribute__((visibility("default"))) ssize_t pread(int file, void* to, std::size_t size,
                                                     off_t at) {
  return drover::BadSector::Read(file, to, size, at);
}
__attribute__((visibility("default"))) ssize_t pread64(int file, void* to, std::size_t size,
                                                       off_t at) {
  return drover::BadSector::Read(file, to, size, at);
}
}

namespace drover {
namespace {

using ::testing::_;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

constexpr int kRecords = 400;

class RecordDamageTest : public ::testing::Test {
 protected:
  RecordDamageTest() {
    const auto made = RecordFile::Open(directory_.file());
    EXPECT_TRUE(made.ok());
    EXPECT_TRUE(made->file->Apply(ChangesForTest(kRecords)).ok());
    for (int i = 0; i < kRecords; ++i) {
      const Record record = RecordForTest(i);
      expected_[record.key] = record.value;
    }
  }

  // Reads the closed file into closed_.
  void Close() { closed_ = ReadFileForTest(directory_.file()); }

  // Opens the file in a new directory, checks each record, and returns how many there are.
  std::size_t Open(const std::string& bytes, std::vector<std::string>* damage = nullptr) {
    const StoreDirectory directory;
    WriteFileForTest(directory.file(), bytes);
    return OpenIn(directory, damage);
  }

  std::size_t OpenIn(const StoreDirectory& directory, std::vector<std::string>* damage = nullptr) {
    const TimePoint began = BootClock::now();
    auto opened = RecordFile::Open(directory.file());
    EXPECT_LT(BootClock::now() - began, 5s);
    if (!opened.ok()) {
      ADD_FAILURE() << opened.error().message();
      return 0;
    }
    for (const Record& record : opened->records) {
      const auto known = expected_.find(record.key);
      EXPECT_TRUE(known != expected_.end() && known->second == record.value) << record.key.id;
    }
    if (damage != nullptr) *damage = opened->damage;
    // The file is sound again: it takes records, and the next open finds no damage.
    EXPECT_TRUE(opened->file->Apply({{{"new", "one"}, "value"}}).ok());
    const std::size_t count = opened->records.size();
    opened->file.reset();
    const auto again = RecordFile::Open(directory.file());
    EXPECT_TRUE(again.ok() && again->damage.empty() && again->records.size() == count + 1);
    return count;
  }

  // The damaged files that were kept, by their names.
  static std::map<std::string, std::string> KeptIn(const StoreDirectory& directory) {
    std::map<std::string, std::string> kept;
    for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
      const std::string name = entry.path().filename();
      if (name.find(".damaged-") != std::string::npos) kept[name] = ReadFileForTest(entry.path());
    }
    return kept;
  }

  const StoreDirectory directory_;
  std::map<RecordKey, std::string> expected_;
  std::string closed_;
};

TEST_F(RecordDamageTest, ADamagedRecordCostsItself) {
  Close();
  const Record record = RecordForTest(7);
  const std::size_t place = closed_.find(record.value.substr(10));
  ASSERT_NE(place, std::string::npos);
  closed_[place + 3] ^= 0x10;
  std::vector<std::string> damage;
  EXPECT_EQ(Open(closed_, &damage), kRecords - 1u);
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_THAT(damage[0], HasSubstr("the record " + record.key.kind + " id-7 is damaged"));
}

TEST_F(RecordDamageTest, ADamagedRecordIsKeptAside) {
  Close();
  const Record record = RecordForTest(7);
  closed_[closed_.find(record.value.substr(10)) + 3] ^= 0x10;
  const StoreDirectory directory;
  WriteFileForTest(directory.file(), closed_);
  ASSERT_TRUE(RecordFile::Open(directory.file()).ok());
  auto database = Database::Open(directory.file());
  EXPECT_EQ(*database->Text("SELECT id FROM damaged"), "id-7");
  EXPECT_EQ(*database->Number("SELECT count(*) FROM record WHERE id = 'id-7'"), 0);
}

// One bit anywhere in the file costs one record at most. In the header of a page it may cost all
// records on that page.
TEST_F(RecordDamageTest, RandomFlippedBits) {
  Close();
  constexpr int kFlips = 1000;
  constexpr std::size_t kPageHeader = 8, kFileHeader = 100, kSmallestRecord = 40;  // bytes
  SCOPED_TRACE(HowToRepeat(FirstSeed()));
  std::mt19937_64 random(FirstSeed());
  int untouched = 0;
  int damaged = 0;
  for (int i = 0; i < kFlips; ++i) {
    const std::size_t bit = random() % (closed_.size() * 8);
    SCOPED_TRACE("bit " + std::to_string(bit));
    std::string bytes = closed_;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    std::vector<std::string> damage;
    const std::size_t left = Open(bytes, &damage);
    if (left == kRecords) ++untouched;
    if (!damage.empty()) ++damaged;
    EXPECT_TRUE(left == kRecords || !damage.empty()) << "each loss is reported";
    const std::size_t place = bit / 8 < kPageSize ? bit / 8 - kFileHeader : bit / 8 % kPageSize;
    EXPECT_GE(left, kRecords - (place < kPageHeader ? kPageSize / kSmallestRecord : 1));
    if (HasFailure()) break;
  }
  EXPECT_GT(untouched, 0);
  EXPECT_GT(damaged, kFlips / 2);
}

class LogDamageTest : public RecordDamageTest {
 protected:
  static constexpr int kNew = 30;

  // A file and its log as a kill leaves them, after some records in transactions of their
  // own.
  LogDamageTest() {
    const auto opened = RecordFile::Open(directory_.file());
    EXPECT_TRUE(opened.ok());
    for (int i = 0; i < kNew; ++i) {
      const Record record = RecordForTest(1000 + i);
      expected_[record.key] = record.value;
      EXPECT_TRUE(opened->file->Apply({{record.key, record.value}}).ok());
    }
    file_ = ReadFileForTest(directory_.file());
    log_ = ReadFileForTest(directory_.file() + "-wal");
  }

  std::size_t OpenWith(const std::string& log, std::vector<std::string>* damage = nullptr) {
    const StoreDirectory directory;
    WriteFileForTest(directory.file(), file_);
    WriteFileForTest(directory.file() + "-wal", log);
    return OpenIn(directory, damage);
  }

  std::string file_;
  std::string log_;
};

// A bit costs one record at most, wherever it is: all later records are found.
TEST_F(LogDamageTest, RandomFlippedBits) {
  SCOPED_TRACE(HowToRepeat(FirstSeed()));
  std::mt19937_64 random(FirstSeed());
  for (int i = 0; i < 200; ++i) {
    const std::size_t bit = random() % (log_.size() * 8);
    SCOPED_TRACE("bit " + std::to_string(bit));
    std::string flipped = log_;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_GE(OpenWith(flipped), static_cast<std::size_t>(kRecords + kNew - 1));
    if (HasFailure()) break;
  }
}

TEST_F(LogDamageTest, IsReportedAndTheLogIsKept) {
  std::string flipped = log_;
  flipped[5000] ^= 0x10;
  const StoreDirectory directory;
  WriteFileForTest(directory.file(), file_);
  WriteFileForTest(directory.file() + "-wal", flipped);
  std::vector<std::string> damage;
  EXPECT_GE(OpenIn(directory, &damage), static_cast<std::size_t>(kRecords + kNew - 1));
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_THAT(damage[0], HasSubstr("its write-ahead log is damaged"));
  EXPECT_THAT(KeptIn(directory), ElementsAre(Pair(_, file_), Pair(EndsWith("-wal"), flipped)));
}

// A lost part of a page costs the records that were last written there; older ones are found.
TEST_F(LogDamageTest, ZeroFill) {
  SCOPED_TRACE(HowToRepeat(FirstSeed()));
  std::mt19937_64 random(FirstSeed());
  for (int i = 0; i < 60; ++i) {
    std::string zeroed = log_;
    const std::size_t begin = random() % log_.size();
    const std::size_t size = std::min<std::size_t>(random() % 16384, log_.size() - begin);
    SCOPED_TRACE(std::to_string(size) + " from " + std::to_string(begin));
    std::memset(zeroed.data() + begin, 0, size);
    EXPECT_GE(OpenWith(zeroed), static_cast<std::size_t>(kRecords));
  }
}

// A kill in the middle of a write truncates the log. That is no damage, and earlier commits count.
TEST_F(LogDamageTest, Truncation) {
  std::size_t before = kRecords;
  for (std::size_t size = 0; size < log_.size(); size += 1030) {
    SCOPED_TRACE("truncated to " + std::to_string(size));
    std::vector<std::string> damage;
    const std::size_t left = OpenWith(log_.substr(0, size), &damage);
    EXPECT_THAT(damage, IsEmpty());
    EXPECT_GE(left, before);
    before = left;
  }
  EXPECT_GE(before, static_cast<std::size_t>(kRecords + kNew - 1));
}

TEST_F(LogDamageTest, WhatTheDiskCannotGiveBackCostsWhatIsThere) {
  for (std::size_t at = 0; at < log_.size(); at += kPageSize) {
    SCOPED_TRACE("from " + std::to_string(at));
    const StoreDirectory directory;
    WriteFileForTest(directory.file(), file_);
    WriteFileForTest(LogOf(directory.file()), log_);
    const BadSector bad(LogOf(directory.file()), at + 512, 512);
    std::vector<std::string> damage;
    EXPECT_GE(OpenIn(directory, &damage), static_cast<std::size_t>(kRecords));
    EXPECT_THAT(damage, ElementsAre(HasSubstr("state.db.damaged-")));
    if (HasFailure()) break;
  }
}

TEST_F(LogDamageTest, AnEmptyFileIsMadeOfItsLog) {
  file_.clear();
  std::vector<std::string> damage;
  EXPECT_GE(OpenWith(log_, &damage), static_cast<std::size_t>(kNew));
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_THAT(damage[0], HasSubstr("it is empty, but its write-ahead log is not"));
}

// A deleted record does not come back, and a changed one comes back in its newest version.
TEST_F(RecordDamageTest, WhatIsNoMoreIsNotSalvaged) {
  constexpr int kTurns = 40;
  SCOPED_TRACE(HowToRepeat(FirstSeed()));
  std::mt19937_64 random(FirstSeed());
  const StoreDirectory directory;
  std::map<RecordKey, std::string> now;
  auto opened = RecordFile::Open(directory.file());
  for (int turn = 0; turn < kTurns; ++turn) {
    std::vector<RecordChange> changes;
    for (int i = 0; i < 50; ++i) {
      Record record = RecordForTest(static_cast<int>(random() % 300));
      record.value.resize(random() % (random() % 10 == 0 ? 9000 : 900), 'x');
      if (random() % 3 == 0) {
        changes.push_back({record.key, std::nullopt});
        now.erase(record.key);
      } else {
        changes.push_back({record.key, record.value});
        now[record.key] = record.value;
      }
    }
    ASSERT_TRUE(opened->file->Apply(changes).ok());
    if (turn % 7 == 0) ASSERT_TRUE(opened->file->Checkpoint().ok());
    const auto salvaged = SalvageRecords(directory.file());
    ASSERT_TRUE(salvaged.ok());
    EXPECT_EQ(salvaged->version, kRecordSchemaVersion);
    ASSERT_EQ(salvaged->records, now) << "turn " << turn;
  }
}

TEST_F(RecordDamageTest, Truncation) {
  Close();
  for (std::size_t size = 0; size < closed_.size(); size += size < 8192 ? 512 : 4096) {
    SCOPED_TRACE("truncated to " + std::to_string(size));
    const std::size_t left = Open(closed_.substr(0, size));
    // The records on the remaining pages are found.
    EXPECT_GE(left + 2 * kPageSize / 40, kRecords * size / closed_.size());
  }
}

TEST_F(RecordDamageTest, ZeroFill) {
  Close();
  EXPECT_EQ(Open(std::string(closed_.size(), '\0')), 0u);
  std::string front = closed_;
  std::memset(front.data(), 0, 4096);
  EXPECT_EQ(Open(front), static_cast<std::size_t>(kRecords));
  std::string back = closed_;
  std::memset(back.data() + back.size() / 2, 0, back.size() / 2);
  EXPECT_GT(Open(back), 0u);
}

TEST_F(RecordDamageTest, WhatTheDiskCannotGiveBackCostsWhatIsThere) {
  Close();
  for (std::size_t at = 0; at < closed_.size(); at += kPageSize) {
    SCOPED_TRACE("from " + std::to_string(at));
    const StoreDirectory directory;
    WriteFileForTest(directory.file(), closed_);
    const BadSector bad(directory.file(), at + 512, 512);
    std::vector<std::string> damage;
    EXPECT_GE(OpenIn(directory, &damage) + kPageSize / 40, static_cast<std::size_t>(kRecords));
    EXPECT_THAT(damage, ElementsAre(HasSubstr("state.db.damaged-")));
    if (HasFailure()) break;
  }
}

TEST_F(RecordDamageTest, ADiskThatGivesNothingBackIsLeftAlone) {
  Close();
  const StoreDirectory directory;
  WriteFileForTest(directory.file(), closed_);
  {
    const BadSector bad(directory.file(), 0, closed_.size());
    const auto refused = RecordFile::Open(directory.file());
    ASSERT_FALSE(refused.ok());
    EXPECT_THAT(refused.error().message(), HasSubstr("Input/output error"));
  }
  EXPECT_EQ(OpenIn(directory), static_cast<std::size_t>(kRecords));
}

TEST_F(RecordDamageTest, ADamagedFileIsKeptUnderAnotherName) {
  Close();
  closed_.resize(closed_.size() / 2);
  const StoreDirectory directory;
  WriteFileForTest(directory.file(), closed_);
  std::vector<std::string> damage;
  OpenIn(directory, &damage);
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_THAT(damage[0], HasSubstr("state.db.damaged-"));
  EXPECT_THAT(KeptIn(directory), ElementsAre(Pair(_, closed_)));
}

TEST_F(RecordDamageTest, WhatIsNoDatabaseOrAnotherOne) {
  EXPECT_EQ(Open("not a database"), 0u);
  const StoreDirectory directory;
  {
    auto other = Database::Open(directory.file());
    ASSERT_TRUE(other->Execute("CREATE TABLE record (something)").ok());
  }
  EXPECT_EQ(OpenIn(directory), 0u);
}

TEST_F(RecordDamageTest, ARebuildThatWasKilledIsFinished) {
  Close();
  const StoreDirectory begun;  // the damaged file still has its name
  WriteFileForTest(begun.file(), closed_);
  WriteFileForTest(begun.file() + ".new", "half");
  EXPECT_EQ(OpenIn(begun), static_cast<std::size_t>(kRecords));
  EXPECT_FALSE(std::filesystem::exists(begun.file() + ".new"));

  const StoreDirectory renamed;  // the damaged file has lost its name
  WriteFileForTest(renamed.file() + ".new", closed_);
  WriteFileForTest(renamed.file() + ".damaged-x", "damaged");
  WriteFileForTest(renamed.file() + "-wal", "the log of the damaged one");
  EXPECT_EQ(OpenIn(renamed), static_cast<std::size_t>(kRecords));
  EXPECT_THAT(KeptIn(renamed), Contains(Pair(HasSubstr("-wal"), "the log of the damaged one")));
}

TEST_F(RecordDamageTest, AFileSystemThatBecameReadOnlyIsNoDamage) {
  const StoreDirectory disk;
  if (geteuid() != 0) GTEST_SKIP() << "only root can mount a small tmpfs";
  ASSERT_EQ(mount("tmpfs", disk.path().c_str(), "tmpfs", 0, "size=4m"), 0) << strerror(errno);
  Close();
  WriteFileForTest(disk.file(), closed_);
  const auto remount = [&disk](unsigned long flags) {
    return mount("tmpfs", disk.path().c_str(), "tmpfs", MS_REMOUNT | flags, "size=4m");
  };
  ASSERT_EQ(remount(MS_RDONLY), 0) << strerror(errno);
  {
    const auto opened = RecordFile::Open(disk.file());
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.code(), Code::kUnavailable) << opened.error().message();
    EXPECT_TRUE(opened.error().recoverable());
  }
  ASSERT_EQ(remount(0), 0) << strerror(errno);
  {
    const auto again = RecordFile::Open(disk.file());
    EXPECT_TRUE(again.ok() && again->damage.empty() && again->records.size() == kRecords);
  }
  EXPECT_EQ(umount2(disk.path().c_str(), MNT_DETACH), 0);
}

TEST_F(RecordDamageTest, ADamagedFileOnAFullDiskIsReadAndMadeAnewLater) {
  const StoreDirectory disk;
  if (geteuid() != 0) GTEST_SKIP() << "only root can mount a small tmpfs";
  ASSERT_EQ(mount("tmpfs", disk.path().c_str(), "tmpfs", 0, "size=1m"), 0) << strerror(errno);
  Close();
  closed_.resize(closed_.size() - 8192);
  for (const std::size_t room : {0u, 4096u, 65536u}) {
    SCOPED_TRACE("with room for " + std::to_string(room));
    WriteFileForTest(disk.file(), closed_);
    const std::string filler = disk.path() + "/filler";
    WriteFileForTest(filler, std::string(2 << 20, 'x'));
    std::error_code ignored;
    std::filesystem::resize_file(filler, std::filesystem::file_size(filler) - room, ignored);
    std::size_t count = 0;
    {
      auto opened = RecordFile::Open(disk.file());
      ASSERT_TRUE(opened.ok()) << opened.error().message();
      count = opened->records.size();
      EXPECT_GT(count, kRecords / 2u);
      ASSERT_THAT(opened->damage, SizeIs(1));
      EXPECT_THAT(opened->damage[0], HasSubstr("no new file can be made now"));
      EXPECT_EQ(opened->file->Apply({{{"new", "one"}, "value"}}).code(), Code::kResourceExhausted);
      EXPECT_EQ(ReadFileForTest(disk.file()), closed_) << "it is as it was";
      std::filesystem::remove(filler);
      EXPECT_TRUE(opened->file->Apply({{{"new", "one"}, "value"}}).ok());
    }
    const auto again = RecordFile::Open(disk.file());
    EXPECT_TRUE(again.ok() && again->damage.empty() && again->records.size() == count + 1);
    for (const auto& entry : std::filesystem::directory_iterator(disk.path()))
      std::filesystem::remove(entry.path());
  }
  EXPECT_EQ(umount2(disk.path().c_str(), MNT_DETACH), 0);
}

TEST_F(RecordDamageTest, AFullDiskRefusesWhatIsNewAndKeepsTheRest) {
  const StoreDirectory disk;
  if (geteuid() != 0) GTEST_SKIP() << "only root can mount a small tmpfs";
  ASSERT_EQ(mount("tmpfs", disk.path().c_str(), "tmpfs", 0, "size=1m"), 0) << strerror(errno);
  Close();
  WriteFileForTest(disk.file(), closed_);
  const std::string filler = disk.path() + "/filler";
  for (const std::size_t room : {0u, 4096u, 65536u}) {
    SCOPED_TRACE("with room for " + std::to_string(room));
    std::string rest(2 << 20, 'x');
    WriteFileForTest(filler, rest);
    std::error_code ignored;
    std::filesystem::resize_file(filler, std::filesystem::file_size(filler) - room, ignored);
    auto opened = RecordFile::Open(disk.file());
    EXPECT_TRUE(opened.ok()) << opened.error().message();
    if (!opened.ok()) break;
    EXPECT_GE(opened->records.size(), static_cast<std::size_t>(kRecords));
    const Status full = opened->file->Apply({{{"new", "one"}, std::string(100000, 'n')}});
    EXPECT_EQ(full.code(), Code::kResourceExhausted);
    std::filesystem::remove(filler);
    EXPECT_TRUE(opened->file->Apply({{{"new", "one"}, std::string(1000, 'n')}}).ok());
    EXPECT_TRUE(opened->file->Apply({{{"new", "one"}, std::nullopt}}).ok());
  }
  EXPECT_EQ(umount2(disk.path().c_str(), MNT_DETACH), 0);
}

}  // namespace
}  // namespace drover
