// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Calls that are given up while the driver's function has not returned, or before it is called, and
// what is asked of a driver that is being shut down.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "host/abi/abi_write.h"
#include "host/base/gate.h"
#include "host/plugin/loaded_driver.h"

namespace drover {
namespace {

using testing::HasSubstr;

// Its functions return when the test lets them, and complete nothing; only create and shutdown do.
class ObedientDriver {
 public:
  static ObedientDriver*& It() {
    static ObedientDriver* it = nullptr;
    return it;
  }
  ObedientDriver() { It() = this; }
  ObedientDriver(const ObedientDriver&) = delete;
  ObedientDriver& operator=(const ObedientDriver&) = delete;
  ~ObedientDriver() { It() = nullptr; }

  static const drover_driver* Table() {
    static const drover_driver kTable = [] {
      auto table = NewStruct<drover_driver>();
      table.abi_major = DROVER_ABI_MAJOR;
      table.create = [](const drover_host* host, const drover_call* call, const drover_create_args*,
                        drover_error*) {
        It()->host_ = host;
        auto result = NewStruct<drover_create_result>();
        result.instance = reinterpret_cast<drover_instance*>(It());
        host->complete(host, call->id, nullptr, &result);
        return std::int32_t{DROVER_OK};
      };
      table.get_extension = [](drover_instance*, drover_str id) -> const void* {
        static const drover_task_exec kExec = {
            sizeof(drover_task_exec), 0,
            [](drover_instance*, const drover_call*, const drover_exec_args* args, drover_error*) {
              for (const drover_fd& fd : {args->input, args->output, args->error}) {
                if (fd.fd >= 0) close(fd.fd);
              }
              return It()->Enter("exec");
            },
            [](drover_instance*, std::uint64_t, std::int32_t, std::int32_t, drover_error*) {
              return It()->Enter("resize");
            }};
        const std::string_view name(id.data, id.size);
        return name == DROVER_TASK_EXEC_ID ? &kExec : nullptr;
      };
      table.wait = [](drover_instance*, const drover_call*, const drover_wait_args*,
                      drover_error*) { return It()->Enter("wait"); };
      table.inspect = [](drover_instance*, const drover_call*, const drover_inspect_args*,
                         drover_error*) { return It()->Enter("inspect"); };
      table.shutdown = [](drover_instance*, const drover_call* call, const drover_shutdown_args*,
                          drover_error*) {
        It()->Enter("shutdown");
        const auto result = NewStruct<drover_empty_result>();
        It()->host_->complete(It()->host_, call->id, nullptr, &result);
        return std::int32_t{DROVER_OK};
      };
      table.fingerprint = [](drover_instance*, std::uint64_t, drover_error*) {
        return std::int32_t{DROVER_OK};
      };
      table.events = table.fingerprint;
      table.stream_cancel = [](drover_instance*, std::uint64_t id) {
        It()->host_->stream_end(It()->host_, id, nullptr);
      };
      table.stream_join = [](drover_instance*, std::uint64_t, std::int64_t, drover_error*) {
        return std::int32_t{DROVER_OK};
      };
      table.call_cancelled = [](drover_instance*, std::uint64_t) { It()->Enter("call_cancelled"); };
      return table;
    }();
    return &kTable;
  }

  // Calls of FUNCTION do not return from now on, before Release.
  void Hold(const std::string& function) {
    const std::lock_guard lock(mutex_);
    held_ = function;
  }
  void Release() {
    const std::lock_guard lock(mutex_);
    held_.clear();
    released_.notify_all();
  }
  int calls(const std::string& function) {
    const std::lock_guard lock(mutex_);
    return calls_[function];
  }

 private:
  std::int32_t Enter(const std::string& function) {
    std::unique_lock lock(mutex_);
    ++calls_[function];
    released_.wait(lock, [&] { return held_ != function; });
    return DROVER_OK;
  }

  const drover_host* host_ = nullptr;
  std::mutex mutex_;
  std::condition_variable released_;
  std::string held_;
  std::map<std::string, int> calls_;
};

class GivenUpTest : public testing::Test {
 protected:
  GivenUpTest() : context_(&loop_), asking_(context_.Child()), gate_(&loop_) {}
  ~GivenUpTest() override {
    plugin_.Release();
    asking_.Cancel();
    if (driver_) Await(driver_->Shutdown());
    Await(gate_.Close());
  }

  void Make(int threads = 4) {
    LoadedDriver::Parts parts;
    parts.loop = &loop_;
    parts.info.name = "obedient";
    parts.info.offers = DROVER_CAP_EXEC;
    parts.container = std::make_shared<InProcessContainer>(ObedientDriver::Table());
    parts.log = [this](PluginLogLevel, const std::string&, const RunId*, const std::string& line) {
      log_ += line + "\n";
    };
    parts.limits.threads = threads;
    driver_ = std::make_unique<LoadedDriver>(std::move(parts));
  }
  Status Create(Context context) {
    Status made;
    const auto create = [](LoadedDriver* driver, Context in, Status* to) -> Co<void> {
      *to = co_await driver->Create(in, std::string("{}"));
    };
    Await(create(driver_.get(), context, &made));
    return made;
  }
  void Await(Co<void> coroutine) { ASSERT_TRUE(loop_.RunToEnd(std::move(coroutine), 20s)); }
  bool Until(const std::function<bool()>& done, Duration limit = 10s) {
    const auto turn = [](Context context) -> Co<void> { (void)co_await Sleep(context, 1ms); };
    for (const TimePoint end = BootClock::now() + limit; !done() && BootClock::now() < end;)
      Await(turn(context_));
    return done();
  }

  static Co<void> Wait(GivenUpTest* test) {
    (void)co_await test->driver_->Wait(test->asking_, test->run_);
  }
  static Co<void> Inspect(GivenUpTest* test, Status* to) {
    const Result<TaskStatus> status = co_await test->driver_->Inspect(test->asking_, test->run_);
    if (!status.ok()) *to = status.error();
  }
  static Co<void> Exec(GivenUpTest* test) {
    ExecRequest request;
    request.command = {"x"};
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    test->output_.Reset(ends[0]);
    request.output.Reset(ends[1]);
    auto session = co_await test->driver_->Exec(test->asking_, test->run_, std::move(request));
    if (session.ok()) test->session_ = std::move(*session);
    test->exec_over_ = true;
  }
  // The other end of what the driver was given, or was to be given, is closed.
  bool OutputIsClosed() {
    char byte;
    return read(output_.get(), &byte, 1) == 0;
  }

  ObedientDriver plugin_;
  RealLoop loop_;
  Context context_;
  Context asking_;
  Gate gate_;
  const RunId run_ = RunId::Random();
  std::string log_;
  UniqueFd output_;
  std::unique_ptr<LoadedDriver> driver_;
  std::unique_ptr<TaskExecSession> session_;
  bool exec_over_ = false;
};

// A driver that has not entered the call yet does not find it: drivers of 1.0 do not ask by
// themselves whether it was given up.
TEST_F(GivenUpTest, WhatWasSaidBeforeTheVerbHasReturnedIsSaidAgain) {
  Make();
  ASSERT_TRUE(Create(context_).ok());
  plugin_.Hold("wait");
  gate_.Spawn(Wait(this));
  ASSERT_TRUE(Until([&] { return plugin_.calls("wait") == 1; }));
  asking_.Cancel();
  ASSERT_TRUE(Until([&] { return plugin_.calls("call_cancelled") == 1; }));
  plugin_.Release();
  EXPECT_TRUE(Until([&] { return plugin_.calls("call_cancelled") == 2; }));
}

TEST_F(GivenUpTest, WhatWasSaidBeforeExecHasReturnedIsSaidAgain) {
  Make();
  ASSERT_TRUE(Create(context_).ok());
  plugin_.Hold("exec");
  gate_.Spawn(Exec(this));
  ASSERT_TRUE(Until([&] { return plugin_.calls("exec") == 1; }));
  asking_.Cancel();
  ASSERT_TRUE(Until([&] { return plugin_.calls("call_cancelled") == 1; }));
  plugin_.Release();
  EXPECT_TRUE(Until([&] { return plugin_.calls("call_cancelled") == 2; }));
}

// Its command would run for nobody.
TEST_F(GivenUpTest, AnExecThatWasGivenUpBeforeItWasBegunNeverIs) {
  Make(/*threads=*/1);
  ASSERT_TRUE(Create(context_).ok());
  plugin_.Hold("wait");
  gate_.Spawn(Wait(this));
  ASSERT_TRUE(Until([&] { return plugin_.calls("wait") == 1; }));
  gate_.Spawn(Exec(this));
  ASSERT_FALSE(Until([&] { return exec_over_; }, 10ms));
  asking_.Cancel();
  ASSERT_TRUE(Until([&] { return exec_over_; }));
  plugin_.Release();
  Await(driver_->Shutdown());
  EXPECT_EQ(plugin_.calls("exec"), 0);
  EXPECT_EQ(plugin_.calls("call_cancelled"), 2) << "of the wait, and again";
  EXPECT_TRUE(OutputIsClosed());
}

TEST_F(GivenUpTest, ACreateThatWasNeverBegunIsNotAwaited) {
  Make();
  asking_.Cancel();
  EXPECT_EQ(Create(asking_).code(), Code::kCancelled);
  Await(driver_->Shutdown());
  EXPECT_EQ(log_, "");
}

// Its instance may be freed already.
TEST_F(GivenUpTest, NothingIsAskedOfADriverThatIsBeingShutDown) {
  Make();
  ASSERT_TRUE(Create(context_).ok());
  gate_.Spawn(Exec(this));
  gate_.Spawn(Wait(this));
  ASSERT_TRUE(Until([&] { return session_ != nullptr && plugin_.calls("wait") == 1; }));
  plugin_.Hold("shutdown");
  gate_.Spawn(driver_->Shutdown());
  ASSERT_TRUE(Until([&] { return plugin_.calls("shutdown") == 1; }));
  Status inspected;
  Await(Inspect(this, &inspected));
  EXPECT_EQ(inspected.code(), Code::kUnavailable);
  EXPECT_THAT(inspected.error().message(), HasSubstr("it is being shut down"));
  EXPECT_EQ(session_->Resize({1, 2}).code(), Code::kUnavailable);
  session_.reset();
  asking_.Cancel();
  plugin_.Release();
  Await(gate_.Join());
  for (const char* function : {"inspect", "resize", "call_cancelled"})
    EXPECT_EQ(plugin_.calls(function), 0) << function;
}

}  // namespace
}  // namespace drover
