// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/event.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

Co<void> Count(Event* event, int* count) {
  co_await event->Wait();
  ++*count;
}

TEST(EventTest, WakesAllWaitersAndStaysSet) {
  SimLoop loop;
  Event event(&loop);
  int count = 0;
  loop.Spawn(Count(&event, &count));
  loop.Spawn(Count(&event, &count));
  loop.RunReady();
  EXPECT_EQ(count, 0);
  event.Set();
  EXPECT_EQ(count, 0) << "a waiter ran inside Set";
  loop.RunReady();
  EXPECT_EQ(count, 2);
  loop.Spawn(Count(&event, &count));
  loop.RunReady();
  EXPECT_EQ(count, 3);
}

TEST(EventTest, WaitersOfASetThatWasResetHaveSeenIt) {
  SimLoop loop;
  Event event(&loop);
  int count = 0;
  loop.Spawn(Count(&event, &count));
  loop.RunReady();
  event.Set();
  event.Reset();
  loop.RunReady();
  EXPECT_EQ(count, 1);
  loop.Spawn(Count(&event, &count));
  loop.RunReady();
  EXPECT_EQ(count, 1);
  event.Set();
  loop.RunReady();
}

TEST(EventTest, WaitEndsWithTheContext) {
  SimLoop loop;
  Event event(&loop);
  Context context(&loop);
  Code code = Code::kInternal;
  auto wait = [](Event* on, Context in, Code* out) -> Co<void> {
    const Status status = co_await on->Wait(in);
    *out = status.code();
  };
  loop.Spawn(wait(&event, context, &code));
  loop.RunReady();
  context.Cancel();
  loop.RunReady();
  EXPECT_EQ(code, Code::kCancelled);
  event.Set();
  loop.Spawn(wait(&event, context, &code));
  loop.RunReady();
  EXPECT_EQ(code, Code::kOk) << "an event that is set wins";
}

TEST(EventTest, WaitAnyReturnsForEach) {
  for (int which = 0; which < 3; ++which) {
    SimLoop loop;
    Event first(&loop);
    Event second(&loop);
    Context context(&loop);
    bool over = false;
    auto wait = [](Context in, Event* a, Event* b, bool* out) -> Co<void> {
      co_await WaitAny(in, a, b);
      *out = true;
    };
    loop.Spawn(wait(context, &first, &second, &over));
    loop.RunReady();
    EXPECT_FALSE(over);
    if (which == 0) first.Set();
    if (which == 1) second.Set();
    if (which == 2) context.Cancel();
    loop.RunReady();
    EXPECT_TRUE(over) << which;
  }
}

}  // namespace
}  // namespace drover
