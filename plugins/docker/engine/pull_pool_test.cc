// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/pull_pool.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "engine/fake_engine_for_test.h"

namespace drover_docker {
namespace {

using namespace std::chrono_literals;

// A pull that ends when the test says so.
struct HeldPull {
  std::atomic<int> calls{0};
  std::atomic<bool> release{false};
  std::atomic<bool> cancelled{false};

  PullPool::Pull Function() {
    return [this](const PullCallback& report, const CancelToken& cancel) -> std::string {
      ++calls;
      report(PullProgress{"Downloading", 1, 10, 1, 0, 0});
      while (!release) {
        if (cancel.cancelled()) {
          cancelled = true;
          cancel.Check();
        }
        std::this_thread::sleep_for(1ms);
      }
      return "sha256:id";
    };
  }
};

TEST(PullPoolTest, PullsOnceForAllWhoWait) {
  HeldPull pull;
  PullPool pool;
  std::atomic<int> reports{0};
  std::vector<std::thread> waiters;
  std::atomic<int> done{0};
  for (int i = 0; i < 10; ++i) {
    waiters.emplace_back([&] {
      const auto id =
          pool.Get("redis", pull.Function(), {}, [&](const PullProgress&) { ++reports; }, {});
      if (id == "sha256:id") ++done;
    });
  }
  EXPECT_TRUE(Eventually([&] { return reports >= 10; }));
  EXPECT_EQ(pull.calls, 1);
  pull.release = true;
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(done, 10);
  EXPECT_TRUE(Eventually([&] { return pool.size() == 0; }));
}

TEST(PullPoolTest, OneWhoLeavesDisturbsNobody) {
  HeldPull pull;
  PullPool pool;
  const CancelToken cancel;
  std::thread leaver([&] {
    EXPECT_THROW(pool.Get("redis", pull.Function(), {}, nullptr, cancel), drover::Error);
  });
  EXPECT_TRUE(Eventually([&] { return pull.calls == 1; }));
  std::atomic<bool> reported{false};
  std::thread stayer([&] {
    EXPECT_EQ(
        pool.Get("redis", pull.Function(), {}, [&](const PullProgress&) { reported = true; }, {}),
        "sha256:id");
  });
  EXPECT_TRUE(Eventually([&] { return reported.load(); }));
  cancel.Cancel();
  leaver.join();
  EXPECT_FALSE(pull.cancelled);
  pull.release = true;
  stayer.join();
}

TEST(PullPoolTest, TheLastWhoLeavesCancelsThePull) {
  HeldPull pull;
  PullPool pool;
  const CancelToken cancel;
  std::thread leaver([&] {
    EXPECT_THROW(pool.Get("redis", pull.Function(), {}, nullptr, cancel), drover::Error);
  });
  EXPECT_TRUE(Eventually([&] { return pull.calls == 1; }));
  cancel.Cancel();
  leaver.join();
  EXPECT_TRUE(Eventually([&] { return pull.cancelled.load(); }));
  // A later one begins again.
  pull.release = true;
  EXPECT_EQ(pool.Get("redis", pull.Function(), {}, nullptr, {}), "sha256:id");
  EXPECT_EQ(pull.calls, 2);
}

TEST(PullPoolTest, LimitsThePullsAtATime) {
  HeldPull pull;
  PullPool pool(2);
  std::vector<std::thread> waiters;
  for (int i = 0; i < 6; ++i) {
    waiters.emplace_back([&, i] {
      EXPECT_EQ(pool.Get(std::to_string(i), pull.Function(), {}, nullptr, {}), "sha256:id");
    });
  }
  EXPECT_TRUE(Eventually([&] { return pool.size() == 6 && pull.calls == 2; }));
  // One that waits for its turn can be cancelled, and its silence does not count.
  const CancelToken cancel;
  std::thread queued([&] {
    PullLimits limits;
    limits.silence = 1ms;
    EXPECT_THROW(pool.Get("queued", pull.Function(), limits, nullptr, cancel), drover::Error);
    EXPECT_TRUE(cancel.cancelled());
  });
  EXPECT_TRUE(Eventually([&] { return pool.size() == 7; }));
  cancel.Cancel();
  queued.join();
  EXPECT_EQ(pull.calls, 2);
  pull.release = true;
  for (std::thread& waiter : waiters) waiter.join();
  EXPECT_EQ(pull.calls, 6);
}

TEST(PullPoolTest, EndsPullsWithoutProgressAndLongOnes) {
  HeldPull pull;
  PullPool pool;
  PullLimits limits;
  limits.silence = 50ms;
  try {
    pool.Get("silent", pull.Function(), limits, nullptr, {});
    ADD_FAILURE();
  } catch (const drover::Error& error) {
    EXPECT_EQ(error.code(), drover::Code::kTimeout);
    EXPECT_TRUE(error.recoverable());
    EXPECT_NE(error.message().find("no progress"), std::string::npos) << error.message();
  }
  limits.silence = drover::Duration(0);
  limits.total = 50ms;
  try {
    pool.Get("long", pull.Function(), limits, nullptr, {});
    ADD_FAILURE();
  } catch (const drover::Error& error) {
    EXPECT_NE(error.message().find("image_pull_timeout"), std::string::npos) << error.message();
  }
}

TEST(PullPoolTest, AnErrorReachesAllAndIsForgotten) {
  PullPool pool;
  const auto fails = [](const PullCallback&, const CancelToken&) -> std::string {
    throw drover::Error(drover::Code::kNotFound, "no such image");
  };
  EXPECT_THROW(pool.Get("x", fails, {}, nullptr, {}), drover::Error);
  const auto works = [](const PullCallback&, const CancelToken&) { return std::string("id"); };
  EXPECT_TRUE(Eventually([&] { return pool.size() == 0; }));
  EXPECT_EQ(pool.Get("x", works, {}, nullptr, {}), "id");
}

}  // namespace
}  // namespace drover_docker
