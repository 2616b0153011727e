// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/worker_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

#include "host/base/loop.h"

namespace drover {
namespace {

Co<void> Ask(WorkerPool* pool, std::thread::id* worker, std::thread::id* after) {
  *worker = co_await pool->Run([] { return std::this_thread::get_id(); });
  *after = std::this_thread::get_id();
}

TEST(WorkerPoolTest, WorksElsewhereAndComesBack) {
  RealLoop loop;
  WorkerPool pool(2);
  std::thread::id worker;
  std::thread::id after;
  ASSERT_TRUE(loop.RunToEnd(Ask(&pool, &worker, &after)));
  EXPECT_NE(worker, std::this_thread::get_id());
  EXPECT_EQ(after, std::this_thread::get_id());
}

TEST(WorkerPoolTest, EachCallerComesBackToItsOwnLoop) {
  WorkerPool pool(1);
  std::thread::id workers[2];
  std::thread::id after[2];
  std::thread other([&] {
    RealLoop loop;
    EXPECT_TRUE(loop.RunToEnd(Ask(&pool, &workers[0], &after[0])));
    EXPECT_EQ(after[0], std::this_thread::get_id());
  });
  RealLoop loop;
  EXPECT_TRUE(loop.RunToEnd(Ask(&pool, &workers[1], &after[1])));
  EXPECT_EQ(after[1], std::this_thread::get_id());
  other.join();
  EXPECT_EQ(workers[0], workers[1]);
}

}  // namespace
}  // namespace drover
