// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_follower.h"

#include <gtest/gtest.h>

#include <thread>

#include "host/logs/log_directory_for_test.h"

namespace drover {
namespace {

class LogFollowerTest : public ::testing::Test {
 protected:
  LogFollowerTest()
      : context_(&loop_),
        follower_(
            &loop_, dir_.path(), "web", "stdout", [this](LogChunk chunk) { text_ += chunk.data; },
            LogFollowOptions()) {}

  void Begin() {
    loop_.Spawn(Watch(this));
    loop_.RunReady();
  }
  static Co<void> Watch(LogFollowerTest* test) {
    co_await test->follower_.Run(test->context_);
    test->ended_ = true;
  }
  void Poll() { loop_.Advance(LogFollower::kPoll); }

  LogDirectoryForTest dir_;
  SimLoop loop_;
  Context context_;
  LogFollower follower_;
  std::string text_;
  bool ended_ = false;
};

TEST_F(LogFollowerTest, FollowsFromTheOldestFileThroughRotation) {
  dir_.Write("web.stdout.2", "two ");
  dir_.Write("web.stdout.3", "three ");
  Begin();
  EXPECT_EQ(text_, "two three ");
  dir_.Write("web.stdout.3", "more ");
  dir_.Write("web.stdout.13", "thirteen");
  Poll();
  EXPECT_EQ(text_, "two three more thirteen");
  EXPECT_FALSE(ended_);
  follower_.Finish();
  loop_.RunReady();
  EXPECT_TRUE(ended_);
}

TEST_F(LogFollowerTest, ReadsALargeFileWhole) {
  const std::string text(3 * LogFollower::kChunk + 17, 'x');
  dir_.Write("web.stdout.0", text);
  Begin();
  EXPECT_EQ(text_.size(), text.size());
  context_.Cancel();
  loop_.RunReady();
  EXPECT_TRUE(ended_);
}

TEST_F(LogFollowerTest, WhatCameBeforeFinishIsNotLost) {
  Begin();
  EXPECT_EQ(text_, "");
  dir_.Write("web.stdout.0", "last words");
  follower_.Finish();
  loop_.RunReady();
  EXPECT_TRUE(ended_);
  EXPECT_EQ(text_, "last words");
}

TEST_F(LogFollowerTest, GoesOnWhenItsFileWasRotatedAwayOrCut) {
  dir_.Write("web.stdout.0", "gone ");
  Begin();
  dir_.Remove("web.stdout.0");
  dir_.Write("web.stdout.5", "five ");
  Poll();
  EXPECT_EQ(text_, "gone five ");
  std::filesystem::resize_file(dir_.path() + "/web.stdout.5", 0);
  Poll();
  dir_.Write("web.stdout.5", "a");
  Poll();
  EXPECT_EQ(text_, "gone five a");
  follower_.Finish();
  loop_.RunReady();
}

TEST_F(LogFollowerTest, EmptyFileWithASuccessorIsSkipped) {
  dir_.Write("web.stdout.0", "");
  dir_.Write("web.stdout.1", "one");
  Begin();
  EXPECT_EQ(text_, "one");
  follower_.Finish();
  loop_.RunReady();
  EXPECT_TRUE(ended_);
}

TEST_F(LogFollowerTest, MissingDirectoryIsWaitedFor) {
  std::filesystem::remove_all(dir_.path());
  Begin();
  std::filesystem::create_directory(dir_.path());
  dir_.Write("web.stdout.0", "x");
  Poll();
  EXPECT_EQ(text_, "x");
  follower_.Finish();
  loop_.RunReady();
}

// A follower with a watcher and a pool, on a real loop.
class LogFollowTest : public ::testing::Test {
 protected:
  static constexpr Duration kLong = 20s;

  LogFollowTest() : context_(&loop_), pool_(1), watcher_(&loop_) {}

  UniqueFd Directory() { return UniqueFd(dup(dir_.fd())); }
  LogFollower::CoSink Sink() {
    return [this](LogChunk chunk) { return Take(this, std::move(chunk)); };
  }
  static Co<Status> Take(LogFollowTest* test, LogChunk chunk) {
    test->text_ += chunk.data;
    test->chunks_.push_back(std::move(chunk));
    if (test->until_ && test->until_()) test->context_.Cancel();
    co_return test->answer_;
  }
  static Co<void> Follow(LogFollowTest* test, LogFollower* follower) {
    test->ended_ = co_await follower->Follow(test->context_);
  }
  // Follows with OPTIONS until the end, and returns the text that was read.
  std::string Read(LogFollowOptions options) {
    options.pool = &pool_;
    options.watcher = &watcher_;
    text_.clear();
    LogFollower follower(&loop_, Directory(), "web", "stdout", Sink(), options);
    EXPECT_TRUE(loop_.RunToEnd(Follow(this, &follower), kLong));
    return text_;
  }

  LogDirectoryForTest dir_;
  RealLoop loop_;
  Context context_;
  WorkerPool pool_;
  LogWatcher watcher_;
  std::string text_;
  std::vector<LogChunk> chunks_;
  std::function<bool()> until_;  // once true, the context is cancelled
  Status answer_;
  Status ended_;
};

TEST_F(LogFollowTest, WithoutFollowingItEndsAtTheEnd) {
  EXPECT_EQ(Read({.start = {}, .follow = false}), "");
  dir_.Write("web.stdout.2", "two ");
  dir_.Write("web.stdout.13", "thirteen");
  EXPECT_EQ(Read({.start = {}, .follow = false}), "two thirteen");
  EXPECT_TRUE(ended_.ok());
  EXPECT_EQ(chunks_.back().file, "web.stdout.13");
  EXPECT_EQ(chunks_.back().offset, 8);
  EXPECT_EQ(Read({.start = {.from_end = false, .offset = 2}, .follow = false}), "o thirteen");
  EXPECT_EQ(Read({.start = {.from_end = true, .offset = 10}, .follow = false}), "o thirteen");
  EXPECT_EQ(Read({.start = {.from_end = true, .offset = 0}, .follow = false}), "");
  EXPECT_EQ(Read({.start = {.from_end = true, .offset = 999}, .follow = false}), "two thirteen");
}

TEST_F(LogFollowTest, ChangesWakeIt) {
  dir_.Write("web.stdout.0", "zero ");
  loop_.After(50ms, [this] { dir_.Write("web.stdout.0", "more "); });
  loop_.After(100ms, [this] { dir_.Write("web.stdout.1", "one"); });
  until_ = [this] { return text_ == "zero more one"; };
  const TimePoint start = loop_.Now();
  Read({.start = {.from_end = true, .offset = 5}});
  EXPECT_EQ(text_, "zero more one");
  EXPECT_EQ(ended_.code(), Code::kCancelled);
  EXPECT_LT(loop_.Now() - start, LogFollower::kWatchedPoll);
  EXPECT_EQ(watcher_.watched(), 0u);
}

TEST_F(LogFollowTest, ItEndsWithItsDirectory) {
  dir_.Write("web.stdout.0", "last words");
  until_ = [this] {
    std::filesystem::remove_all(dir_.path());
    return false;
  };
  EXPECT_EQ(Read({}), "last words");
  EXPECT_TRUE(ended_.ok());
}

TEST_F(LogFollowTest, ASinkThatFailsEndsIt) {
  dir_.Write("web.stdout.0", "x");
  answer_ = Error(Code::kUnavailable, "the client has left");
  Read({});
  EXPECT_EQ(ended_.code(), Code::kUnavailable);
}

// A writer rotates after every few lines while a follower reads: nothing is lost, doubled or split.
TEST_F(LogFollowTest, NothingIsLostThroughManyRotations) {
  constexpr int kLines = 6'000;
  std::thread writer([this] {
    std::ofstream file;
    for (int line = 0; line < kLines; ++line) {
      if (line % 25 == 0) {
        file.close();
        file.open(dir_.path() + "/web.stdout." + std::to_string(line / 25), std::ios::app);
      }
      file << line << '\n' << std::flush;
    }
  });
  const std::string last = "\n" + std::to_string(kLines - 1) + "\n";
  until_ = [this, &last] { return text_.ends_with(last); };
  Read({});
  writer.join();
  std::string expected;
  for (int line = 0; line < kLines; ++line) expected += std::to_string(line) + "\n";
  EXPECT_TRUE(text_ == expected);
  EXPECT_EQ(LogReader::live(), 0);
}

}  // namespace
}  // namespace drover
