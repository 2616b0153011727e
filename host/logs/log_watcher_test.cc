// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_watcher.h"

#include <gtest/gtest.h>

#include <future>
#include <thread>
#include <vector>

#include "host/logs/log_directory_for_test.h"

namespace drover {
namespace {

class LogWatcherTest : public ::testing::Test {
 protected:
  LogWatcherTest() : context_(&loop_), watcher_(&loop_) {}

  static Co<void> Wait(LogWatcherTest* test, LogWatcher::Watch* watch) {
    test->status_ = co_await watch->changed().Wait(test->context_);
  }
  // Whether the watch reports a change soon.
  bool Rings(LogWatcher::Watch* watch) {
    loop_.RunToEnd(Wait(this, watch), 10s);
    return watch->changed().is_set();
  }

  RealLoop loop_;
  Context context_;
  LogWatcher watcher_;
  Status status_;
};

TEST_F(LogWatcherTest, ReportsWritesNewFilesAndRemovals) {
  const LogDirectoryForTest dir;
  const auto watch = watcher_.Add(&loop_, dir.fd());
  ASSERT_NE(watch, nullptr);
  const std::function<void()> changes[] = {[&] { dir.Write("a", ""); },
                                           [&] { dir.Write("a", "x"); }, [&] { dir.Remove("a"); }};
  for (const auto& change : changes) {
    watch->changed().Reset();
    change();
    EXPECT_TRUE(Rings(watch.get()));
  }
}

TEST_F(LogWatcherTest, WatchesOfOneDirectoryShare) {
  const LogDirectoryForTest one;
  const LogDirectoryForTest two;
  std::vector<std::unique_ptr<LogWatcher::Watch>> watches;
  for (int i = 0; i < 200; ++i) watches.push_back(watcher_.Add(&loop_, one.fd()));
  const auto other = watcher_.Add(&loop_, two.fd());
  EXPECT_EQ(watcher_.watched(), 2u);
  one.Write("a", "x");
  EXPECT_TRUE(Rings(watches.back().get()));
  for (const auto& watch : watches) EXPECT_TRUE(watch->changed().is_set());
  EXPECT_FALSE(other->changed().is_set());
  watches.resize(1);
  watches[0]->changed().Reset();
  one.Write("a", "x");
  EXPECT_TRUE(Rings(watches[0].get()));
  watches.clear();
  EXPECT_EQ(watcher_.watched(), 1u);
}

TEST_F(LogWatcherTest, WhatIsNotOpenIsNotWatched) { EXPECT_EQ(watcher_.Add(&loop_, -1), nullptr); }

TEST_F(LogWatcherTest, ReportsThatAFileGrowsOrLosesItsName) {
  const LogDirectoryForTest dir;
  dir.Write("file", "x");
  const UniqueFd file(openat(dir.fd(), "file", O_RDONLY | O_CLOEXEC));
  const auto watch = watcher_.Add(&loop_, file.get());
  ASSERT_NE(watch, nullptr);
  for (const std::function<void()>& change :
       {std::function<void()>([&] { dir.Write("file", "y"); }),
        std::function<void()>([&] { dir.Remove("file"); })}) {
    watch->changed().Reset();
    change();
    EXPECT_TRUE(Rings(watch.get()));
  }
}

TEST_F(LogWatcherTest, AWatchRingsOnTheThreadThatMadeIt) {
  const LogDirectoryForTest dir;
  std::promise<void> watching;
  std::thread other([&] {
    RealLoop loop;
    const auto watch = watcher_.Add(&loop, dir.fd());
    watching.set_value();
    EXPECT_TRUE(loop.RunToEnd(watch->changed().Wait(), 20s));
    loop_.Post([this] { loop_.Stop(); });
  });
  watching.get_future().wait();
  dir.Write("file", "x");
  loop_.Run();
  other.join();
  EXPECT_EQ(watcher_.watched(), 0u);
}

TEST_F(LogWatcherTest, AWatchMayOutliveItsDirectoryAndTheWatcher) {
  auto dir = std::make_unique<LogDirectoryForTest>();
  auto watcher = std::make_unique<LogWatcher>(&loop_);
  const auto watch = watcher->Add(&loop_, dir->fd());
  dir->Write("file", "x");
  dir.reset();
  EXPECT_TRUE(Rings(watch.get()));  // its files were removed first
  watcher.reset();
}

}  // namespace
}  // namespace drover
