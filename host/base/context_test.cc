// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/context.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>

#include "host/base/event.h"

namespace drover {
namespace {

TEST(ContextTest, CancelReachesChildrenWithTheFirstReason) {
  SimLoop loop;
  Context parent(&loop);
  const Context child = parent.Child().Child();
  EXPECT_TRUE(child.status().ok());
  parent.Cancel("killed");
  parent.Cancel("again");
  EXPECT_EQ(child.status().error(), Error(Code::kCancelled, "killed"));
}

TEST(ContextTest, ChildDoesNotCancelItsParent) {
  SimLoop loop;
  const Context parent(&loop);
  Context child = parent.Child();
  child.Cancel();
  EXPECT_FALSE(parent.cancelled());
}

TEST(ContextTest, ChildOfACancelledContextIsCancelled) {
  SimLoop loop;
  Context parent(&loop);
  parent.Cancel("over");
  EXPECT_EQ(parent.Child().status().error().message(), "over");
  EXPECT_TRUE(parent.WithTimeout(1s).cancelled());
}

TEST(ContextTest, DeadlineCancelsWithTimeout) {
  SimLoop loop;
  const Context context = Context(&loop).WithTimeout(5s);
  const Context longer = context.WithTimeout(1h);
  EXPECT_EQ(longer.deadline(), context.deadline());
  loop.Advance(4999ms);
  EXPECT_FALSE(longer.cancelled());
  loop.Advance(1ms);
  EXPECT_EQ(longer.status().code(), Code::kTimeout);
  EXPECT_EQ(loop.live_timers(), 0u) << "a cancelled context keeps no timer";
}

TEST(ContextTest, OneThatIsCancelledMayOutliveItsLoop) {
  auto loop = std::make_unique<SimLoop>();
  std::optional<Context> plain(loop.get());
  std::optional<Context> timed(plain->WithTimeout(1s));
  plain->Cancel();
  EXPECT_TRUE(timed->cancelled());
  loop.reset();
  timed.reset();
  plain.reset();
  EXPECT_EQ(Context::live(), 0);
}

TEST(ContextTest, NothingIsLeftWhenTheLastCopyGoes) {
  SimLoop loop;
  const long before = Context::live();
  {
    const Context parent(&loop);
    for (int i = 0; i < 100; ++i) {
      const Context child = parent.WithTimeout(1h);
      const JoinContext joined(parent, child);
    }
    EXPECT_EQ(Context::live(), before + 1);
    EXPECT_EQ(loop.live_timers(), 0u);
  }
  EXPECT_EQ(Context::live(), before);
}

TEST(JoinContextTest, EitherParentEndsIt) {
  SimLoop loop;
  for (const bool by_first : {true, false}) {
    Context kill(&loop);
    Context shutdown(&loop);
    const JoinContext joined(kill, shutdown);
    (by_first ? kill : shutdown).Cancel(by_first ? "kill" : "shutdown");
    EXPECT_EQ(joined.context().status().error().message(), by_first ? "kill" : "shutdown");
  }
}

TEST(JoinContextTest, ItsEndCancelsWhatWasStartedUnderIt) {
  SimLoop loop;
  const Context kill(&loop);
  const Context shutdown(&loop);
  bool told = false;
  Subscription subscription;
  {
    const JoinContext joined(kill, shutdown);
    subscription = joined.context().OnCancel([&told] { told = true; });
  }
  EXPECT_TRUE(told);
  EXPECT_FALSE(kill.cancelled());
}

TEST(JoinContextTest, OfACancelledParentIsCancelled) {
  SimLoop loop;
  Context shutdown(&loop);
  shutdown.Cancel("shutdown");
  const JoinContext joined(Context(&loop), shutdown);
  EXPECT_TRUE(joined.context().cancelled());
}

TEST(SleepTest, EndsInTimeOrWithTheContext) {
  SimLoop loop;
  Context context(&loop);
  std::vector<Code> codes;
  auto sleep = [](Context in, std::vector<Code>* out) -> Co<void> {
    const Status status = co_await Sleep(in, 10s);
    out->push_back(status.code());
  };
  loop.Spawn(sleep(context, &codes));
  loop.Advance(10s);
  loop.Spawn(sleep(context, &codes));
  loop.Advance(1s);
  context.Cancel();
  loop.RunReady();
  EXPECT_EQ(codes, (std::vector<Code>{Code::kOk, Code::kCancelled}));
  EXPECT_EQ(loop.live_timers(), 0u);
}

}  // namespace
}  // namespace drover
