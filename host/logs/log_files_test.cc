// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <limits>

#include "host/logs/log_directory_for_test.h"

namespace drover {
namespace {

TEST(ClosestLogPositionTest, TableOfFourFilesOfAHundredBytes) {
  const std::vector<LogFile> files = {{0, 100}, {1, 100}, {2, 100}, {3, 100}};
  constexpr int kMaxIndex = std::numeric_limits<int>::max();
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  struct Row {
    int index;
    std::int64_t offset;
    LogPosition want;
  };
  const std::vector<Row> rows = {{0, 0, {0, 0}},
                                 {0, -100, {0, 0}},
                                 {1, -1000, {0, 0}},
                                 {1, 0, {1, 0}},
                                 {1, 10, {1, 10}},
                                 {1, 110, {2, 10}},
                                 {kMaxIndex, 0, {3, 0}},
                                 {kMaxIndex, -10, {3, 90}},
                                 {1, -150, {0, 50}},
                                 {kMaxIndex, kMax, {3, 100}},
                                 {kMaxIndex, -kMax - 1, {0, 0}}};
  for (const Row& row : rows) {
    EXPECT_EQ(ClosestLogPosition(files, row.index, row.offset), row.want)
        << row.index << " / " << row.offset;
  }
}

TEST(ClosestLogPositionTest, MissingIndexMeansTheNext) {
  const std::vector<LogFile> files = {{2, 10}, {13, 10}};
  EXPECT_EQ(ClosestLogPosition(files, 0, 3), (LogPosition{2, 3}));
  EXPECT_EQ(ClosestLogPosition(files, 5, 0), (LogPosition{13, 0}));
}

TEST(ListLogFilesTest, SeesOnlyRegularFilesOfTheStream) {
  const LogDirectoryForTest dir;
  dir.Write("web.stdout.0", "abc");
  dir.Write("web.stdout.10", "abcd");
  dir.Write("web.stdout.2", "");
  for (const char* other : {"web.stderr.0", "web.stdout.01", "web.stdout.x", "web.stdout.",
                            "web.stdout.-1", "webby.stdout.0", "web.stdout.99999999999"}) {
    dir.Write(other, "x");
  }
  ASSERT_EQ(symlinkat("/etc/passwd", dir.fd(), "web.stdout.3"), 0);
  ASSERT_EQ(mkfifoat(dir.fd(), "web.stdout.4", 0600), 0);
  EXPECT_EQ(ListLogFiles(dir.fd(), "web", "stdout").value(),
            (std::vector<LogFile>{{0, 3}, {2, 0}, {10, 4}}));
  EXPECT_FALSE(OpenLogFile(dir.fd(), "web", "stdout", 3).ok());
  EXPECT_EQ(OpenLogFile(dir.fd(), "web", "stdout", 4).code(), Code::kInvalidArgument);
  EXPECT_EQ(OpenLogFile(dir.fd(), "web", "stdout", 5).code(), Code::kNotFound);
  EXPECT_TRUE(OpenLogFile(dir.fd(), "web", "stdout", 10).ok());
}

TEST(OpenLogFileTest, RefusesASecondName) {
  const LogDirectoryForTest dir;
  dir.Write("secret", "x");
  ASSERT_EQ(linkat(dir.fd(), "secret", dir.fd(), "web.stdout.0", 0), 0);
  EXPECT_EQ(OpenLogFile(dir.fd(), "web", "stdout", 0).code(), Code::kInvalidArgument);
  EXPECT_TRUE(ListLogFiles(dir.fd(), "web", "stdout").value().empty());
}

TEST(OpenLogDirectoryTest, FollowsNoLinkAndStaysBelow) {
  const LogDirectoryForTest dir;
  std::filesystem::create_directories(dir.path() + "/alloc/logs");
  std::filesystem::create_directories(dir.path() + "/other/logs");
  EXPECT_TRUE(OpenLogDirectory(dir.fd(), "alloc/logs").ok());
  EXPECT_EQ(OpenLogDirectory(dir.fd(), "alloc/none").code(), Code::kNotFound);
  ASSERT_EQ(symlinkat("other", dir.fd(), "link"), 0);
  ASSERT_EQ(symlinkat("/etc", dir.fd(), "alloc/etc"), 0);
  dir.Write("file", "x");
  for (const char* bad : {"link/logs", "alloc/etc", "../", "/etc", "alloc/../..", "file", ""}) {
    EXPECT_FALSE(OpenLogDirectory(dir.fd(), bad).ok()) << bad;
  }
}

}  // namespace
}  // namespace drover
