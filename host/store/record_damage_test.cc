// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mount.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <map>
#include <random>

#include "host/base/seed_for_test.h"
#include "host/base/time.h"
#include "host/store/store_for_test.h"

// A file that was damaged is opened all the same, and what it then holds is right.
namespace drover {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
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

  // The file as it was closed.
  void Close() { closed_ = ReadFileForTest(directory_.file()); }

  // Opens the file in a new directory and says how many records are there, each of which is right.
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
    // It is as good as new: it takes records, and nothing is damaged the next time.
    EXPECT_TRUE(opened->file->Apply({{{"new", "one"}, "value"}}).ok());
    const std::size_t count = opened->records.size();
    opened->file.reset();
    const auto again = RecordFile::Open(directory.file());
    EXPECT_TRUE(again.ok() && again->damage.empty() && again->records.size() == count + 1);
    return count;
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

// One bit anywhere in the file: at most what was on its page is lost.
TEST_F(RecordDamageTest, RandomFlippedBits) {
  Close();
  constexpr int kFlips = 1000;
  SCOPED_TRACE(HowToRepeat(FirstSeed()));
  std::mt19937_64 random(FirstSeed());
  int untouched = 0;
  int emptied = 0;
  for (int i = 0; i < kFlips; ++i) {
    const std::size_t bit = random() % (closed_.size() * 8);
    SCOPED_TRACE("bit " + std::to_string(bit));
    std::string bytes = closed_;
    bytes[bit / 8] = static_cast<char>(bytes[bit / 8] ^ (1 << (bit % 8)));
    const std::size_t left = Open(bytes);
    if (left == kRecords) ++untouched;
    if (left == 0) ++emptied;
    // The smallest records are 40 bytes long.
    if (left > 0) EXPECT_GE(left, kRecords - 4096u / 40);
    if (HasFailure()) break;
  }
  RecordProperty("untouched", untouched);
  RecordProperty("emptied", emptied);
  EXPECT_GT(untouched, 0);
  EXPECT_LE(emptied, kFlips / 100);
}

// The log of what was written last: what comes before the damage counts.
TEST_F(RecordDamageTest, RandomFlippedBitsOfTheLog) {
  auto opened = RecordFile::Open(directory_.file());
  ASSERT_TRUE(opened.ok());
  for (int i = 0; i < 30; ++i) {
    const Record record = RecordForTest(1000 + i);
    expected_[record.key] = record.value;
    ASSERT_TRUE(opened->file->Apply({{record.key, record.value}}).ok());
  }
  const std::string bytes = ReadFileForTest(directory_.file());
  const std::string log = ReadFileForTest(directory_.file() + "-wal");
  SCOPED_TRACE(HowToRepeat(FirstSeed()));
  std::mt19937_64 random(FirstSeed());
  for (int i = 0; i < 200; ++i) {
    const std::size_t bit = random() % (log.size() * 8);
    SCOPED_TRACE("bit " + std::to_string(bit));
    std::string flipped = log;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const StoreDirectory directory;
    WriteFileForTest(directory.file(), bytes);
    WriteFileForTest(directory.file() + "-wal", flipped);
    EXPECT_GE(OpenIn(directory), static_cast<std::size_t>(kRecords));
    if (HasFailure()) break;
  }
}

TEST_F(RecordDamageTest, Truncation) {
  Close();
  for (std::size_t size = 0; size < closed_.size(); size += size < 8192 ? 512 : 4096) {
    SCOPED_TRACE("truncated to " + std::to_string(size));
    const std::size_t left = Open(closed_.substr(0, size));
    // Nothing is read of a file without its tables; else what is on the pages that are there.
    if (size >= closed_.size() / 2) EXPECT_GT(left, 0u);
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

TEST_F(RecordDamageTest, ADamagedFileIsKeptUnderAnotherName) {
  Close();
  closed_.resize(closed_.size() / 2);
  const StoreDirectory directory;
  WriteFileForTest(directory.file(), closed_);
  std::vector<std::string> damage;
  OpenIn(directory, &damage);
  ASSERT_THAT(damage, SizeIs(1));
  EXPECT_THAT(damage[0], HasSubstr("state.db.damaged-"));
  std::vector<std::string> kept;
  for (const auto& entry : std::filesystem::directory_iterator(directory.path())) {
    const std::string name = entry.path().filename();
    if (name != "state.db" && name != "state.db-wal") kept.push_back(name);
  }
  ASSERT_THAT(kept, SizeIs(1));
  EXPECT_EQ(ReadFileForTest(directory.path() + "/" + kept[0]), closed_);
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
  const StoreDirectory begun;  // the damaged one still has its name
  WriteFileForTest(begun.file(), closed_);
  WriteFileForTest(begun.file() + ".new", "half");
  WriteFileForTest(begun.file() + ".copy", "half");
  EXPECT_EQ(OpenIn(begun), static_cast<std::size_t>(kRecords));
  EXPECT_FALSE(std::filesystem::exists(begun.file() + ".new"));
  EXPECT_FALSE(std::filesystem::exists(begun.file() + ".copy"));

  const StoreDirectory renamed;  // it has lost it
  WriteFileForTest(renamed.file() + ".new", closed_);
  WriteFileForTest(renamed.file() + ".damaged-x", "damaged");
  EXPECT_EQ(OpenIn(renamed), static_cast<std::size_t>(kRecords));
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
