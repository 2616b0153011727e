// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The times at which the wrapper asks a driver for its health, and its report about a driver that
// does not answer. Only the tests move the time.
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

  // Waits for the Nth message, counted from 1, and returns it.
  Message Report(std::size_t n) {
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
  EXPECT_EQ(Report(1).attributes["probes"], "1");
  for (int probes = 2; probes < 6; ++probes) {
    ASSERT_TRUE(host_.AwaitTimer(30s));
    host_.Advance(30s - 1ns);
    EXPECT_EQ(count(), static_cast<std::size_t>(probes - 1));
    host_.Advance(1ns);
    EXPECT_EQ(Report(static_cast<std::size_t>(probes)).attributes["probes"],
              std::to_string(probes));
  }
}

TEST_F(ProbeTest, OneThatDoesNotComeBackIsUnhealthyUntilItDoes) {
  EXPECT_EQ(Report(1).health, DROVER_HEALTHY);
  ASSERT_TRUE(host_.AwaitTimer(30s));
  // It hangs in the next probe. Probes that are due meanwhile do not wait behind that one.
  ASSERT_TRUE(host_.Finish(host_.Configure(R"({"wait_for":")" + fifo_ + "\"}")).ok());
  ASSERT_TRUE(host_.AwaitTimer(20s));
  for (int i = 0; i < 8; ++i) ASSERT_TRUE(host_.Finish(host_.Configure("{}")).ok());
  host_.Advance(20s - 1ns);
  EXPECT_EQ(count(), 1u);
  host_.Advance(1ns);
  EXPECT_EQ(Report(2).health, DROVER_UNHEALTHY);
  EXPECT_EQ(Report(2).description, "its health is not known: the probe has not returned for 20 s");
  LetTheProbeReturn();
  EXPECT_EQ(Report(3).health, DROVER_HEALTHY);
  EXPECT_EQ(Report(3).attributes["probes"], "2");
  EXPECT_EQ(Report(4).attributes["probes"], "3") << "the probe that was due meanwhile";
  ASSERT_TRUE(host_.AwaitTimer(30s));
  EXPECT_EQ(count(), 4u);
}

TEST_F(ProbeTest, AProbeInTimeIsNotLate) {
  EXPECT_EQ(Report(1).health, DROVER_HEALTHY);
  ASSERT_TRUE(host_.Finish(host_.Configure(R"({"wait_for":")" + fifo_ + "\"}")).ok());
  ASSERT_TRUE(host_.AwaitTimer(20s));
  host_.Advance(19s);
  LetTheProbeReturn();
  EXPECT_EQ(Report(2).attributes["probes"], "2");
  ASSERT_TRUE(host_.AwaitTimer(30s));
  host_.Advance(29s);
  EXPECT_EQ(count(), 2u);
}

}  // namespace
}  // namespace drover_test
