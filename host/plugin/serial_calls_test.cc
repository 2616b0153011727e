// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// Thousands of calls drawn at random, to a driver whose calls end later and on other threads:
// start, recover, stop and destroy of one run never meet, and nothing else waits for them.
#include <gtest/gtest.h>

#include <atomic>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <chrono>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "host/abi/abi_read.h"
#include "host/abi/abi_verbs.h"
#include "host/abi/abi_write.h"
#include "host/base/gate.h"
#include "host/base/seed_for_test.h"
#include "host/plugin/loaded_driver.h"

namespace drover {
namespace {

// Does whatever it is asked, after a while. It counts the calls that are in it at a time.
class SlowDriver {
 public:
  static constexpr int kLongest = 200;  // us

  explicit SlowDriver(std::uint64_t seed) : random_(seed), threads_(3) {}
  ~SlowDriver() { threads_.join(); }

  // The next instance that is made is this driver.
  void BeNext() { Next() = this; }

  static const drover_driver* Table() {
    static const drover_driver kTable = [] {
      auto table = NewStruct<drover_driver>();
      table.abi_major = DROVER_ABI_MAJOR;
      table.create = &Create;
      table.get_extension = &GetExtension;
#define DROVER_SLOW_MEMBER(verb, tag) table.verb = &Verb<drover_##verb##_args, Name::verb>;
      DROVER_ASYNC_VERBS(DROVER_SLOW_MEMBER)
#undef DROVER_SLOW_MEMBER
      table.fingerprint = &Open;
      table.events = &Open;
      table.stream_cancel = &StreamCancel;
      table.stream_join = &StreamJoin;
      table.call_cancelled = &CallCancelled;
      return table;
    }();
    return &kTable;
  }

  // Serial calls of one run that have met; the first pair.
  std::string met() {
    const std::lock_guard lock(mutex_);
    return met_;
  }
  // Calls of that name, and those that have met a serial one of their run.
  int calls(const std::string& verb) {
    const std::lock_guard lock(mutex_);
    return calls_[verb];
  }
  int beside(const std::string& verb) {
    const std::lock_guard lock(mutex_);
    return beside_[verb];
  }
  // Streams that were cancelled before they were opened, so that nobody ends them.
  int unknown_streams() {
    const std::lock_guard lock(mutex_);
    return unknown_streams_;
  }
  // The next call that may be alone only is not done before Release.
  void HoldNext() {
    const std::lock_guard lock(mutex_);
    hold_next_ = true;
  }
  bool holds() {
    const std::lock_guard lock(mutex_);
    return held_ != nullptr;
  }
  void Release() {
    std::function<void()> held;
    {
      const std::lock_guard lock(mutex_);
      held = std::exchange(held_, nullptr);
    }
    boost::asio::post(threads_, std::move(held));
  }

 private:
  enum class Name {
#define DROVER_SLOW_NAME(verb, tag) verb,
    DROVER_ASYNC_VERBS(DROVER_SLOW_NAME)
#undef DROVER_SLOW_NAME
  };
  static const char* Text(Name name) {
    static constexpr const char* kTexts[] = {
#define DROVER_SLOW_TEXT(verb, tag) #verb,
        DROVER_ASYNC_VERBS(DROVER_SLOW_TEXT)
#undef DROVER_SLOW_TEXT
    };
    return kTexts[static_cast<int>(name)];
  }
  // By the header's tags.
  static bool IsSerial(Name name) {
    static constexpr std::string_view kTags[] = {
#define DROVER_SLOW_TAG(verb, tag) tag,
        DROVER_ASYNC_VERBS(DROVER_SLOW_TAG)
#undef DROVER_SLOW_TAG
    };
    return kTags[static_cast<int>(name)] == "[task]";
  }

  static SlowDriver* From(drover_instance* self) { return reinterpret_cast<SlowDriver*>(self); }
  static SlowDriver*& Next() {
    static SlowDriver* next = nullptr;
    return next;
  }

  template <typename Args, Name kName>
  static std::int32_t Verb(drover_instance* self, const drover_call* call, const Args*,
                           drover_error*) {
    const RunId run = ReadRunId(call->run_id);
    From(self)->Enter(Text(kName), run, IsSerial(kName));
    const auto finish = [self, id = call->id, run] {
      From(self)->Leave(run, IsSerial(kName));
      From(self)->Complete<typename ResultOf<Args>::Type>(id);
    };
    if (!IsSerial(kName) || !From(self)->Hold(finish)) From(self)->Finish(finish);
    return DROVER_OK;
  }

  static std::int32_t Create(const drover_host* host, const drover_call* call,
                             const drover_create_args*, drover_error*) {
    Next()->host_ = host;
    auto result = NewStruct<drover_create_result>();
    result.instance = reinterpret_cast<drover_instance*>(Next());
    host->complete(host, call->id, nullptr, &result);
    return DROVER_OK;
  }
  static const void* GetExtension(drover_instance*, drover_str id) {
    static const drover_task_stats kStats = {sizeof(drover_task_stats), 0, &Stats};
    static const drover_task_exec kExec = {sizeof(drover_task_exec), 0, &Exec, &Resize};
    const std::string_view name(id.data, id.size);
    if (name == DROVER_TASK_STATS_ID) return &kStats;
    return name == DROVER_TASK_EXEC_ID ? &kExec : nullptr;
  }
  static std::int32_t Stats(drover_instance* self, std::uint64_t id, const drover_run_id* run,
                            const drover_stats_args*, drover_error*) {
    From(self)->Enter("stats", ReadRunId(*run), false);
    From(self)->Know(id);
    return DROVER_OK;
  }
  static std::int32_t Exec(drover_instance* self, const drover_call* call, const drover_exec_args*,
                           drover_error*) {
    From(self)->Enter("exec", ReadRunId(call->run_id), false);
    From(self)->Finish([self, id = call->id] { From(self)->Complete<drover_exit_result>(id); });
    return DROVER_OK;
  }
  static std::int32_t Resize(drover_instance*, std::uint64_t, std::int32_t, std::int32_t,
                             drover_error*) {
    return DROVER_OK;
  }
  static std::int32_t Open(drover_instance* self, std::uint64_t id, drover_error*) {
    From(self)->Know(id);
    return DROVER_OK;
  }
  static void StreamCancel(drover_instance* self, std::uint64_t id) {
    {
      const std::lock_guard lock(From(self)->mutex_);
      if (From(self)->streams_.erase(id) == 0) ++From(self)->unknown_streams_;
    }
    const drover_host* const host = From(self)->host_;
    host->stream_end(host, id, nullptr);
  }
  static std::int32_t StreamJoin(drover_instance*, std::uint64_t, std::int64_t, drover_error*) {
    return DROVER_OK;
  }
  static void CallCancelled(drover_instance*, std::uint64_t) {}  // it ends soon anyway

  void Enter(const std::string& verb, const RunId& run, bool serial) {
    {
      const std::lock_guard lock(mutex_);
      ++calls_[verb];
      const auto inside = serial_.find(run);
      const bool meets = inside != serial_.end();
      if (!serial && meets) ++beside_[verb];
      if (serial && meets && met_.empty()) met_ = inside->second + " and " + verb;
      if (serial) serial_[run] = verb;
    }
    Dawdle();  // so that two functions meet, too
  }
  void Know(std::uint64_t stream) {
    const std::lock_guard lock(mutex_);
    streams_.insert(stream);
  }
  void Leave(const RunId& run, bool serial) {
    const std::lock_guard lock(mutex_);
    if (serial) serial_.erase(run);
  }
  bool Hold(std::function<void()> finish) {
    const std::lock_guard lock(mutex_);
    if (!std::exchange(hold_next_, false)) return false;
    held_ = std::move(finish);
    return true;
  }
  void Finish(std::function<void()> finish) {
    boost::asio::post(threads_, [this, finish = std::move(finish)] {
      Dawdle();
      finish();
    });
  }
  void Dawdle() {
    int us = 0;
    {
      const std::lock_guard lock(mutex_);
      us = static_cast<int>(random_() % kLongest);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(us));
  }
  template <typename T>
  void Complete(std::uint64_t id) {
    auto result = NewStruct<T>();
    auto handle = NewStruct<drover_task_handle>();
    if constexpr (std::is_same_v<T, drover_start_result>) result.handle = &handle;
    if constexpr (std::is_same_v<T, drover_recover_result>) result.state = DROVER_TASK_RUNNING;
    const drover_host* const host = host_;
    host->complete(host, id, nullptr, &result);
  }

  std::atomic<const drover_host*> host_{nullptr};
  std::mutex mutex_;  // of what follows
  std::mt19937_64 random_;
  std::map<RunId, std::string> serial_;  // what is inside
  std::map<std::string, int> calls_;
  std::map<std::string, int> beside_;
  bool hold_next_ = false;
  std::function<void()> held_;
  std::set<std::uint64_t> streams_;
  int unknown_streams_ = 0;
  std::string met_;

  boost::asio::thread_pool threads_;
};

class SerialCallsTest : public testing::Test {
 protected:
  static constexpr int kCalls = 4000;
  static constexpr int kRuns = 4;
  static constexpr int kAtOnce = 24;
  static constexpr Duration kLong = 40s;
  enum Kind { kStart, kRecover, kStop, kDestroy, kSignal, kInspect, kStats, kExec, kKinds };

  SerialCallsTest() : driver_(seed_), context_(&loop_), fewer_(&loop_), gate_(&loop_) {
    LoadedDriver::Parts parts;
    parts.loop = &loop_;
    parts.info.name = "slow";
    parts.info.version = "1";
    parts.info.offers = DROVER_CAP_SIGNALS | DROVER_CAP_STATS | DROVER_CAP_EXEC;
    parts.container = std::make_shared<InProcessContainer>(SlowDriver::Table());
    parts.log = [](PluginLogLevel, const std::string&, const RunId*, const std::string&) {};
    parts.limits.abandoned = 20s;  // nothing is so late here that its turn is taken from it
    loaded_ = std::make_unique<LoadedDriver>(std::move(parts));
    for (int i = 0; i < kRuns; ++i) {
      auto config = std::make_shared<TaskConfig>();
      config->run_id = RunId::Random();
      configs_.push_back(std::move(config));
    }
  }

  static Co<void> Run(SerialCallsTest* test) {
    const Status made = co_await test->loaded_->Create(test->context_, std::string("{}"));
    EXPECT_TRUE(made.ok()) << made.error().message();
    std::mt19937_64 random(test->seed_);
    for (int i = 0; i < kCalls; ++i) {
      while (test->running_ >= kAtOnce) {
        test->fewer_.Reset();
        co_await test->fewer_.Wait();
      }
      const auto kind = static_cast<Kind>(random() % kKinds);
      // Each fourth is given up on its way, or before it.
      const Duration limit = random() % 4 == 0 ? (1 + random() % 400) * 1us : kLong;
      test->gate_.Spawn(One(test, kind, random() % kRuns, limit));
    }
    co_await test->gate_.Close();
    co_await test->loaded_->Shutdown();
  }

  // One start is held in the driver, and all else is asked for beside it.
  static Co<void> RunBeside(SerialCallsTest* test) {
    const Status made = co_await test->loaded_->Create(test->context_, std::string("{}"));
    EXPECT_TRUE(made.ok()) << made.error().message();
    test->driver_.HoldNext();
    test->gate_.Spawn(One(test, kStart, 0, kLong));
    while (!test->driver_.holds()) (void)co_await Sleep(test->context_, 1ms);
    test->gate_.Spawn(One(test, kStop, 0, kLong));
    // These return, so they do not wait for it. Statistics go on until they are given up.
    co_await One(test, kStart, 1, kLong);
    for (const Kind kind : {kSignal, kInspect, kExec}) co_await One(test, kind, 0, kLong);
    Context samples = test->context_.Child();
    test->gate_.Spawn(Stats(test, samples));
    while (test->driver_.calls("stats") == 0) (void)co_await Sleep(test->context_, 1ms);
    samples.Cancel();
    EXPECT_EQ(test->driver_.calls("stop"), 0);
    test->driver_.Release();
    co_await test->gate_.Close();
    co_await test->loaded_->Shutdown();
  }

  static Co<void> Stats(SerialCallsTest* test, Context context) {
    StatsRequest every;
    std::function<void(TaskUsage)> ignore = [](const TaskUsage&) {};
    (void)co_await test->loaded_->Stats(context, test->configs_[0]->run_id, every,
                                        std::move(ignore));
  }

  template <typename T>
  static Status StatusOf(const Result<T>& result) {
    return result.ok() ? Status() : Status(result.error());
  }

  static Co<void> One(SerialCallsTest* test, Kind kind, std::size_t which, Duration limit) {
    ++test->running_;
    LoadedDriver* const driver = test->loaded_.get();
    const Context context = test->context_.WithTimeout(kind == kStats ? 300us : limit);
    const std::shared_ptr<const TaskConfig> config = test->configs_[which];
    const RunId run = config->run_id;
    TaskHandle handle;
    StatsRequest every;
    ExecRequest command;
    command.command = {"x"};
    std::function<void(TaskUsage)> ignore = [](const TaskUsage&) {};
    Status answer;
    switch (kind) {
      case kStart:
        answer = StatusOf(co_await driver->Start(context, config));
        break;
      case kRecover:
        answer = StatusOf(co_await driver->Recover(context, config, std::move(handle)));
        break;
      case kStop:
        answer = co_await driver->Stop(context, run, 0s, std::string());
        break;
      case kDestroy:
        answer = co_await driver->Destroy(context, run, true);
        break;
      case kSignal:
        answer = co_await driver->Signal(context, run, std::string("SIGHUP"));
        break;
      case kInspect:
        answer = StatusOf(co_await driver->Inspect(context, run));
        break;
      case kStats:
        (void)co_await driver->Stats(context, run, every, std::move(ignore));
        break;
      default:
        answer = StatusOf(co_await driver->Exec(context, run, std::move(command)));
    }
    // The host itself answers for a run that was destroyed meanwhile, or whose earlier recover goes
    // on.
    const bool refused = answer.code() == Code::kNotFound || answer.code() == Code::kUnavailable;
    if (limit == kLong) ++test->asked_[kind];
    if (limit == kLong && !refused) ++test->answered_[kind];
    --test->running_;
    test->fewer_.Set();
  }

  const std::uint64_t seed_ = FirstSeed();
  SlowDriver driver_;
  RealLoop loop_;
  Context context_;
  Event fewer_;
  Gate gate_;
  int running_ = 0;
  std::map<Kind, int> asked_;     // calls that nobody gave up
  std::map<Kind, int> answered_;  // of these, calls that the host did not refuse
  std::unique_ptr<LoadedDriver> loaded_;
  std::vector<std::shared_ptr<const TaskConfig>> configs_;
};

TEST_F(SerialCallsTest, NoTwoOfOneRunMeetAndNothingElseWaits) {
  SCOPED_TRACE(HowToRepeat(seed_));
  std::printf("seed %llu\n", static_cast<unsigned long long>(seed_));
  driver_.BeNext();
  ASSERT_TRUE(loop_.RunToEnd(Run(this), 50s));
  EXPECT_EQ(driver_.met(), "");
  // All that were not given up have reached the driver, of whatever others were on their way.
  for (const auto& [kind, verb] :
       {std::pair(kStart, "start"), std::pair(kRecover, "recover"), std::pair(kStop, "stop"),
        std::pair(kDestroy, "destroy"), std::pair(kSignal, "signal"),
        std::pair(kInspect, "inspect"), std::pair(kExec, "exec")}) {
    EXPECT_GT(asked_[kind], kCalls / 20) << verb;
    EXPECT_GT(answered_[kind], 0) << verb;
    EXPECT_GE(driver_.calls(verb), answered_[kind]) << verb;
  }
  EXPECT_EQ(driver_.unknown_streams(), 0);
}

TEST_F(SerialCallsTest, WhileOneIsInsideOnlyTheSerialOnesOfItsRunWait) {
  driver_.BeNext();
  ASSERT_TRUE(loop_.RunToEnd(RunBeside(this), 50s));
  EXPECT_EQ(driver_.met(), "");
  EXPECT_EQ(driver_.calls("start"), 2);
  EXPECT_EQ(driver_.calls("stop"), 1);
  for (const char* verb : {"signal", "inspect", "stats", "exec"}) {
    EXPECT_EQ(driver_.beside(verb), 1) << verb;
  }
}

}  // namespace
}  // namespace drover
