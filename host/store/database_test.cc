// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/store/database.h"

#include <gtest/gtest.h>

#include "host/store/store_for_test.h"

namespace drover {
namespace {

TEST(DatabaseTest, BindsAndReadsWhatItIsGiven) {
  const StoreDirectory directory;
  auto database = Database::Open(directory.file());
  ASSERT_TRUE(database.ok()) << database.error().message();
  ASSERT_TRUE(database->Execute("CREATE TABLE t (n INTEGER, text TEXT, bytes BLOB)").ok());
  auto insert = database->Prepare("INSERT INTO t VALUES (?, ?, ?)");
  ASSERT_TRUE(insert.ok());
  const std::string bytes("\0x\0", 3);
  const std::string text = "it's";
  insert->Bind(1, -7);
  insert->BindText(2, text);
  insert->BindBlob(3, bytes);
  ASSERT_TRUE(insert->Run().ok());
  auto select = database->Prepare("SELECT n, text, bytes FROM t");
  ASSERT_TRUE(select.ok());
  ASSERT_TRUE(*select->Step());
  EXPECT_EQ(select->Number(0), -7);
  EXPECT_EQ(select->Text(1), text);
  EXPECT_EQ(select->Text(2), bytes);
  EXPECT_FALSE(*select->Step());
  EXPECT_EQ(*database->Number("SELECT n FROM t WHERE n > 0"), 0);
}

TEST(DatabaseTest, ReturnsTheKindOfTheFailure) {
  const StoreDirectory directory;
  WriteFileForTest(directory.file(), std::string(8192, 'x'));
  auto garbage = Database::Open(directory.file());
  ASSERT_TRUE(garbage.ok());
  EXPECT_EQ(garbage->Execute("CREATE TABLE t (n)").code(), Code::kInternal);
  EXPECT_EQ(Database::Open(directory.path() + "/none/state.db").code(), Code::kUnavailable);

  auto small = Database::Open(directory.path() + "/small.db");
  ASSERT_TRUE(small.ok());
  ASSERT_TRUE(small->Execute("CREATE TABLE t (n); PRAGMA max_page_count = 2").ok());
  const Status full = small->Execute("INSERT INTO t VALUES (randomblob(100000))");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.code(), Code::kResourceExhausted);
  EXPECT_TRUE(full.error().recoverable());
}

}  // namespace
}  // namespace drover
