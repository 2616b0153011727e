// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The duties of the host's services towards a driver that follows the header exactly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>

#include "host/base/gate.h"
#include "host/plugin/registry_fixture.h"
#include "host/process/mock_processes_for_test.h"

namespace drover {
namespace {

// Processes run until the caller gives up, commands until somebody ends them.
class ServicesTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  class Command : public ExecSession {
   public:
    explicit Command(Loop* loop) : ended_(loop) {}
    int terminal() const override { return -1; }
    Status Resize(std::uint16_t, std::uint16_t) override { return {}; }
    Status Signal(int) override { return {}; }
    Co<Result<ExecExit>> Wait(Context context) override {
      DROVER_CO_TRY(co_await ended_.Wait(context));
      co_return ExecExit();
    }
    void Close() override { ended_.Set(); }

   private:
    Event ended_;
  };

  ServicesTest() : waiting_(&loop_) {
    isolation_ = GetParam();
    processes_ = &mock_;
    ON_CALL(mock_, Wait(testing::_, testing::_))
        .WillByDefault([this](Context context, RunId) -> Co<Result<ProcessExit>> {
          ++waits_;
          const Status slept = co_await Sleep(context, 1h);
          co_return slept.error();
        });
    ON_CALL(mock_, Exec(testing::_, testing::_, testing::_))
        .WillByDefault(
            [this](Context, RunId, ExecSpec) -> Co<Result<std::unique_ptr<ExecSession>>> {
              ++sessions_;
              co_return std::unique_ptr<ExecSession>(std::make_unique<Command>(&loop_));
            });
    ON_CALL(mock_, Release(testing::_, testing::_)).WillByDefault([](Context, RunId) -> Co<Status> {
      co_return Status();
    });
  }
  ~ServicesTest() override {
    if (registry_) Await(registry_->Shutdown());
    registry_.reset();
    Await(waiting_.Close());
  }

  static Co<void> Wait(ServicesTest* test, Driver* driver, RunId run) {
    test->end_ = co_await driver->Wait(test->context_, run);
  }

  testing::NiceMock<MockProcesses> mock_;
  Gate waiting_;
  int waits_ = 0;
  int sessions_ = 0;
  std::optional<Result<ExitResult>> end_;
};

INSTANTIATE_TEST_SUITE_P(Containers, ServicesTest, testing::Values("in-process", "process"),
                         PlaceName);

// The driver finds its session, although a wait has the same context.
TEST_P(ServicesTest, ASessionIsFoundBesideAnotherServiceOfTheSameContext) {
  Driver* driver = LoadOne("uses_processes");
  const auto task = Config("{}");
  ASSERT_TRUE(Await(driver->Start(context_, task)).ok());
  waiting_.Spawn(Wait(this, driver, task->run_id));
  ASSERT_TRUE(Until([&] { return waits_ == 1; }));
  ExecRequest request;
  request.command = {"x"};
  auto session = Await(driver->Exec(context_, task->run_id, std::move(request)));
  ASSERT_TRUE(session.ok()) << session.error().message();
  ASSERT_TRUE(Until([&] { return sessions_ == 1; }));
  session->reset();
  EXPECT_TRUE(Until([&] { return PendingCall::live() == 1; })) << "the command runs on";
  EXPECT_FALSE(end_);
}

// The driver ends its process if a timer comes after its shutdown, or if a service that it waits
// for is still open then.
TEST_P(ServicesTest, NothingOfTheHostsCallsIntoAnInstanceThatIsBeingShutDown) {
  Driver* driver = LoadOne("uses_processes");
  const auto task = Config(R"({"run_for_ms":300})");
  ASSERT_TRUE(Await(driver->Start(context_, task)).ok());
  waiting_.Spawn(Wait(this, driver, task->run_id));
  ASSERT_TRUE(Until([&] { return waits_ == 1; }));
  Await(registry_->Shutdown());
  EXPECT_TRUE(Until([&] { return end_.has_value(); }));
  EXPECT_EQ(end_->code(), Code::kUnavailable);
  EXPECT_THAT(log(), testing::Not(testing::HasSubstr("shutting it down: ")));
}

#ifdef HELLO_C_SO

// The example in C, with a mock process service that reports a task as started.
class HelloCTest : public ServicesTest {
 protected:
  Driver* StartTask() {
    ON_CALL(mock_, Start(testing::_, testing::_))
        .WillByDefault([](Context, const ProcessSpec&) -> Co<Result<ProcessInfo>> {
          ProcessInfo info;
          info.pid = 4711;
          co_return info;
        });
    Add("hello_c", HELLO_C_SO);
    options_.plugins.back().isolation = isolation_;
    EXPECT_EQ(Load()[0].message, "");
    auto config = std::make_shared<TaskConfig>(*Config(R"({"text":"x","seconds":60})"));
    config->alloc_dir = config->task_dir = config->log_dir = directory_.path();
    run_ = config->run_id;
    Driver* const driver = registry_->Find("hello_c");
    const Result<StartedTask> started = Await(driver->Start(context_, std::move(config)));
    EXPECT_TRUE(started.ok()) << started.error().message();
    return driver;
  }

  TestDirectory directory_;
  RunId run_;
};

INSTANTIATE_TEST_SUITE_P(Containers, HelloCTest, testing::Values("in-process", "process"),
                         PlaceName);

TEST_P(HelloCTest, StopsByTheSignalThatItIsGiven) {
  Driver* const driver = StartTask();
  EXPECT_CALL(mock_, Stop(testing::_, run_, SIGHUP, Duration(7s)))
      .WillOnce([](Context, RunId, int, Duration) -> Co<Result<ProcessExit>> {
        co_return ProcessExit();
      });
  EXPECT_TRUE(Await(driver->Stop(context_, run_, 7s, "SIGHUP")).ok());
}

// The driver frees its instance in its shutdown: the services that it waits for have ended before.
TEST_P(HelloCTest, AWaitThatIsOpenAtItsShutdownIsAnswered) {
  Driver* const driver = StartTask();
  waiting_.Spawn(Wait(this, driver, run_));
  ASSERT_TRUE(Until([&] { return waits_ == 1; }));
  Await(registry_->Shutdown());
  EXPECT_TRUE(Until([&] { return end_.has_value(); }));
  EXPECT_FALSE(end_->ok());
  EXPECT_THAT(log(), testing::Not(testing::HasSubstr("shutting it down: ")));
}

#endif

}  // namespace
}  // namespace drover
