// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/record_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "host/store/checksum.h"
#include "host/store/record_schema.h"
#include "host/store/store_for_test.h"
#include "host/store/write_ahead_log.h"

namespace drover {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

std::vector<Record> ReadBack(const StoreDirectory& directory) {
  const auto opened = RecordFile::Open(directory.file());
  EXPECT_TRUE(opened.ok());
  EXPECT_THAT(opened->damage, IsEmpty());
  return opened->records;
}

TEST(RecordFileTest, KeepsWhatWasPutAndForgetsWhatWasErased) {
  const StoreDirectory directory;
  const std::string binary("\0\xff'\n", 4);
  {
    const auto opened = RecordFile::Open(directory.file());
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    EXPECT_THAT(opened->records, IsEmpty());
    ASSERT_TRUE(
        opened->file->Apply({{{"a", "1"}, "old"}, {{"a", "2"}, "gone"}, {{"b", "1"}, ""}}).ok());
    ASSERT_TRUE(opened->file->Apply({{{"a", "1"}, binary}, {{"a", "2"}, std::nullopt}}).ok());
  }
  EXPECT_THAT(ReadBack(directory),
              UnorderedElementsAre(Record{{"a", "1"}, binary}, Record{{"b", "1"}, ""}));
}

TEST(RecordFileTest, WhatWasAppliedSurvivesAnOpenFileThatIsNeverClosed) {
  const StoreDirectory directory;
  const StoreDirectory copy;
  const auto opened = RecordFile::Open(directory.file());
  ASSERT_TRUE(opened.ok());
  ASSERT_TRUE(opened->file->Apply(ChangesForTest(100)).ok());
  std::filesystem::copy(
      directory.path(), copy.path(),
      std::filesystem::copy_options::recursive | std::filesystem::copy_options::overwrite_existing);
  EXPECT_EQ(ReadBack(copy).size(), 100u);
  ASSERT_TRUE(opened->file->Checkpoint().ok());
  EXPECT_LT(opened->file->LogSize(), 2 * static_cast<std::int64_t>(kPageSize));
}

TEST(RecordFileTest, ALargeFileTakesLittleMemory) {
  constexpr std::int64_t kMost = 400 << 10;  // bytes, for a file of more than 4 MiB
  const StoreDirectory directory;
  {
    const auto opened = RecordFile::Open(directory.file());
    ASSERT_TRUE(opened.ok());
    for (int i = 0; i < 50; ++i) {
      std::vector<RecordChange> changes;
      for (int j = 0; j < 10; ++j) {
        changes.push_back({{"a", std::to_string(10 * i + j)}, std::string(10'000, 'x')});
      }
      ASSERT_TRUE(opened->file->Apply(changes).ok());
    }
    EXPECT_GT(opened->file->CacheBytes(), 0);
    EXPECT_LT(opened->file->CacheBytes(), kMost) << "after writes";
    ASSERT_TRUE(opened->file->Checkpoint().ok());
  }
  const auto opened = RecordFile::Open(directory.file());
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(opened->records.size(), 500u);
  EXPECT_LT(opened->file->CacheBytes(), kMost) << "after it was read";
}

TEST(RecordFileTest, AFileHasOneUser) {
  const StoreDirectory directory;
  const auto opened = RecordFile::Open(directory.file());
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ(RecordFile::Open(directory.file()).code(), Code::kFailedPrecondition);
}

TEST(RecordFileTest, AnOlderFileIsBroughtUpToDate) {
  const StoreDirectory directory;
  {
    auto old = Database::Open(directory.file());
    ASSERT_TRUE(old.ok());
    ASSERT_TRUE(PrepareRecordSchema(&*old, 1).ok());
    EXPECT_EQ(*old->Number("PRAGMA user_version"), 1);
    EXPECT_EQ(*old->Number("SELECT count(*) FROM sqlite_schema WHERE name = 'damaged'"), 0);
  }
  ASSERT_TRUE(RecordFile::Open(directory.file()).ok());
  auto now = Database::Open(directory.file());
  ASSERT_TRUE(now.ok());
  EXPECT_EQ(*now->Number("PRAGMA user_version"), kRecordSchemaVersion);
  EXPECT_EQ(*now->Number("SELECT count(*) FROM sqlite_schema WHERE name = 'damaged'"), 1);
}

// Turns FILE into one of a newer program, with the right checksum, as that would write it.
void MakeNewer(Database* file) {
  const std::string sum = std::to_string(ChecksumOf({{"meta", "version"}, "99"}));
  const std::string sql =
      "UPDATE meta SET value = '99', sum = " + sum + "; PRAGMA user_version = 99";
  ASSERT_TRUE(file->Execute(sql.c_str()).ok());
}

void ExpectNewerIsRefused(const StoreDirectory& directory) {
  const auto refused = RecordFile::Open(directory.file());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.code(), Code::kUnimplemented);
  EXPECT_THAT(refused.error().message(), HasSubstr("newer version"));
}

TEST(RecordFileTest, ANewerFileIsRefusedAndNotTouched) {
  const StoreDirectory directory;
  ASSERT_TRUE(RecordFile::Open(directory.file())->file->Apply(ChangesForTest(5)).ok());
  {
    auto newer = Database::Open(directory.file());
    MakeNewer(&*newer);
  }
  const std::string before = ReadFileForTest(directory.file());
  ExpectNewerIsRefused(directory);
  EXPECT_EQ(ReadFileForTest(directory.file()), before);
  EXPECT_FALSE(std::filesystem::exists(LogOf(directory.file())));
}

TEST(RecordFileTest, TheLogOfANewerFileIsNotTouched) {
  const StoreDirectory directory;
  ASSERT_TRUE(RecordFile::Open(directory.file())->file->Apply(ChangesForTest(5)).ok());
  auto newer = Database::Open(directory.file());
  MakeNewer(&*newer);
  const StoreDirectory killed;  // as a kill of that program leaves it
  for (const char* end : {"", "-wal"})
    std::filesystem::copy(directory.file() + end, killed.file() + end);
  const std::string file = ReadFileForTest(killed.file());
  const std::string log = ReadFileForTest(LogOf(killed.file()));
  ASSERT_FALSE(log.empty());
  ExpectNewerIsRefused(killed);
  EXPECT_EQ(ReadFileForTest(killed.file()), file);
  EXPECT_EQ(ReadFileForTest(LogOf(killed.file())), log);
}

}  // namespace
}  // namespace drover
