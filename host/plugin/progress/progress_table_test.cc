// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/progress/progress_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "host/plugin/registry_fixture.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class ProgressTableTest : public testing::Test {
 protected:
  ProgressTableTest()
      : port_(std::make_shared<LoopPort>(&loop_)),
        calls_(
            port_, [](const std::string&) {}, "test"),
        table_(std::make_shared<ProgressTable>(&loop_, port_, &calls_)) {}
  ~ProgressTableTest() override {
    table_->Close();
    port_->Close();
  }

  std::shared_ptr<PendingCall> NewCall() {
    auto call = std::make_shared<PendingCall>(&loop_, "start", RunId::Random(), [](const void*) {
      return Result<CallValue>(CallValue());
    });
    call->hear_progress = [this](const TaskProgress& progress) { heard_.push_back(progress.done); };
    call->latest = loop_.Now() + 10min;
    calls_.Add(call);
    return call;
  }
  bool Report(const PendingCall& call, std::uint64_t done) {
    return table_->Report(call.id, TaskProgress{"Pulling", done, 100, "layers", ""});
  }
  // As LoadedDriver does when it waits for the call no longer.
  void End(PendingCall* call) {
    call->ended = true;
    table_->End(call->id);
  }

  SimLoop loop_;
  const std::shared_ptr<LoopPort> port_;
  CallTable calls_;
  std::shared_ptr<ProgressTable> table_;
  std::vector<std::uint64_t> heard_;
};

TEST_F(ProgressTableTest, AtMostOneReportIsHeardEachSecondAndTheLastOneAlways) {
  const auto call = NewCall();
  ASSERT_TRUE(calls_.Enter(call->id));
  for (std::uint64_t i = 1; i <= 25; ++i) {
    EXPECT_TRUE(Report(*call, i));
    loop_.Advance(100ms);
  }
  // The first at once, then the newest of each second.
  EXPECT_THAT(heard_, ElementsAre(1, 10, 20));
  EXPECT_TRUE(Report(*call, 99));
  End(call.get());
  EXPECT_THAT(heard_, ElementsAre(1, 10, 20, 99));
  loop_.Advance(10s);
  EXPECT_THAT(heard_, ElementsAre(1, 10, 20, 99));
  EXPECT_EQ(table_->size(), 0u);
}

TEST_F(ProgressTableTest, AFloodIsOneReport) {
  const auto call = NewCall();
  ASSERT_TRUE(calls_.Enter(call->id));
  for (std::uint64_t i = 1; i <= 100'000; ++i) EXPECT_TRUE(Report(*call, i));
  loop_.RunReady();
  EXPECT_THAT(heard_, ElementsAre(100'000));
  End(call.get());
  EXPECT_THAT(heard_, ElementsAre(100'000));
}

TEST_F(ProgressTableTest, ReportsOfCallsThatAreNotOpenAreDropped) {
  EXPECT_FALSE(table_->Report(4711, TaskProgress()));  // unknown
  const auto call = NewCall();
  EXPECT_FALSE(Report(*call, 1));  // not begun
  ASSERT_TRUE(calls_.Enter(call->id));
  const auto given_up = NewCall();
  ASSERT_TRUE(calls_.Enter(given_up->id));
  ASSERT_TRUE(calls_.Cancel(given_up->id));
  EXPECT_FALSE(Report(*given_up, 2));
  const auto unheard = NewCall();
  unheard->hear_progress = nullptr;
  ASSERT_TRUE(calls_.Enter(unheard->id));
  EXPECT_FALSE(Report(*unheard, 3));
  calls_.Complete(call->id, nullptr, nullptr);
  EXPECT_FALSE(Report(*call, 4));
  loop_.Advance(10s);
  EXPECT_THAT(heard_, ElementsAre());
  EXPECT_EQ(table_->size(), 0u);
}

// The driver's thread may report while the control thread ends the call.
TEST_F(ProgressTableTest, AReportThatComesTooLateLeavesNothing) {
  const auto call = NewCall();
  ASSERT_TRUE(calls_.Enter(call->id));
  End(call.get());
  EXPECT_TRUE(Report(*call, 1));
  loop_.RunReady();
  EXPECT_THAT(heard_, ElementsAre());
  EXPECT_EQ(table_->size(), 0u);
}

TEST_F(ProgressTableTest, MoreTimeIsCountedFromNowAndHasALimit) {
  const auto call = NewCall();
  EXPECT_FALSE(calls_.Extend(call->id, 1min));  // not begun
  ASSERT_TRUE(calls_.Enter(call->id));
  const TimePoint began = loop_.Now();
  EXPECT_TRUE(calls_.Extend(call->id, 1min));
  loop_.RunReady();
  EXPECT_EQ(call->extended, began + 1min);
  loop_.Advance(30s);
  EXPECT_TRUE(calls_.Extend(call->id, 10s));  // shorter than what it has
  loop_.RunReady();
  EXPECT_EQ(call->extended, began + 1min);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(calls_.Extend(call->id, Duration::max()));
  loop_.RunReady();
  EXPECT_EQ(call->extended, call->latest);
  EXPECT_TRUE(calls_.Extend(call->id, -1s));
  loop_.RunReady();
  EXPECT_EQ(call->extended, call->latest);
  calls_.Complete(call->id, nullptr, nullptr);
  EXPECT_FALSE(calls_.Extend(call->id, 1s));
}

// The driver uses_progress, in this process and in one of its own.
class ProgressTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  ProgressTest() { isolation_ = GetParam(); }
  Result<StartedTask> Start(const std::string& json) {
    driver_ = LoadOne("uses_progress");
    const auto config = Config(json);
    hearing_ = driver_->OnEvents(config->run_id, [this](const DriverEvent& event) {
      if (event.progress) heard_.push_back(*event.progress);
    });
    return Await(driver_->Start(context_, config));
  }
  Driver* driver_ = nullptr;
  Subscription hearing_;
  std::vector<TaskProgress> heard_;
};

INSTANTIATE_TEST_SUITE_P(All, ProgressTest, testing::Values("in-process", "process"), PlaceName);

TEST_P(ProgressTest, ASlowStartIsHeardAndGetsMoreTime) {
  options_.limits.start = 4s;
  options_.limits.extend = 1min;
  const Result<StartedTask> started = Start(R"({"start_ms":5500,"extend_ms":15000})");
  EXPECT_TRUE(started.ok()) << started.error().message();
  EXPECT_EQ(driver_->fingerprint().health, Health::kHealthy);
  ASSERT_FALSE(heard_.empty());
  EXPECT_EQ(heard_[0], (TaskProgress{"Starting", 1, 4, "steps", "of uses_progress"}));
}

TEST_P(ProgressTest, TheOperatorLimitsWhatADriverAsksFor) {
  options_.limits.start = 100ms;
  options_.limits.extend = 100ms;
  const Result<StartedTask> started = Start(R"({"start_ms":60000,"extend_ms":60000})");
  EXPECT_EQ(started.code(), Code::kTimeout);
  EXPECT_THAT(started.error().message(), HasSubstr("did not answer to start within"));
}

}  // namespace
}  // namespace drover
