// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_follower.h"

#include <gtest/gtest.h>

#include "host/logs/log_directory_for_test.h"

namespace drover {
namespace {

class LogFollowerTest : public ::testing::Test {
 protected:
  LogFollowerTest()
      : context_(&loop_),
        follower_(&loop_, nullptr, dir_.path(), "web", "stdout",
                  [this](LogChunk chunk) { text_ += chunk.data; }) {}

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

}  // namespace
}  // namespace drover
