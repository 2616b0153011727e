// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode_file.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(EncodeFileTest, ModesAreThoseOfGo) {
  EXPECT_EQ(FileModeText(S_IFREG | 0644), "-rw-r--r--");
  EXPECT_EQ(FileModeText(S_IFDIR | 0777), "drwxrwxrwx");
  EXPECT_EQ(FileModeText(S_IFDIR | 01777), "dtrwxrwxrwx");
  EXPECT_EQ(FileModeText(S_IFLNK | 0777), "Lrwxrwxrwx");
  EXPECT_EQ(FileModeText(S_IFREG | 06711), "ugrwx--x--x");
  EXPECT_EQ(FileModeText(S_IFCHR | 0600), "Dcrw-------");
  EXPECT_EQ(FileModeText(S_IFIFO | 0), "p---------");
  EXPECT_EQ(FileModeText(S_IFSOCK | 0), "S---------");
}

TEST(EncodeFileTest, AFrameIsWithoutWhatIsEmpty) {
  EXPECT_EQ(EncodeFrame({}), kEmptyFrame);
  EXPECT_EQ(EncodeFrame({"hello", "alloc/logs/t.stdout.0", "", 5}),
            R"({"Data":"aGVsbG8=","File":"alloc/logs/t.stdout.0","Offset":5})");
  EXPECT_EQ(EncodeFrame({"", "f", kFileDeleted, 7}),
            R"({"File":"f","FileEvent":"file deleted","Offset":7})");
}

TEST(EncodeFileTest, NamesNeedNotBeText) {
  AllocFileInfo info;
  info.name = "\xff.txt";
  info.mode = S_IFREG | 0600;
  info.size = 3;
  const auto file = EncodeFileInfo(info);
  EXPECT_EQ(file["FileMode"], "-rw-------");
  EXPECT_EQ(file["IsDir"], false);
  EXPECT_NO_THROW((void)EncodeFrame({"", info.name, "", 1}));
}

}  // namespace
}  // namespace drover
