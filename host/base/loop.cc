// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/loop.h"

#include <sys/timerfd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <exception>
#include <optional>

namespace drover {
namespace asio = boost::asio;

Loop::Loop() = default;
Loop::~Loop() = default;

Loop::TimerId Loop::At(TimePoint at, std::function<void()> function) {
  const TimerId id = next_timer_++;
  const bool first = timers_.empty() || at < FirstTimer();
  timers_.emplace(Key(at, id), std::move(function));
  timer_times_.emplace(id, at);
  if (first) TimersChanged();
  return id;
}

void Loop::Cancel(TimerId id) {
  const auto found = timer_times_.find(id);
  if (found == timer_times_.end()) return;
  timers_.erase(Key(found->second, id));
  timer_times_.erase(found);
}

void Loop::FireTimers(TimePoint now) {
  while (!timers_.empty() && FirstTimer() <= now) {
    auto node = timers_.extract(timers_.begin());
    timer_times_.erase(node.key().second);
    node.mapped()();
  }
}

void Loop::Post(std::function<void()> function) { asio::post(io_, std::move(function)); }

void Loop::Spawn(Co<void> coroutine) {
  asio::co_spawn(io_, std::move(coroutine), [](std::exception_ptr thrown) {
    if (!thrown) return;
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& e) {
      internal::Die(__FILE__, __LINE__, "an exception left a coroutine", e.what());
    }
  });
}

struct RealLoop::Timer {
  explicit Timer(asio::io_context& io)
      : descriptor(io, timerfd_create(CLOCK_BOOTTIME, TFD_CLOEXEC | TFD_NONBLOCK)) {}
  asio::posix::stream_descriptor descriptor;
  std::optional<TimePoint> armed;
  bool waiting = false;
};

RealLoop::RealLoop() : timer_(std::make_unique<Timer>(io())) {
  DROVER_CHECK(timer_->descriptor.native_handle() >= 0);
}
RealLoop::~RealLoop() = default;

void RealLoop::Run() {
  const auto work = asio::make_work_guard(io());
  io().restart();
  io().run();
}

void RealLoop::Stop() { io().stop(); }

bool RealLoop::RunToEnd(Co<void> coroutine, Duration limit) {
  // The flag is shared, because after a timeout the coroutine outlives this call.
  auto ended = std::make_shared<bool>(false);
  auto whole = [](Co<void> inner, std::shared_ptr<bool> flag) -> Co<void> {
    co_await std::move(inner);
    *flag = true;
  };
  Spawn(whole(std::move(coroutine), ended));
  const auto work = asio::make_work_guard(io());
  io().restart();
  const TimePoint end = Now() + limit;
  while (!*ended && Now() < end) io().run_one_for(std::max(Duration(1), end - Now()));
  return *ended;
}

void RealLoop::TimersChanged() {
  if (!HasTimer() || (timer_->armed && *timer_->armed <= FirstTimer())) return;
  timer_->armed = FirstTimer();
  const Duration::rep at = std::max<Duration::rep>(1, FirstTimer().time_since_epoch().count());
  itimerspec spec{};
  spec.it_value.tv_sec = at / 1'000'000'000;
  spec.it_value.tv_nsec = at % 1'000'000'000;
  DROVER_CHECK(
      timerfd_settime(timer_->descriptor.native_handle(), TFD_TIMER_ABSTIME, &spec, nullptr) == 0);
  if (timer_->waiting) return;
  timer_->waiting = true;
  timer_->descriptor.async_wait(
      asio::posix::descriptor_base::wait_read, [this](const boost::system::error_code& error) {
        if (error) return;  // the loop is being destroyed
        std::uint64_t expirations = 0;
        [[maybe_unused]] const ssize_t n =
            read(timer_->descriptor.native_handle(), &expirations, sizeof expirations);
        timer_->waiting = false;
        timer_->armed.reset();
        FireTimers(Now());
        TimersChanged();
      });
}

void SimLoop::RunReady() {
  io().restart();
  while (io().poll() > 0) {
  }
}

void SimLoop::Advance(Duration duration) {
  const TimePoint end = now_ + duration;
  RunReady();
  while (HasTimer() && FirstTimer() <= end) {
    now_ = std::max(now_, FirstTimer());
    FireTimers(now_);
    RunReady();
  }
  now_ = end;
}

bool SimLoop::RunUntil(const std::function<bool()>& done, Duration limit) {
  const TimePoint end = now_ + limit;
  RunReady();
  while (!done()) {
    if (!HasTimer() || FirstTimer() > end) return false;
    now_ = std::max(now_, FirstTimer());
    FireTimers(now_);
    RunReady();
  }
  return true;
}

bool SimLoop::RunToEnd(Co<void> coroutine, Duration limit) {
  auto ended = std::make_shared<bool>(false);
  auto whole = [](Co<void> inner, std::shared_ptr<bool> flag) -> Co<void> {
    co_await std::move(inner);
    *flag = true;
  };
  Spawn(whole(std::move(coroutine), ended));
  return RunUntil([ended] { return *ended; }, limit);
}

}  // namespace drover
