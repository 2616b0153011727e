// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/worker_pool.h"

#include <gtest/gtest.h>

#include <memory>
#include <thread>

namespace drover {
namespace {

Co<void> Ask(WorkerPool* pool, std::thread::id* worker, std::thread::id* after) {
  std::function<std::thread::id()> work = [] { return std::this_thread::get_id(); };
  *worker = co_await pool->Run(std::move(work));
  *after = std::this_thread::get_id();
}

TEST(WorkerPoolTest, WorksElsewhereAndComesBack) {
  RealLoop loop;
  WorkerPool pool(&loop, 2);
  std::thread::id worker;
  std::thread::id after;
  ASSERT_TRUE(loop.RunToEnd(Ask(&pool, &worker, &after)));
  EXPECT_NE(worker, std::this_thread::get_id());
  EXPECT_EQ(after, std::this_thread::get_id());
}

}  // namespace
}  // namespace drover
