// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/stats_collector.h"

#include <gtest/gtest.h>

#include <deque>

namespace drover {
namespace {

using Options = StatsCollector::Options;

// A source whose streams end as the test says.
struct FakeSource {
  struct Stream {
    int samples = -1;  // before it ends; negative: for ever
    Status end;
  };
  std::deque<Stream> script;
  Stream otherwise;
  int asked = 0;
  int open = 0;
  std::vector<TimePoint> sample_times;

  std::vector<UsageDetail> details;  // of each requested stream

  static Co<Status> Run(FakeSource* self, Context context, StatsRequest request,
                        StatsCollector::Sink sink) {
    ++self->asked;
    self->details.push_back(request.detail);
    Stream stream = self->otherwise;
    if (!self->script.empty()) {
      stream = self->script.front();
      self->script.pop_front();
    }
    ++self->open;
    for (int i = 0; stream.samples < 0 || i < stream.samples; ++i) {
      TaskUsage usage;
      usage.total.memory.rss = self->sample_times.size() + 1;
      if (request.detail == UsageDetail::kProcesses) usage.pids[1] = usage.total;
      self->sample_times.push_back(context.loop()->Now());
      sink(std::move(usage));
      const Status slept = co_await Sleep(context, request.interval);
      if (!slept.ok()) {
        --self->open;
        co_return slept;
      }
    }
    --self->open;
    co_return stream.end;
  }
  StatsCollector::Source source() {
    return [this](Context context, StatsRequest request, StatsCollector::Sink sink) {
      return Run(this, context, request, std::move(sink));
    };
  }
};

struct Fixture : testing::Test {
  SimLoop loop;
  StatsDemand agent{&loop};
  StatsCollector collector{&loop, &agent, Options()};
  FakeSource source;
  Context context{&loop};
  bool over = false;
  StatsDemand::Token metrics;

  static Co<void> RunIt(Fixture* f) {
    co_await f->collector.Run(f->context, f->source.source());
    f->over = true;
  }
  static Co<void> LookIt(Fixture* f, Context in, std::optional<Result<StatsCollector::Sample>>* out,
                         UsageDetail detail = UsageDetail::kTotals) {
    *out = co_await f->collector.Look(in, detail);
  }
  void Start(bool with_metrics) {
    if (with_metrics) metrics = agent.Acquire();
    loop.Spawn(RunIt(this));
    loop.RunReady();
  }
  std::optional<Result<StatsCollector::Sample>> Look(UsageDetail detail = UsageDetail::kTotals) {
    std::optional<Result<StatsCollector::Sample>> result;
    loop.Spawn(LookIt(this, context, &result, detail));
    loop.RunReady();
    return result;
  }
  void TearDown() override {
    context.Cancel();
    loop.RunReady();
    EXPECT_EQ(source.open, 0);
    EXPECT_EQ(loop.live_timers(), 0u);
    metrics.Release();
  }
};
using StatsCollectorTest = Fixture;

TEST_F(StatsCollectorTest, CollectsFromTheStartToTheEndOfTheContext) {
  Start(true);
  EXPECT_EQ(collector.samples(), 1u) << "the first sample comes at once";
  loop.Advance(3500ms);
  EXPECT_EQ(collector.samples(), 4u);
  EXPECT_EQ(collector.latest()->total.memory.rss, 4u);
  context.Cancel();
  loop.RunReady();
  EXPECT_TRUE(over);
  EXPECT_EQ(collector.latest(), nullptr);
  loop.Advance(10s);
  EXPECT_EQ(collector.samples(), 4u);
  EXPECT_EQ(collector.streams(), 1u);
}

TEST_F(StatsCollectorTest, TheIntervalIsKept) {
  Start(true);
  loop.Advance(5s);
  ASSERT_GE(source.sample_times.size(), 4u);
  for (std::size_t i = 1; i < source.sample_times.size(); ++i)
    EXPECT_EQ(source.sample_times[i] - source.sample_times[i - 1], 1s);
}

TEST_F(StatsCollectorTest, NothingIsDoneWhileNobodyWantsIt) {
  Start(false);
  loop.Advance(1h);
  EXPECT_EQ(source.asked, 0);
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(StatsCollectorTest, ALookOpensTheStreamForAWhile) {
  Start(false);
  const auto sample = Look();
  ASSERT_TRUE(sample && sample->ok());
  EXPECT_EQ((**sample)->total.memory.rss, 1u);
  loop.Advance(5s);
  EXPECT_EQ(Look()->value()->total.memory.rss, 6u);
  loop.Advance(9s);
  EXPECT_EQ(source.open, 1);
  loop.Advance(1s);
  EXPECT_EQ(source.open, 0);
  EXPECT_EQ(collector.latest(), nullptr) << "an old sample does not count";
  loop.Advance(1h);
  EXPECT_EQ(source.asked, 1);
  EXPECT_TRUE(Look().has_value());
  EXPECT_EQ(source.asked, 2);
}

TEST_F(StatsCollectorTest, TheStreamStaysWhileEitherWantsIt) {
  Start(true);
  Look();
  metrics.Release();
  loop.RunReady();
  EXPECT_EQ(source.open, 1);
  metrics = agent.Acquire();
  loop.Advance(20s);
  EXPECT_EQ(source.open, 1);
  EXPECT_EQ(source.asked, 1);
  metrics.Release();
  loop.RunReady();
  EXPECT_EQ(source.open, 0);
  EXPECT_FALSE(over);
}

TEST_F(StatsCollectorTest, LookWaitsForTheFirstSampleAndGivesUpWithItsContext) {
  source.otherwise = {0, Error(Code::kNotFound, "task not found")};
  Start(false);
  Context look = context.WithTimeout(2s);
  std::optional<Result<StatsCollector::Sample>> result;
  loop.Spawn(LookIt(this, look, &result));
  loop.Advance(1999ms);
  EXPECT_FALSE(result);
  loop.Advance(1ms);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->code(), Code::kTimeout);
}

TEST_F(StatsCollectorTest, LookAtATaskThatDoesNotRun) {
  const auto result = Look();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->code(), Code::kFailedPrecondition);
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(StatsCollectorTest, LookEndsWithTheTask) {
  source.otherwise = {0, Error(Code::kNotFound, "task not found")};
  Start(false);
  std::optional<Result<StatsCollector::Sample>> result;
  loop.Spawn(LookIt(this, Context(&loop), &result));
  loop.RunReady();
  EXPECT_FALSE(result);
  context.Cancel();
  loop.RunReady();
  ASSERT_TRUE(result);
  EXPECT_EQ(result->code(), Code::kFailedPrecondition);
}

TEST_F(StatsCollectorTest, NotImplementedIsAskedOnce) {
  source.otherwise = {0, Error(Code::kUnimplemented, "no stats")};
  Start(true);
  EXPECT_TRUE(over);
  loop.Advance(1h);
  EXPECT_EQ(source.asked, 1);
  EXPECT_EQ(Look()->code(), Code::kUnimplemented);
}

TEST_F(StatsCollectorTest, FinalErrorsStopUnlessTheyAreRecoverable) {
  source.otherwise = {0, Error(Code::kInvalidArgument, "no", true)};
  source.script = {{0, Error(Code::kInvalidArgument, "no", true)},
                   {0, Error(Code::kInvalidArgument, "no", false)}};
  Start(true);
  loop.Advance(1min);
  EXPECT_TRUE(over);
  EXPECT_EQ(source.asked, 2);
}

TEST_F(StatsCollectorTest, ErrorsAreRetriedWithBackoffForEver) {
  for (const Code code : {Code::kInternal, Code::kNotFound, Code::kUnavailable}) {
    source.asked = 0;
    source.otherwise = {0, Error(code, "broken")};
    context = Context(&loop);
    over = false;
    Start(true);
    loop.Advance(999ms);
    EXPECT_EQ(source.asked, 1);
    loop.Advance(1ms);
    EXPECT_EQ(source.asked, 2);
    loop.Advance(2s);
    EXPECT_EQ(source.asked, 3);
    loop.Advance(4s);
    EXPECT_EQ(source.asked, 4);
    loop.Advance(5s);
    EXPECT_EQ(source.asked, 5);
    loop.Advance(100s);
    EXPECT_EQ(source.asked, 25);
    EXPECT_FALSE(over);
    context.Cancel();
    loop.RunReady();
  }
}

TEST_F(StatsCollectorTest, AClosedStreamIsAskedForAgainAfterAnInterval) {
  source.otherwise = {0, Status()};
  Start(true);
  loop.Advance(10s);
  EXPECT_EQ(source.asked, 11);
}

TEST_F(StatsCollectorTest, NoIntervalMakesATightLoop) {
  Options options;
  options.interval = 0s;
  StatsCollector eager(&loop, &agent, options);
  source.otherwise = {0, Status()};
  metrics = agent.Acquire();
  auto run = [](StatsCollector* on, Context in, FakeSource* from) -> Co<void> {
    co_await on->Run(in, from->source());
  };
  loop.Spawn(run(&eager, context, &source));
  loop.Advance(10s);
  EXPECT_EQ(source.asked, 11);
  context.Cancel();
  loop.RunReady();
}

TEST_F(StatsCollectorTest, ResumesAfterTheDriverWasGone) {
  source.script = {{3, Error(Code::kUnavailable, "gone")}, {0, Error(Code::kUnavailable, "gone")}};
  Start(true);
  loop.Advance(20s);
  EXPECT_EQ(source.asked, 3);
  EXPECT_EQ(source.open, 1);
  EXPECT_GT(collector.samples(), 10u);
  EXPECT_NE(collector.latest(), nullptr);
}

TEST_F(StatsCollectorTest, MetricsAloneAskForNoProcesses) {
  Start(true);
  loop.Advance(1min);
  EXPECT_TRUE(Look()->ok());
  loop.Advance(1min);
  EXPECT_EQ(source.details, std::vector<UsageDetail>{UsageDetail::kTotals});
}

TEST_F(StatsCollectorTest, ALookForProcessesRenewsTheStreamAndItsFirstAnswerHasThem) {
  Start(true);
  loop.Advance(2500ms);
  const auto sample = Look(UsageDetail::kProcesses);
  ASSERT_TRUE(sample && sample->ok()) << "it does not wait for an interval";
  EXPECT_EQ((**sample)->pids.size(), 1u);
  EXPECT_EQ(source.open, 1);
  // Further looks use the same stream.
  for (int i = 0; i < 20; ++i) {
    loop.Advance(1s);
    EXPECT_EQ(Look(UsageDetail::kProcesses)->value()->pids.size(), 1u);
  }
  EXPECT_EQ(source.asked, 2);
  // The look expires, and metrics continue without processes.
  loop.Advance(10s);
  EXPECT_EQ(source.details, (std::vector<UsageDetail>{UsageDetail::kTotals, UsageDetail::kProcesses,
                                                      UsageDetail::kTotals}));
  EXPECT_EQ(source.open, 1);
  EXPECT_TRUE(collector.latest()->pids.empty());
  loop.Advance(1min);
  EXPECT_EQ(source.asked, 3);
}

TEST_F(StatsCollectorTest, ALookForTotalsTakesWhatThereIs) {
  Start(false);
  EXPECT_EQ(Look(UsageDetail::kProcesses)->value()->pids.size(), 1u);
  EXPECT_TRUE(Look()->ok());
  EXPECT_EQ(source.asked, 1);
  // When nobody looks for processes any more, the other look does not keep them in the stream.
  loop.Advance(9s);
  EXPECT_TRUE(Look()->ok());
  loop.Advance(5s);
  EXPECT_EQ(source.details.back(), UsageDetail::kTotals);
  EXPECT_EQ(source.open, 1);
  loop.Advance(5s);
  EXPECT_EQ(source.open, 0);
}

TEST_F(StatsCollectorTest, ARenewedStreamThatFailsWaitsItsTurnAndTheLookIsContent) {
  source.script = {{-1, Status()}, {0, Error(Code::kUnavailable, "gone")}};
  Start(true);
  Context look = context.WithTimeout(500ms);
  std::optional<Result<StatsCollector::Sample>> result;
  loop.Spawn(LookIt(this, look, &result, UsageDetail::kProcesses));
  loop.Advance(499ms);
  EXPECT_FALSE(result);
  EXPECT_EQ(source.asked, 2);
  loop.Advance(1ms);
  ASSERT_TRUE(result && result->ok()) << "an older sample is better than none";
  EXPECT_TRUE((**result)->pids.empty());
  loop.Advance(500ms);
  EXPECT_EQ(source.asked, 3);
  EXPECT_EQ(Look(UsageDetail::kProcesses)->value()->pids.size(), 1u);
}

}  // namespace
}  // namespace drover
