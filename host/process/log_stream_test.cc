// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <string>

#include "host/process/log_stream_probe_for_test.h"

namespace drover {
namespace {

constexpr std::int64_t kMs = 1'000'000;

// A pipe whose read end is a stream. The test takes the place of the writer thread.
class LogStreamTest : public ::testing::Test {
 protected:
  void SetUp() override {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC | O_NONBLOCK), 0);
    ASSERT_GT(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20), 0);
    write_end_ = ends[1];
    probe_ = log_stream_probe_new(ends[0]);
  }
  void TearDown() override {
    if (write_end_ >= 0) close(write_end_);
    log_stream_probe_delete(probe_);
  }
  void Say(const std::string& text) {
    ASSERT_EQ(write(write_end_, text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void Hang() {
    close(write_end_);
    write_end_ = -1;
  }
  std::string Take(std::size_t limit = 1 << 20) {
    std::string text(limit, '\0');
    text.resize(log_stream_probe_take(probe_, text.data(), text.size()));
    return text;
  }
  bool Read(std::int64_t now) { return log_stream_probe_read(probe_, now); }
  bool Tick(std::int64_t now) { return log_stream_probe_tick(probe_, now); }
  log_stream_probe_state State() { return log_stream_probe_look(probe_); }

  int write_end_ = -1;
  log_stream_probe* probe_ = nullptr;
};

TEST_F(LogStreamTest, PublishesWholeLinesAndThePieceLater) {
  Say("one\ntwo\nthr");
  EXPECT_TRUE(Read(1 * kMs));
  EXPECT_EQ(Take(), "one\ntwo\n");
  EXPECT_FALSE(Tick(50 * kMs));
  EXPECT_EQ(State().deadline, 101 * kMs);
  EXPECT_TRUE(Tick(101 * kMs));
  EXPECT_EQ(Take(), "thr");
  Say("ee\n");
  EXPECT_TRUE(Read(200 * kMs));
  EXPECT_EQ(Take(), "ee\n");
}

TEST_F(LogStreamTest, ASlowWriterGetsTimeBeforeLinesAreDropped) {
  std::string line(999, 'x');
  line += '\n';
  for (int i = 0; i < 200; ++i) Say(line);
  Read(1 * kMs);
  EXPECT_TRUE(State().full);
  EXPECT_FALSE(State().dropping);
  Tick(500 * kMs);
  EXPECT_FALSE(State().dropping);
  EXPECT_EQ(Take().size() % 1000, 0u);
  Tick(501 * kMs);
  EXPECT_FALSE(State().dropping);
}

TEST_F(LogStreamTest, AStuckWriterCostsWholeLinesAndOneGapLine) {
  std::string line(999, 'x');
  line += '\n';
  for (int i = 0; i < 200; ++i) Say(line);
  Read(1 * kMs);
  Tick(902 * kMs);
  EXPECT_TRUE(State().dropping);
  EXPECT_EQ(State().gaps_begun, 1);
  EXPECT_EQ(State().gaps_ended, 0);
  // All further output is read at once: the task never waits.
  while (Read(903 * kMs) || State().gap_lines < 135) {
  }
  EXPECT_EQ(State().gap_lines, 135u);
  const std::string before = Take();
  EXPECT_EQ(before.size(), 65000u);  // 65 whole lines: the 66th was taken back
  // The disk works again: the gap line comes without further output.
  EXPECT_TRUE(Tick(2000 * kMs));
  EXPECT_EQ(Take(), "[drover] 135 lines dropped\n");
  EXPECT_EQ(State().gaps_ended, 1);
  EXPECT_EQ(State().dropped_lines, 135u);
  EXPECT_EQ(State().dropped_bytes, 135000u);
  Say("back\n");
  EXPECT_TRUE(Read(2001 * kMs));
  EXPECT_EQ(Take(), "back\n");
}

TEST_F(LogStreamTest, AGapEndsAtALineEnd) {
  Say(std::string(65000, 'a') + "\n" + std::string(100000, 'b'));
  Read(1 * kMs);
  Tick(902 * kMs);
  ASSERT_TRUE(State().dropping);
  for (int i = 0; i < 10; ++i) Read(903 * kMs);
  EXPECT_TRUE(Take() == std::string(65000, 'a') + "\n");
  EXPECT_FALSE(Tick(904 * kMs));  // in the middle of the line of b
  Say("bbb\nnext\nanother");
  EXPECT_TRUE(Read(905 * kMs));
  EXPECT_EQ(Take(), "[drover] 1 line dropped\nnext\n");
  Hang();
  Read(906 * kMs);
  log_stream_probe_finish(probe_);
  EXPECT_EQ(Take(), "another");
}

TEST_F(LogStreamTest, ALineLongerThanTheRingGoesThroughInPieces) {
  Say(std::string(200000, 'z') + "\n");
  std::string all;
  for (int i = 0; i < 10; ++i) {
    Read(i * kMs + 1);
    Tick(i * kMs + 1);
    all += Take();
  }
  EXPECT_TRUE(all == std::string(200000, 'z') + "\n");
  EXPECT_EQ(State().gaps_begun, 0);
}

TEST_F(LogStreamTest, TheEndWithinAGapIsCounted) {
  Say(std::string(65000, 'a') + "\n" + std::string(1000, 'b') + "\nrest");
  Read(1 * kMs);
  Tick(902 * kMs);
  ASSERT_TRUE(State().dropping);
  Read(903 * kMs);
  Hang();
  Read(904 * kMs);
  log_stream_probe_finish(probe_);  // the ring is full: no room for the gap line
  EXPECT_EQ(State().dropped_lines, 2u);
  EXPECT_EQ(State().dropped_bytes, 1005u);
}

}  // namespace
}  // namespace drover
