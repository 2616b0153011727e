// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/file_tail.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

class FileTailTest : public ::testing::Test {
 protected:
  FileTailTest() {
    fs::create_directories(base_.path() + "/id/web/local");
    Result<AllocFiles> files = AllocFiles::Open(base_.path(), "id");
    if (files.ok()) files_ = std::make_shared<const AllocFiles>(std::move(*files));
  }

  std::string Path() const { return base_.path() + "/id/web/local/file"; }
  void Write(const std::string& text) const { std::ofstream(Path(), std::ios::app) << text; }
  FileTail Open(ReadStart start = {}) const {
    Result<FileTail> tail = FileTail::Open(files_, "web/local/file", start);
    EXPECT_TRUE(tail.ok());
    return std::move(*tail);
  }
  static std::string Next(FileTail* tail) {
    const FileTail::Step step = tail->Read();
    switch (step.state) {
      case FileTail::State::kMore:
        return step.data;
      case FileTail::State::kEnd:
        return "[end]";
      case FileTail::State::kTruncated:
        return "[truncated]";
      case FileTail::State::kDeleted:
        return "[deleted]";
    }
    return "";
  }

  const DirectoryForTest base_{::testing::TempDir()};
  std::shared_ptr<const AllocFiles> files_;
};

TEST_F(FileTailTest, ReadsOnAsTheFileGrows) {
  Write("0123456789");
  FileTail tail = Open();
  EXPECT_EQ(Next(&tail), "0123456789");
  EXPECT_EQ(tail.offset(), 10);
  EXPECT_EQ(Next(&tail), "[end]");
  Write("more");
  EXPECT_EQ(Next(&tail), "more");
  EXPECT_EQ(tail.offset(), 14);
}

TEST_F(FileTailTest, BeginsWhereItIsTold) {
  Write("0123456789");
  const std::pair<ReadStart, const char*> table[] = {{{false, 4}, "456789"},
                                                     {{false, 99}, "[end]"},
                                                     {{true, 3}, "789"},
                                                     {{true, 0}, "[end]"},
                                                     {{true, 99}, "0123456789"}};
  for (const auto& [start, text] : table) {
    FileTail tail = Open(start);
    EXPECT_EQ(Next(&tail), text) << start.from_end << " " << start.offset;
  }
}

TEST_F(FileTailTest, AFileThatIsCutBeginsAgain) {
  Write("0123456789");
  FileTail tail = Open();
  EXPECT_EQ(Next(&tail), "0123456789");
  fs::resize_file(Path(), 2);
  EXPECT_EQ(Next(&tail), "[truncated]");
  EXPECT_EQ(Next(&tail), "01");
}

TEST_F(FileTailTest, AFileWithoutItsNameIsReadToItsEnd) {
  Write("last words");
  FileTail removed = Open();
  FileTail renamed = Open();
  FileTail replaced = Open();
  fs::rename(Path(), Path() + ".1");
  EXPECT_EQ(Next(&renamed), "last words");
  EXPECT_EQ(Next(&renamed), "[deleted]");
  Write("another one");
  EXPECT_EQ(Next(&replaced), "last words");
  EXPECT_EQ(Next(&replaced), "[deleted]");
  fs::remove(Path() + ".1");
  fs::remove(Path());
  EXPECT_EQ(Next(&removed), "last words");
  EXPECT_EQ(Next(&removed), "[deleted]");
}

}  // namespace
}  // namespace drover
