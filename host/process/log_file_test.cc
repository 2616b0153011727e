// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "shim/log_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

class LogFileTest : public ::testing::Test {
 protected:
  void TearDown() override { log_file_close(&file_); }

  void Init(std::uint64_t max_size, std::uint32_t max_files = 10) {
    log_file_close(&file_);
    log_file_init(&file_, fd_.get(), "web", "stdout", max_files, max_size);
  }
  // Writes all of TEXT as one piece, which the ring holds in two parts, split at SPLIT.
  long Write(std::string text, std::size_t split = 0) {
    while (!text.empty()) {
      const std::size_t first = split > 0 && split < text.size() ? split : text.size();
      const iovec parts[2] = {{text.data(), first}, {text.data() + first, text.size() - first}};
      const long n = log_file_write(&file_, parts);
      if (n <= 0) return n;
      text.erase(0, static_cast<std::size_t>(n));
      split -= std::min<std::size_t>(split, static_cast<std::size_t>(n));
    }
    return 0;
  }
  void Put(int index, const std::string& text) {
    std::ofstream(directory_.path() + "/web.stdout." + std::to_string(index)) << text;
  }
  std::string Get(int index) {
    std::ifstream file(directory_.path() + "/web.stdout." + std::to_string(index));
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
  }
  std::vector<std::string> Names() {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path()))
      names.push_back(entry.path().filename());
    std::sort(names.begin(), names.end());
    return names;
  }

  const DirectoryForTest directory_;
  const UniqueFd fd_{open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  log_file file_ = [] {
    log_file closed{};
    closed.fd = -1;
    return closed;
  }();
};

TEST_F(LogFileTest, ALongLineFillsFiles) {
  Init(5);
  EXPECT_EQ(Write("abcdefgh"), 0);
  EXPECT_EQ(Get(0), "abcde");
  EXPECT_EQ(Get(1), "fgh");
}

TEST_F(LogFileTest, ALineThatFitsMovesWholeToTheNextFile) {
  Init(5);
  EXPECT_EQ(Write("ab\ncdef\n"), 0);
  EXPECT_EQ(Write("1234567890"), 0);
  EXPECT_EQ(Write("\n"), 0);
  EXPECT_EQ(Get(0), "ab\n");
  EXPECT_EQ(Get(1), "cdef\n");
  EXPECT_EQ(Get(2), "12345");
  EXPECT_EQ(Get(3), "67890");
  EXPECT_EQ(Get(4), "\n");
}

TEST_F(LogFileTest, GoesOnInTheHighestFile) {
  Put(0, "abcd");
  Init(5);
  EXPECT_EQ(Write("efghijkl"), 0);
  EXPECT_EQ(Get(0), "abcde");
  EXPECT_EQ(Get(1), "fghij");
  EXPECT_EQ(Get(2), "kl");
}

TEST_F(LogFileTest, KeepsTheNewestFiles) {
  Init(2, 2);
  EXPECT_EQ(Write("1234567890abc"), 0);
  EXPECT_EQ(Names(), (std::vector<std::string>{"web.stdout.5", "web.stdout.6"}));
}

TEST_F(LogFileTest, EmptyFilesCountForTheIndex) {
  Put(0, "");
  Put(2, "");
  Init(5);
  EXPECT_EQ(Write("ab\n"), 0);
  EXPECT_EQ(Get(2), "ab\n");
  EXPECT_EQ(Get(0), "");
}

TEST_F(LogFileTest, FewerFilesAfterARestart) {
  for (int i = 0; i < 8; ++i) Put(i, "old\n");
  Init(10, 3);
  EXPECT_EQ(Write("new\n"), 0);
  EXPECT_EQ(Names(), (std::vector<std::string>{"web.stdout.5", "web.stdout.6", "web.stdout.7"}));
  EXPECT_EQ(Get(7), "old\nnew\n");
}

TEST_F(LogFileTest, AMissingDirectoryIsAnError) {
  std::filesystem::remove_all(directory_.path());
  Init(5);
  EXPECT_EQ(Write("a"), -ENOENT);
}

TEST_F(LogFileTest, NothingIsMadeBeforeTheFirstByte) {
  Init(5);
  EXPECT_TRUE(Names().empty());
}

TEST_F(LogFileTest, NewFilesAreReadableForAll) {
  umask(022);
  Init(5);
  EXPECT_EQ(Write("a"), 0);
  struct stat status{};
  ASSERT_EQ(stat((directory_.path() + "/web.stdout.0").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777, 0644u);
}

// A task can write into its log directory, and the shim writes as root.
TEST_F(LogFileTest, WhatTheTaskPutsInPlaceOfALogFileIsNeverWritten) {
  const std::string canary = directory_.path() + "/canary";
  std::ofstream(canary) << "canary";
  Put(0, "x\n");
  std::filesystem::create_symlink(canary, directory_.path() + "/web.stdout.1");
  Init(100);
  EXPECT_EQ(Write("one\n"), 0);
  EXPECT_EQ(Get(2), "one\n");
  log_file_close(&file_);
  std::filesystem::create_hard_link(canary, directory_.path() + "/web.stdout.3");
  Init(100);
  EXPECT_EQ(Write("two\n"), 0);
  EXPECT_EQ(Get(4), "two\n");
  log_file_close(&file_);
  ASSERT_EQ(mkfifo((directory_.path() + "/web.stdout.5").c_str(), 0600), 0);
  Init(100);
  EXPECT_EQ(Write("three\n"), 0);
  EXPECT_EQ(Get(6), "three\n");
  // At a rotation: the next name is taken, the one after it is free.
  std::filesystem::create_symlink(canary, directory_.path() + "/web.stdout.7");
  Init(6);
  EXPECT_EQ(Write("four\n"), 0);
  EXPECT_EQ(Get(8), "four\n");
  std::ifstream in(canary);
  std::string text;
  std::getline(in, text);
  EXPECT_EQ(text, "canary");
}

TEST_F(LogFileTest, NamesThatAreNotOursAreLeftAlone) {
  for (const char* name : {"web.stdout.01", "web.stdout.", "web.stdout.1x", "web.stdout.-1",
                           "web.stdout.99999999999999999999", "web.stderr.9", "webb.stdout.8"})
    std::ofstream(directory_.path() + "/" + name) << "?";
  Init(2, 1);
  EXPECT_EQ(Write("abcdef"), 0);
  EXPECT_EQ(Get(2), "ef");
  EXPECT_EQ(Names().size(), 8u);
}

TEST_F(LogFileTest, APieceOfALineIsPutWhereTheRestMayFollow) {
  Init(40000);
  const std::string filler(30000, 'x');
  EXPECT_EQ(Write(filler + "\n"), 0);
  EXPECT_EQ(Write("prompt: "), 0);  // 9999 bytes of room: less than 16 KiB
  EXPECT_EQ(Write("answer\n"), 0);
  EXPECT_EQ(Get(1), "prompt: answer\n");
}

TEST_F(LogFileTest, RandomLinesAreNeverSplitAndNeverLost) {
  std::mt19937 random(7);
  std::string all, pending;
  Init(4096, 100000);
  for (int i = 0; i < 3000; ++i) {
    std::string line = std::to_string(i) + ":";
    line.append(random() % 1200, static_cast<char>('a' + i % 26));
    line += '\n';
    all += line;
    pending += line;
    if (random() % 3 == 0) {
      ASSERT_EQ(Write(pending, random() % (pending.size() + 1)), 0);
      pending.clear();
    }
  }
  ASSERT_EQ(Write(pending), 0);
  std::string found;
  for (std::uint64_t i = 0; i <= file_.index; ++i) {
    const std::string part = Get(static_cast<int>(i));
    ASSERT_LE(part.size(), 4096u);
    ASSERT_EQ(part.back(), '\n') << i;
    found += part;
  }
  EXPECT_TRUE(found == all);
}

}  // namespace
}  // namespace drover
