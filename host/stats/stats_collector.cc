// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/stats/stats_collector.h"

#include <algorithm>

namespace drover {
namespace {

// Whether STATUS means that another request for samples is useless. Temporary errors are not final.
// For example, an unknown task may be recovered, and a missing driver may be loaded again.
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
    : loop_(loop),
      agent_(agent),
      options_(options),
      demand_(loop, options.linger),
      process_demand_(loop, options.linger),
      changed_(loop) {}

Co<void> StatsCollector::Run(Context context, Source source) {
  DROVER_CHECK(!collecting_);
  collecting_ = true;
  ended_.reset();
  Duration backoff = options_.min_backoff;
  while (!context.cancelled()) {
    co_await WaitWanted(context);
    if (context.cancelled()) break;
    const std::uint64_t before = samples_;
    const UsageDetail detail = wanted_detail();
    const Status status = co_await OneStream(context, &source, detail);
    if (context.cancelled()) break;
    if (IsFinal(status)) {
      ended_ = status.error();
      break;
    }
    // The stream ended because nobody wants samples any more, or because the detail changed. Each
    // of these changes can happen at most twice in the linger time of a Look, so no pause is
    // needed.
    if (!wanted() || detail != wanted_detail()) continue;
    // After any other end of a stream there is a pause. So a driver that closes its streams at
    // once causes no busy loop.
    if (samples_ != before) backoff = options_.min_backoff;
    const Duration wait = status.ok() ? std::max(options_.interval, options_.min_backoff) : backoff;
    if (!status.ok()) backoff = std::min(2 * backoff, options_.max_backoff);
    [[maybe_unused]] const Status slept = co_await Sleep(context, wait);
  }
  collecting_ = false;
  latest_ = nullptr;
  demand_.End();
  process_demand_.End();
  changed_.Set();
}

Co<void> StatsCollector::WaitWanted(Context context) {
  if (wanted()) co_return;
  latest_ = nullptr;  // an old sample would be out of date
  Event* const other = agent_ != nullptr ? agent_->some() : demand_.some();
  while (!wanted() && !context.cancelled()) co_await WaitAny(context, demand_.some(), other);
}

Co<void> StatsCollector::EndWhenUnwanted(Context stream, UsageDetail detail) {
  const bool processes = detail == UsageDetail::kProcesses;
  Event* const otherwise = processes ? process_demand_.none() : process_demand_.some();
  while (!stream.cancelled()) {
    if (!wanted() || wanted_detail() != detail) {
      stream.Cancel("nobody wants such samples");
      break;
    }
    Event* const gone = demand_.wanted() ? demand_.none() : agent_->none();
    co_await WaitAny(stream, gone, otherwise);
  }
}

Co<Status> StatsCollector::OneStream(Context context, const Source* source, UsageDetail detail) {
  Context stream = context.Child();
  Gate watch(loop_);
  watch.Spawn(EndWhenUnwanted(stream, detail));
  ++streams_;
  const Sink sink = [this, detail](TaskUsage usage) {
    ++samples_;
    latest_ = std::make_shared<const TaskUsage>(std::move(usage));
    latest_detail_ = detail;
    changed_.Set();
  };
  const StatsRequest request{options_.interval, detail};
  Status status = co_await (*source)(stream, request, sink);
  stream.Cancel("the stream has ended");
  co_await watch.Close();
  co_return status;
}

Co<Result<StatsCollector::Sample>> StatsCollector::Look(Context context, UsageDetail detail) {
  const Error not_running(Code::kFailedPrecondition, "Task not running");
  if (collecting_) {
    demand_.Renew();
    if (detail == UsageDetail::kProcesses) process_demand_.Renew();
  }
  while (!Shows(detail)) {
    if (ended_) co_return *ended_;
    if (!collecting_) co_return not_running;
    changed_.Reset();
    const Status status = co_await changed_.Wait(context);
    if (status.ok()) continue;
    if (latest_ != nullptr) break;
    co_return status.error();
  }
  co_return latest_;
}

}  // namespace drover
