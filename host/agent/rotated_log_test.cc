// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/rotated_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

class RotatedLogTest : public ::testing::Test {
 protected:
  RotatedLogTest() { options_.path = made_.path() + "/drover.log"; }

  std::unique_ptr<RotatedLog> Open() {
    Result<std::unique_ptr<RotatedLog>> file = RotatedLog::Open(options_, [this] { return now_; });
    EXPECT_TRUE(file.ok()) << file.error().message();
    return std::move(*file);
  }
  static void Write(RotatedLog* file, std::string_view line) {
    while (!line.empty()) ASSERT_TRUE(file->WriteSome(&line));
  }
  std::string Read(const std::string& name = "drover.log") const {
    std::stringstream text;
    text << std::ifstream(made_.path() + "/" + name).rdbuf();
    return text.str();
  }
  std::set<std::string> Names() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(made_.path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  // The name of the file that a rotation at NOW leaves.
  static std::string Older(WallTime now) { return "drover-" + std::to_string(now) + ".log"; }

  const DirectoryForTest made_{::testing::TempDir()};
  AgentConfig::LogFile options_;
  WallTime now_ = WallNow() + 1'000'000'000;
};

TEST_F(RotatedLogTest, GoesOnInAFileThatIsThere) {
  Write(Open().get(), "a\n");
  Write(Open().get(), "b\n");
  EXPECT_EQ(Read(), "a\nb\n");
  struct stat info{};
  ASSERT_EQ(stat(options_.path.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0007, 0u) << "others cannot read it";
}

TEST_F(RotatedLogTest, BeginsANewFileBeforeItIsTooLong) {
  options_.rotate_bytes = 10;
  const auto file = Open();
  Write(file.get(), "12345678\n");
  Write(file.get(), "second\n");
  EXPECT_EQ(Read(Older(now_)), "12345678\n");
  EXPECT_EQ(Read(), "second\n");
  ++now_;
  Write(file.get(), "a line that is longer than a file\n");
  EXPECT_EQ(Read(Older(now_)), "second\n");
  EXPECT_EQ(Names().size(), 3u);
}

TEST_F(RotatedLogTest, BeginsANewFileWhenItIsTooOld) {
  options_.rotate_duration = 1h;
  const auto file = Open();
  Write(file.get(), "a\n");
  now_ += Duration(59min).count();
  Write(file.get(), "b\n");
  now_ += Duration(2min).count();
  Write(file.get(), "c\n");
  EXPECT_EQ(Read(Older(now_)), "a\nb\n");
  EXPECT_EQ(Read(), "c\n");
}

TEST_F(RotatedLogTest, KeepsTheNewestOfTheOlderFiles) {
  options_.rotate_bytes = 1;
  options_.rotate_max_files = 2;
  for (const char* other : {"drover-notes.log", "drover-1.txt", "drover-.log"}) {
    std::ofstream(made_.path() + "/" + other) << "mine";
  }
  const auto file = Open();
  for (int i = 0; i < 5; ++i, ++now_) Write(file.get(), std::to_string(i) + "\n");
  EXPECT_EQ(Names(), (std::set<std::string>{"drover.log", Older(now_ - 1), Older(now_ - 2),
                                            "drover-notes.log", "drover-1.txt", "drover-.log"}));
  EXPECT_EQ(Read(Older(now_ - 1)), "3\n");
  EXPECT_EQ(Read(), "4\n");
}

TEST_F(RotatedLogTest, KeepsNoneOfTheOlderFiles) {
  options_.rotate_bytes = 1;
  options_.rotate_max_files = -1;
  const auto file = Open();
  for (int i = 0; i < 3; ++i, ++now_) Write(file.get(), std::to_string(i) + "\n");
  EXPECT_EQ(Names(), std::set<std::string>{"drover.log"});
  EXPECT_EQ(Read(), "2\n");
}

TEST_F(RotatedLogTest, BeginsANewFileIfSomebodyHasTakenTheOldOne) {
  options_.rotate_bytes = 4;
  const auto file = Open();
  Write(file.get(), "a\n");
  std::filesystem::rename(options_.path, made_.path() + "/taken");
  Write(file.get(), "b\n");
  Write(file.get(), "c\n");
  EXPECT_EQ(Read("taken"), "a\nb\n");
  EXPECT_EQ(Read(), "c\n");
  EXPECT_EQ(Names(), (std::set<std::string>{"drover.log", "taken"}));
}

TEST_F(RotatedLogTest, GoesOnInThePresentFileIfItCannotBeRenamed) {
  options_.rotate_bytes = 4;
  const auto file = Open();
  Write(file.get(), "a\nb\n");
  std::filesystem::create_directory(made_.path() + "/" + Older(now_));
  Write(file.get(), "c\n");
  EXPECT_EQ(Read(), "a\nb\nc\n");
}

TEST_F(RotatedLogTest, ALineAfterOneThatIsCutBeginsAtANewLine) {
  const auto file = Open();
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit full = before;  // as if the disk were full
  full.rlim_cur = 4;
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &full), 0);
  std::string_view first = "first\n", second = "second\n";
  const bool begins = file->WriteSome(&first), ends = file->WriteSome(&first);
  const bool goes_on = file->WriteSome(&second);
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, handler);
  EXPECT_TRUE(begins);
  EXPECT_EQ(first, "t\n");
  EXPECT_FALSE(ends);
  EXPECT_FALSE(goes_on);
  Write(file.get(), "third\n");
  Write(file.get(), "fourth\n");
  EXPECT_EQ(Read(), "firs\nthird\nfourth\n");
}

TEST_F(RotatedLogTest, APathThatIsNoFileIsAnError) {
  const auto mistake = [](const std::string& path) {
    const auto file = RotatedLog::Open({.path = path}, WallNow);
    return file.ok() ? "" : file.error().message();
  };
  EXPECT_THAT(mistake(made_.path() + "/none/drover.log"), HasSubstr("/log_file: "));
  EXPECT_THAT(mistake(made_.path()), HasSubstr("/log_file: "));
  EXPECT_THAT(mistake("/dev/null"), HasSubstr("/dev/null is no file"));
}

}  // namespace
}  // namespace drover
