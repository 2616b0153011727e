// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/own_thread.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "host/base/loop.h"

namespace drover {
namespace {

Co<void> Keep(Context context, std::function<void()> work, Status* to) {
  *to = co_await RunOnOwnThread(std::move(context), std::move(work));
}

TEST(OwnThreadTest, RunsElsewhereAndComesBack) {
  RealLoop loop;
  const Context context(&loop);
  std::thread::id other;
  Status status = Error(Code::kInternal, "not yet");
  std::function<void()> work = [&other] { other = std::this_thread::get_id(); };
  ASSERT_TRUE(loop.RunToEnd(Keep(context, std::move(work), &status), 20s));
  EXPECT_TRUE(status.ok());
  EXPECT_NE(other, std::thread::id());
  EXPECT_NE(other, std::this_thread::get_id());
}

TEST(OwnThreadTest, WhoHasNoPatienceDoesNotWait) {
  RealLoop loop;
  const Context context(&loop);
  const auto go = std::make_shared<std::promise<void>>();
  const auto gone = std::make_shared<std::promise<void>>();
  std::function<void()> work = [go, gone] {
    go->get_future().wait();
    gone->set_value();
  };
  Status status;
  ASSERT_TRUE(loop.RunToEnd(Keep(context.WithTimeout(10ms), std::move(work), &status), 20s));
  EXPECT_EQ(status.code(), Code::kTimeout);
  go->set_value();
  gone->get_future().wait();
}

// As a user who may have no more threads: the limit counts all of the user's.
int WithoutThreads() {
  if (geteuid() == 0 && (setgid(64999) != 0 || setuid(64999) != 0)) return 3;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NPROC, &none);
  RealLoop loop;
  const Context context(&loop);
  Status status;
  std::function<void()> work = [] {};
  if (!loop.RunToEnd(Keep(context, std::move(work), &status), 20s)) return 4;
  return status.code() == Code::kResourceExhausted ? 0 : 5;
}

TEST(OwnThreadTest, WithoutAThreadThatIsAnError) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(WithoutThreads()), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace drover
