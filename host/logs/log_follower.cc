// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/logs/log_follower.h"

#include <utility>

namespace drover {
namespace {

// SINK belongs to the follower, which outlives this coroutine.
Co<Status> CallSink(const LogFollower::Sink* sink, LogChunk chunk) {
  (*sink)(std::move(chunk));
  co_return Status();
}

LogFollower::CoSink Wrap(LogFollower::Sink sink) {
  const auto shared = std::make_shared<const LogFollower::Sink>(std::move(sink));
  return [shared](LogChunk chunk) { return CallSink(shared.get(), std::move(chunk)); };
}

}  // namespace

LogFollower::LogFollower(Loop* loop, std::string directory, std::string task, std::string stream,
                         Sink sink, LogFollowOptions options)
    : options_(options),
      sink_(Wrap(std::move(sink))),
      reader_(std::move(directory), std::move(task), std::move(stream), options.start),
      finish_(loop) {}

LogFollower::LogFollower(Loop* loop, UniqueFd directory, std::string task, std::string stream,
                         CoSink sink, LogFollowOptions options)
    : options_(options),
      sink_(std::move(sink)),
      reader_(std::move(directory), std::move(task), std::move(stream), options.start),
      finish_(loop) {}

Co<LogReader::Step> LogFollower::ReadOnPool() {
  // The worker thread may use the reader, because no other thread uses the reader during this
  // call.
  if (options_.pool == nullptr) co_return reader_.Read(kChunk);
  co_return co_await options_.pool->Run([this] { return reader_.Read(kChunk); });
}

Co<void> LogFollower::WaitForMore(Context context) {
  if (watch_ == nullptr) {
    const Context pause = context.WithTimeout(kPoll);
    [[maybe_unused]] const Status woken = co_await finish_.Wait(pause);
    co_return;
  }
  const Context pause = context.WithTimeout(kWatchedPoll);
  co_await WaitAny(pause, &finish_, &watch_->changed());
}

Co<Status> LogFollower::Follow(Context context) {
  while (!context.cancelled()) {
    if (watch_ == nullptr && options_.watcher != nullptr && options_.follow) {
      watch_ = options_.watcher->Add(finish_.loop(), reader_.directory());
    }
    // The event must be reset before the read. Then a change after the reset ends the next wait.
    if (watch_ != nullptr) watch_->changed().Reset();
    const bool last = finish_.is_set() || !options_.follow;
    LogReader::Step step = co_await ReadOnPool();
    if (step.chunk) {
      Co<Status> taken = sink_(std::move(*step.chunk));
      DROVER_CO_TRY(co_await std::move(taken));
    }
    if (!options_.follow && step.past_first_end) co_return Status();
    if (step.more) continue;
    if (last || step.gone) co_return Status();
    co_await WaitForMore(context);
  }
  co_return context.status();
}

Co<void> LogFollower::Run(Context context) {
  [[maybe_unused]] const Status ended = co_await Follow(context);
}

}  // namespace drover
