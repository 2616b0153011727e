// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// When the wrapper asks a driver for its health, and what it reports of one that does not answer.
// Time stands still but for what the tests let pass.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "fake_host.h"

namespace drover_test {
namespace {

class ProbeTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/drover-probe-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    fifo_ = directory_ + "/fifo";
    ASSERT_EQ(mkfifo(fifo_.c_str(), 0600), 0);
    ASSERT_NE(host_.Load(PROBER_SO), nullptr) << host_.log();
    ASSERT_TRUE(host_.Create("{}").ok());
    host_.StopClock();
    stream_ = host_.Fingerprint();
  }
  void TearDown() override { std::filesystem::remove_all(directory_); }

  // The Nth message, from 1; waits for it.
  Message Told(std::size_t n) {
    StreamLog log = host_.AwaitMessages(stream_, n);
    return log.messages.size() < n ? Message() : log.messages[n - 1];
  }
  std::size_t count() { return host_.stream(stream_).messages.size(); }
  void LetTheProbeReturn() { close(open(fifo_.c_str(), O_WRONLY | O_CLOEXEC)); }

  FakeHost host_;
  std::string directory_, fifo_;
  std::uint64_t stream_ = 0;
};

TEST_F(ProbeTest, AtOnceAndThenEvery30Seconds) {
  EXPECT_EQ(Told(1).attributes["probes"], "1");
  for (int probes = 2; probes < 6; ++probes) {
    ASSERT_TRUE(host_.AwaitTimer(30s));
    host_.Advance(30s - 1ns);
    EXPECT_EQ(count(), static_cast<std::size_t>(probes - 1));
    host_.Advance(1ns);
    EXPECT_EQ(Told(static_cast<std::size_t>(probes)).attributes["probes"], std::to_string(probes));
  }
}

TEST_F(ProbeTest, OneThatDoesNotComeBackIsUnhealthyUntilItDoes) {
  EXPECT_EQ(Told(1).health, DROVER_HEALTHY);
  ASSERT_TRUE(host_.AwaitTimer(30s));
  // It hangs in the probe that follows. Those that are asked for meanwhile do not hang behind it.
  ASSERT_TRUE(host_.Finish(host_.Configure(R"({"wait_for":")" + fifo_ + "\"}")).ok());
  ASSERT_TRUE(host_.AwaitTimer(20s));
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(host_.Finish(host_.Configure("{}")).ok());
  host_.Advance(20s - 1ns);
  EXPECT_EQ(count(), 1u);
  host_.Advance(1ns);
  EXPECT_EQ(Told(2).health, DROVER_UNHEALTHY);
  EXPECT_EQ(Told(2).description, "its health is not known: the probe has not returned for 20 s");
  LetTheProbeReturn();
  EXPECT_EQ(Told(3).health, DROVER_HEALTHY);
  EXPECT_EQ(Told(3).attributes["probes"], "2");
  EXPECT_EQ(Told(4).attributes["probes"], "3") << "the one that was asked for meanwhile";
  ASSERT_TRUE(host_.AwaitTimer(30s));
  EXPECT_EQ(count(), 4u);
}

TEST_F(ProbeTest, AProbeInTimeIsNotLate) {
  EXPECT_EQ(Told(1).health, DROVER_HEALTHY);
  ASSERT_TRUE(host_.Finish(host_.Configure(R"({"wait_for":")" + fifo_ + "\"}")).ok());
  ASSERT_TRUE(host_.AwaitTimer(20s));
  host_.Advance(19s);
  LetTheProbeReturn();
  EXPECT_EQ(Told(2).attributes["probes"], "2");
  ASSERT_TRUE(host_.AwaitTimer(30s));
  host_.Advance(29s);
  EXPECT_EQ(count(), 2u);
}

}  // namespace
}  // namespace drover_test
