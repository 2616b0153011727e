// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The wrapper's behaviour when a driver's methods block, when the host gives its calls up, and when
// the driver does not recover its tasks.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "fake_host.h"

namespace drover_test {
namespace {

class BlockingTest : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/drover-blocking-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    directory_ = name;
    ASSERT_NE(host_.Load(BLOCKER_SO), nullptr) << host_.log();
  }
  void TearDown() override {
    // All waiting threads must return: the end of the instance joins them.
    for (const std::string& fifo : fifos_) Open(fifo);
    if (host_.instance() != nullptr) host_.Shutdown();
    for (int fd : opened_) close(fd);
    std::filesystem::remove_all(directory_);
  }

  std::string Fifo(const std::string& name) {
    std::string path = directory_ + "/" + name;
    EXPECT_EQ(mkfifo(path.c_str(), 0600), 0);
    fifos_.push_back(path);
    return path;
  }
  // From now on no reader of the FIFO waits.
  void Open(const std::string& fifo) {
    int fd = open(fifo.c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_GE(fd, 0);
    opened_.push_back(fd);
  }
  Task NewTask(int number, const std::string& waits_for = "") {
    Task task;
    task.run = RunOf(number);
    if (!waits_for.empty()) task.config = R"({"start_waits_for":")" + waits_for + "\"}";
    return task;
  }
  int begun() { return atoi(host_.Finish(host_.Inspect(RunOf(0))).attributes["begun"].c_str()); }
  bool AwaitBegun(int n) {
    for (int i = 0; i < 1000 && begun() < n; ++i) usleep(10000);
    return begun() == n;
  }

  FakeHost host_;
  std::string directory_;
  std::vector<std::string> fifos_;
  std::vector<int> opened_;
};

TEST_F(BlockingTest, StartsThatTakeLongDelayNothingElse) {
  ASSERT_TRUE(host_.Create("{}").ok());
  ASSERT_TRUE(host_.Finish(host_.Start(NewTask(1))).ok());
  ASSERT_TRUE(host_.Finish(host_.Start(NewTask(2))).ok());
  const std::string pull = Fifo("pull");
  std::vector<std::uint64_t> starts;
  for (int i = 10; i < 16; ++i) starts.push_back(host_.Start(NewTask(i, pull)));
  ASSERT_TRUE(AwaitBegun(2 + 3)) << "as many at a time as the driver says";

  EXPECT_EQ(host_.Signal(RunOf(1), "SIGHUP").message, "");
  EXPECT_TRUE(host_.Finish(host_.Stop(RunOf(1), 1s)).ok());
  EXPECT_TRUE(host_.Finish(host_.Destroy(RunOf(2), true)).ok());
  EXPECT_EQ(host_.AwaitMessages(host_.Fingerprint(), 1).messages.size(), 1u);
  EXPECT_TRUE(host_.Finish(host_.RestoreComplete({})).ok());
  for (std::uint64_t start : starts) EXPECT_EQ(host_.completions(start), 0);

  Open(pull);
  for (std::uint64_t start : starts) EXPECT_TRUE(host_.Finish(start).ok());
  EXPECT_EQ(begun(), 2 + 6);
}

TEST_F(BlockingTest, StopsThatTakeLongDelayNeitherSignalsNorStarts) {
  ASSERT_TRUE(host_.Create("{}").ok());
  const std::string end = Fifo("end");
  std::vector<std::uint64_t> stops;
  for (int i = 1; i <= 20; ++i) {
    ASSERT_TRUE(host_.Finish(host_.Start(NewTask(i))).ok());
    stops.push_back(host_.Stop(RunOf(i), 60s, end));
  }
  EXPECT_EQ(host_.Signal(RunOf(1), "SIGHUP").message, "");
  EXPECT_TRUE(host_.Finish(host_.Start(NewTask(30))).ok());
  EXPECT_TRUE(host_.Finish(host_.Stop(RunOf(30), 1s)).ok()) << "nor one that ends soon";
  Open(end);
  for (std::uint64_t stop : stops) EXPECT_TRUE(host_.Finish(stop).ok());
}

TEST_F(BlockingTest, AProbeThatHangsDelaysNothing) {
  ASSERT_TRUE(host_.Create(R"({"probe_waits_for":")" + Fifo("probe") + "\"}").ok());
  std::uint64_t health = host_.Fingerprint();
  for (int i = 1; i <= 8; ++i) {
    EXPECT_TRUE(host_.Finish(host_.Start(NewTask(i))).ok());
    EXPECT_TRUE(host_.Finish(host_.Stop(RunOf(i), 1s)).ok());
  }
  EXPECT_TRUE(host_.stream(health).messages.empty());
}

TEST_F(BlockingTest, ACancellationThatComesBeforeItsVerbIsNotLost) {
  ASSERT_TRUE(host_.Create("{}").ok());
  ASSERT_TRUE(host_.Finish(host_.Start(NewTask(1))).ok());
  host_.CancelNext();
  std::uint64_t wait = host_.Wait(RunOf(1));
  Result answer = host_.Finish(wait, 5s);
  ASSERT_TRUE(answer.complete) << "the driver still waits, but the host has given up";
  EXPECT_EQ(answer.error->code, DROVER_E_CANCELLED);
  EXPECT_EQ(host_.completions(wait), 1);
  std::uint64_t patient = host_.Wait(RunOf(1));
  EXPECT_EQ(host_.completions(patient), 0) << "the next one waits";
  host_.CancelCall(patient);
  EXPECT_EQ(host_.Finish(patient).error->code, DROVER_E_CANCELLED);
}

TEST_F(BlockingTest, AStartThatIsGivenUpBeforeItsThreadIsFreeIsNotBegun) {
  ASSERT_TRUE(host_.Create("{}").ok());
  const std::string pull = Fifo("pull");
  std::vector<std::uint64_t> starts;
  for (int i = 1; i <= 5; ++i) starts.push_back(host_.Start(NewTask(i, pull)));
  ASSERT_TRUE(AwaitBegun(3));
  host_.CancelCall(starts[3]);
  Open(pull);
  EXPECT_EQ(host_.Finish(starts[3]).error->code, DROVER_E_CANCELLED);
  EXPECT_TRUE(host_.Finish(starts[4]).ok());
  EXPECT_EQ(begun(), 4);
}

TEST_F(BlockingTest, ADriverWithoutRecoverDoesNotSayThatNothingRuns) {
  ASSERT_TRUE(host_.Create("{}").ok());
  std::string handle = "x";
  for (const std::string* stored : {&handle, static_cast<std::string*>(nullptr)}) {
    Result answer = host_.Finish(host_.Recover(NewTask(1), stored));
    ASSERT_TRUE(answer.error.has_value());
    EXPECT_EQ(answer.error->code, DROVER_E_UNIMPLEMENTED) << answer.text();
  }
}

}  // namespace
}  // namespace drover_test
