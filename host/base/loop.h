// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "host/base/co.h"
#include "host/base/time.h"

namespace drover {

// The control thread: an asio io_context and the timers of everything that runs on it. All runner
// state belongs to the thread that runs the loop, so the state needs no locks. Only that thread may
// call the methods, except Post.
class Loop {
 public:
  // The id of a timer; never 0.
  using TimerId = std::uint64_t;

  Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  virtual ~Loop();

  boost::asio::io_context& io() { return io_; }
  boost::asio::any_io_executor executor() { return io_.get_executor(); }

  virtual TimePoint Now() const = 0;
  virtual WallTime Wall() const = 0;

  // Calls FUNCTION once on this thread at AT or as soon as possible after it.
  TimerId At(TimePoint at, std::function<void()> function);
  TimerId After(Duration delay, std::function<void()> function) {
    return At(Now() + delay, std::move(function));
  }
  // Removes a timer. Ignores 0 and the id of a timer that has already fired.
  void Cancel(TimerId id);

  // Runs FUNCTION on the control thread, later. [any thread]
  void Post(std::function<void()> function);

  // Starts a coroutine that nobody waits for. An exception that leaves the coroutine aborts the
  // program. Such an exception is a bug, because errors are values in this program. Prefer
  // Gate::Spawn, whose coroutines can be joined.
  void Spawn(Co<void> coroutine);

  std::size_t live_timers() const { return timers_.size(); }

 protected:
  // Called after a new timer was added that is due before all other timers.
  virtual void TimersChanged() {}
  // Calls all timers that are due at NOW.
  void FireTimers(TimePoint now);
  bool HasTimer() const { return !timers_.empty(); }
  TimePoint FirstTimer() const { return timers_.begin()->first.first; }

 private:
  using Key = std::pair<TimePoint, TimerId>;
  std::map<Key, std::function<void()>> timers_;
  std::map<TimerId, TimePoint> timer_times_;
  TimerId next_timer_ = 1;
  // Must be the last member, because it must be destroyed first: the destruction of a suspended
  // coroutine may cancel timers.
  boost::asio::io_context io_{1};
};

// The loop of a real program. It uses the time of CLOCK_BOOTTIME and one timerfd.
class RealLoop : public Loop {
 public:
  RealLoop();
  ~RealLoop() override;

  TimePoint Now() const override { return BootClock::now(); }
  WallTime Wall() const override { return WallNow(); }

  // Runs the loop on the calling thread until Stop. The calling thread is the control thread.
  void Run();
  void Stop();  // [any thread]
  // Runs the loop until COROUTINE has ended, and returns true. Returns false if COROUTINE has not
  // ended after LIMIT; then COROUTINE continues in the next Run.
  bool RunToEnd(Co<void> coroutine, Duration limit = 60s);

 protected:
  void TimersChanged() override;

 private:
  struct Timer;
  std::unique_ptr<Timer> timer_;
};

// The loop of a test. Its time stands still until the test advances it, so no test sleeps.
class SimLoop : public Loop {
 public:
  TimePoint Now() const override { return now_; }
  WallTime Wall() const override { return kWallStart + now_.time_since_epoch().count(); }

  // Runs all work that is ready, without advancing the time.
  void RunReady();
  // Advances the time by DURATION, from timer to timer, and runs all work that becomes ready.
  void Advance(Duration duration);
  // Advances the time from timer to timer until COROUTINE has ended. Returns false if no timer is
  // left, or if LIMIT of simulated time has passed.
  bool RunToEnd(Co<void> coroutine, Duration limit = std::chrono::hours(24));
  // Like RunToEnd, but until DONE() is true.
  bool RunUntil(const std::function<bool()>& done, Duration limit = std::chrono::hours(24));

 private:
  static constexpr WallTime kWallStart = 1'700'000'000'000'000'000;
  TimePoint now_{std::chrono::seconds(1000)};
};

}  // namespace drover
