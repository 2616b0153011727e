// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/stats_collector.h"

#include <algorithm>

namespace drover {
namespace {

// Whether asking again is of no use. Whatever may come back does: a task that is not known may be
// recovered, a driver that has gone may be loaded again.
bool IsFinal(const Status& status) {
  if (status.ok() || status.error().recoverable()) return false;
  switch (status.code()) {
    case Code::kUnimplemented:
    case Code::kInvalidArgument:
    case Code::kPermissionDenied:
      return true;
    default:
      return false;
  }
}

}  // namespace

StatsCollector::StatsCollector(Loop* loop, StatsDemand* agent, Options options)
    : loop_(loop), agent_(agent), options_(options), own_(loop), changed_(loop) {}

StatsCollector::~StatsCollector() { loop_->Cancel(linger_); }

Co<void> StatsCollector::Run(Context context, Source source) {
  DROVER_CHECK(!collecting_);
  collecting_ = true;
  ended_.reset();
  Duration backoff = options_.min_backoff;
  while (!context.cancelled()) {
    co_await WaitWanted(context);
    if (context.cancelled()) break;
    const std::uint64_t before = samples_;
    const Status status = co_await OneStream(context, &source);
    if (context.cancelled()) break;
    if (IsFinal(status)) {
      ended_ = status.error();
      break;
    }
    if (!wanted()) continue;  // the stream ended because nobody looks any more
    // Whatever the reason, never at once: a driver that closes its streams must not get a loop.
    if (samples_ != before) backoff = options_.min_backoff;
    const Duration wait = status.ok() ? std::max(options_.interval, options_.min_backoff) : backoff;
    if (!status.ok()) backoff = std::min(2 * backoff, options_.max_backoff);
    [[maybe_unused]] const Status slept = co_await Sleep(context, wait);
  }
  collecting_ = false;
  latest_ = nullptr;
  looking_.Release();
  loop_->Cancel(std::exchange(linger_, 0));
  changed_.Set();
}

Co<void> StatsCollector::WaitWanted(Context context) {
  if (wanted()) co_return;
  latest_ = nullptr;  // it gets old
  Event* const other = agent_ != nullptr ? agent_->some() : own_.some();
  while (!wanted() && !context.cancelled()) co_await WaitAny(context, own_.some(), other);
}

Co<void> StatsCollector::EndWhenUnwanted(Context stream) {
  while (!stream.cancelled()) {
    if (!wanted()) {
      stream.Cancel("nobody wants samples");
      break;
    }
    Event* const gone = own_.wanted() > 0 ? own_.none() : agent_->none();
    [[maybe_unused]] const Status waited = co_await gone->Wait(stream);
  }
}

Co<Status> StatsCollector::OneStream(Context context, const Source* source) {
  Context stream = context.Child();
  Gate watch(loop_);
  watch.Spawn(EndWhenUnwanted(stream));
  ++streams_;
  const Sink sink = [this](TaskUsage usage) {
    ++samples_;
    latest_ = std::make_shared<const TaskUsage>(std::move(usage));
    changed_.Set();
  };
  Status status = co_await (*source)(stream, options_.interval, sink);
  stream.Cancel("the stream has ended");
  co_await watch.Close();
  co_return status;
}

void StatsCollector::Linger() {
  if (!looking_.held()) looking_ = own_.Acquire();
  loop_->Cancel(linger_);
  linger_ = loop_->After(options_.linger, [this] {
    linger_ = 0;
    looking_.Release();
  });
}

Co<Result<StatsCollector::Sample>> StatsCollector::Look(Context context) {
  const Error not_running(Code::kFailedPrecondition, "Task not running");
  if (collecting_) Linger();
  while (latest_ == nullptr) {
    if (ended_) co_return *ended_;
    if (!collecting_) co_return not_running;
    changed_.Reset();
    const Status status = co_await changed_.Wait(context);
    if (!status.ok()) co_return status.error();
  }
  co_return latest_;
}

}  // namespace drover
