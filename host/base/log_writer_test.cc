// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/log_writer.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <future>
#include <string>
#include <thread>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

std::string Gap(std::size_t count) { return "(" + std::to_string(count) + " dropped)\n"; }

// A log that goes into a pipe of two pages: it has room while one is free.
class LogWriterTest : public ::testing::Test {
 protected:
  LogWriterTest() {
    std::array<int, 2> ends{-1, -1};
    EXPECT_EQ(pipe2(ends.data(), O_CLOEXEC), 0);
    read_ = UniqueFd(ends[0]);
    write_ = UniqueFd(ends[1]);
    EXPECT_EQ(fcntl(ends[1], F_SETPIPE_SZ, 8192), 8192);
  }
  // All that comes until the other end is closed.
  std::string ReadAll() const {
    std::string text;
    std::array<char, 4096> buffer;
    ssize_t size = 0;
    while ((size = read(read_.get(), buffer.data(), buffer.size())) > 0) {
      text.append(buffer.data(), static_cast<std::size_t>(size));
    }
    return text;
  }
  std::string ReadLine() const {
    std::string line;
    for (char c = 0; c != '\n' && read(read_.get(), &c, 1) == 1;) line += c;
    return line;
  }

  UniqueFd read_, write_;
};

TEST_F(LogWriterTest, WritesEachLineInItsOrder) {
  {
    LogWriter log(write_.get(), Gap);
    log.Write("before\n");
    EXPECT_EQ(ReadLine(), "before\n") << "it waits for no thread";
    log.Start();
    log.Write("a\n");
    log.Write("b\n");
    EXPECT_EQ(ReadLine(), "a\n");
    EXPECT_EQ(ReadLine(), "b\n");
    for (int i = 0; i < 100; ++i) log.Write(std::to_string(i) + "\n");
    log.Finish(60s);
    log.Write("after\n");
  }
  write_ = UniqueFd();
  std::string want;
  for (int i = 0; i < 100; ++i) want += std::to_string(i) + "\n";
  EXPECT_EQ(ReadAll(), want + "after\n");
}

TEST_F(LogWriterTest, NobodyWaitsForAReaderAndWhatIsDroppedIsCounted) {
  LogWriter log(write_.get(), Gap, 20'000);
  log.Start();
  const std::string line = std::string(99, 'x') + "\n";
  for (int i = 0; i < 10'000; ++i) log.Write(line);  // would wait for ever
  std::future<std::string> reading = std::async(std::launch::async, [this] { return ReadAll(); });
  log.Finish(60s);
  log.Write("the last\n");
  write_ = UniqueFd();
  const std::string text = reading.get();
  std::size_t lines = 0, dropped = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at) + 1;
    const std::string one = text.substr(at, end - at);
    if (one == line) ++lines;
    if (one[0] == '(') dropped += std::stoul(one.substr(1));
    at = end;
  }
  EXPECT_EQ(lines + dropped, 10'000u);
  EXPECT_GT(dropped, 9'000u);
  EXPECT_TRUE(text.ends_with(" dropped)\nthe last\n")) << text.substr(text.size() - 200);
}

TEST_F(LogWriterTest, EndsWithoutAReaderWhenItsTimeIsOver) {
  LogWriter log(write_.get(), Gap);
  log.Start();
  for (int i = 0; i < 1000; ++i) log.Write(std::string(99, 'x') + "\n");
  log.Finish(100ms);  // returns
  log.Write("lost\n");
  write_ = UniqueFd();
  EXPECT_EQ(ReadAll().find("lost"), std::string::npos);
}

TEST_F(LogWriterTest, EndsWhenTheReaderHasGone) {
  std::signal(SIGPIPE, SIG_IGN);
  LogWriter log(write_.get(), Gap);
  log.Start();
  read_ = UniqueFd();
  for (int i = 0; i < 1000; ++i) log.Write("x\n");
  log.Finish(1h);  // returns
}

TEST_F(LogWriterTest, WhatWaitsComesOutOfAProcessThatDies) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    LogWriter log(write_.get(), Gap);
    log.Start();
    for (int i = 0; i < 5000; ++i) log.Write("line " + std::to_string(i) + "\n");
    log.LastWords();
    _exit(0);
  }
  write_ = UniqueFd();
  const std::string text = ReadAll();
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  EXPECT_NE(text.find("line 4999\n"), std::string::npos);
}

}  // namespace
}  // namespace drover
