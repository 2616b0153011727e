// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_reader.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "host/logs/log_directory_for_test.h"

namespace drover {
namespace {

class LogReaderTest : public ::testing::Test {
 protected:
  LogReaderTest() : reader_(dir_.path(), "web", "stdout", LogStart()) {}

  // Everything that can be read now. A truncation appears as its file name in brackets.
  std::string Rest() {
    std::string text;
    while (true) {
      const LogReader::Step step = reader_.Read(4);
      if (step.chunk) {
        text += step.chunk->data;
        if (step.chunk->event == LogEvent::kTruncated) text += "[" + step.chunk->file + "]";
      }
      if (!step.more) return text;
    }
  }
  void Rename(const std::string& from, const std::string& to) {
    std::filesystem::rename(dir_.path() + "/" + from, dir_.path() + "/" + to);
  }

  LogDirectoryForTest dir_;
  LogReader reader_;
};

TEST_F(LogReaderTest, ReadsOnThroughGaps) {
  EXPECT_EQ(Rest(), "");
  dir_.Write("web.stdout.2", "first ");
  EXPECT_EQ(Rest(), "first ");
  dir_.Write("web.stdout.2", "second ");
  dir_.Write("web.stdout.13", "third");
  EXPECT_EQ(Rest(), "second third");
  EXPECT_EQ(Rest(), "");
}

TEST_F(LogReaderTest, WhatItHasOpenedItReadsToTheEnd) {
  dir_.Write("web.stdout.0", "abcdefgh");
  reader_.Read(4);  // opens it
  EXPECT_EQ(reader_.Read(4).chunk->data, "abcd");
  dir_.Remove("web.stdout.0");
  EXPECT_EQ(Rest(), "efgh");
  dir_.Write("web.stdout.7", "seven");
  EXPECT_EQ(Rest(), "seven");
}

TEST_F(LogReaderTest, AFileThatIsCutOrReplacedBeginsAgain) {
  dir_.Write("web.stdout.0", "abcdefgh");
  EXPECT_EQ(Rest(), "abcdefgh");
  std::filesystem::resize_file(dir_.path() + "/web.stdout.0", 0);
  dir_.Write("web.stdout.0", "new");
  EXPECT_EQ(Rest(), "[web.stdout.0]new");
  dir_.Write("other", "another");
  Rename("other", "web.stdout.0");
  EXPECT_EQ(Rest(), "[web.stdout.0]another");
}

TEST_F(LogReaderTest, WhatIsNotAFileIsPassedBy) {
  dir_.Write("web.stdout.0", "zero ");
  EXPECT_EQ(Rest(), "zero ");
  ASSERT_EQ(symlinkat("/etc/passwd", dir_.fd(), "web.stdout.1"), 0);
  ASSERT_EQ(mkfifoat(dir_.fd(), "web.stdout.2", 0600), 0);
  ASSERT_EQ(mkdirat(dir_.fd(), "web.stdout.3", 0700), 0);
  ASSERT_EQ(symlinkat("web.stdout.0", dir_.fd(), "web.stdout.4"), 0);
  dir_.Write("web.stdout.5", "five");
  EXPECT_EQ(Rest(), "five");
}

TEST_F(LogReaderTest, ADirectoryThatIsSwappedIsNotFollowed) {
  dir_.Write("web.stdout.0", "mine ");
  EXPECT_EQ(Rest(), "mine ");
  const LogDirectoryForTest other;
  other.Write("web.stdout.0", "not mine");
  other.Write("web.stdout.1", "not mine");
  const std::string moved = dir_.path() + "-moved";
  std::filesystem::rename(dir_.path(), moved);
  std::filesystem::create_symlink(other.path(), dir_.path());
  std::ofstream(moved + "/web.stdout.1") << "still mine";
  EXPECT_EQ(Rest(), "still mine");
  // A log directory that was a link from the start is not opened.
  LogReader late(dir_.path(), "web", "stdout", LogStart());
  EXPECT_FALSE(late.Read(10).more);
  std::filesystem::remove_all(moved);
}

// A stream that does not exist yet ends at its beginning.
TEST_F(LogReaderTest, FromTheEndMissesNothingOfATaskThatHasSaidNothingYet) {
  for (const std::int64_t before : {0, 2}) {
    const std::string path = dir_.path() + "/" + std::to_string(before);
    LogReader reader(path, "web", "stdout", {.from_end = true, .offset = before});
    EXPECT_FALSE(reader.Read(10).more);  // no directory
    std::filesystem::create_directory(path);
    EXPECT_FALSE(reader.Read(10).more);  // no file
    std::ofstream(path + "/web.stdout.0") << "first";
    std::string text;
    for (bool more = true; more;) {
      const LogReader::Step step = reader.Read(10);
      if (step.chunk) text += step.chunk->data;
      more = step.more;
    }
    EXPECT_EQ(text, "first");
  }
}

TEST_F(LogReaderTest, ReportsWhenTheFirstEndIsReached) {
  dir_.Write("web.stdout.0", "abcd");
  dir_.Write("web.stdout.1", "ef");
  std::string text;
  LogReader::Step step;
  while (!step.past_first_end) {
    step = reader_.Read(4);
    ASSERT_TRUE(step.more);
    if (!step.chunk) continue;
    text += step.chunk->data;
    dir_.Write("web.stdout.2", "later");  // later than the first end
  }
  EXPECT_EQ(text, "abcdef");
}

}  // namespace
}  // namespace drover
