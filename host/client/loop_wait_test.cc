// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/loop_wait.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <vector>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

class LoopWaitTest : public testing::Test {
 protected:
  // Whether the wait, of an hour at most, was over at once.
  bool Ends(const std::vector<int>& fds, Duration most = 1h) {
    const TimePoint begin = BootClock::now();
    EXPECT_TRUE(RunUntil(&loop_, &event_, fds, most).ok());
    return BootClock::now() - begin < 10s;
  }

  RealLoop loop_;
  Event event_{&loop_};
};

TEST_F(LoopWaitTest, AnEventOrTheTimeEndsIt) {
  EXPECT_TRUE(Ends({}, 10ms));
  EXPECT_FALSE(event_.is_set());
  loop_.After(10ms, [this] { event_.Set(); });
  EXPECT_TRUE(Ends({-1}));
  EXPECT_TRUE(Ends({})) << "the event is still set";
}

TEST_F(LoopWaitTest, ADescriptorEndsItAndStaysAsItIs) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const UniqueFd reader(ends[0]);
  UniqueFd writer(ends[1]);
  loop_.After(10ms, [&writer] { EXPECT_EQ(write(writer.get(), "x", 1), 1); });
  EXPECT_TRUE(Ends({-1, reader.get()}));
  EXPECT_TRUE(Ends({reader.get()})) << "it can still be read";
  EXPECT_EQ(fcntl(reader.get(), F_GETFL) & O_NONBLOCK, 0);
  char c = 0;
  EXPECT_EQ(read(reader.get(), &c, 1), 1);
  writer.Reset();
  EXPECT_TRUE(Ends({reader.get()})) << "its end can be read";
}

TEST_F(LoopWaitTest, ARegularFileCanAlwaysBeRead) {
  const UniqueFd file(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(Ends({file.get()}));
}

}  // namespace
}  // namespace drover
