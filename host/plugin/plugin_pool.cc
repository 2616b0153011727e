// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/plugin_pool.h"

#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <vector>

#include "host/base/context.h"
#include "host/base/patience.h"

namespace drover {

// Shared with the threads, which outlive the pool if a plugin's functions never return.
struct PluginPool::State {
  struct Running {
    std::string what;
    TimePoint until;
    // The time for which the job may hold its thread, divided by Patience::kParts.
    Duration part;
    int parts_left = Patience::kParts - 1;
    bool written_off = false;
  };

  State(Loop* on, std::shared_ptr<LoopPort> to, int most, int off, std::function<void()> hear)
      : loop(on),
        port(std::move(to)),
        max_threads(most),
        max_held(off),
        changed(std::move(hear)),
        quiet(on),
        ended(on) {}

  // Returns true if a job waits or runs. Ignores jobs whose threads were written off.
  bool Busy() const {
    return !queue.empty() || std::any_of(running.begin(), running.end(), [](const auto& entry) {
      return !entry.second.written_off;
    });
  }

  // Takes the next job that may run now. A control job may run only when no other control job
  // runs.
  std::optional<Job> Take() {
    for (auto at = queue.begin(); at != queue.end(); ++at) {
      if (at->control && control_busy) continue;
      Job job = std::move(*at);
      queue.erase(at);
      if (job.control) control_busy = true;
      return job;
    }
    return std::nullopt;
  }

  Loop* const loop;  // for the control thread only
  const std::shared_ptr<LoopPort> port;
  const int max_threads;
  const int max_held;

  std::mutex mutex;
  std::condition_variable work;
  std::deque<Job> queue;
  bool control_busy = false;
  bool closed = false;
  bool draining = false;  // Drain waits until Busy() is false
  int idle = 0;
  int held = 0;
  std::uint64_t next_id = 1;
  std::map<std::uint64_t, std::thread> threads;  // without the threads that were written off
  std::map<std::uint64_t, Running> running;
  std::vector<std::uint64_t> finished;
  TimePoint watch_at = TimePoint::max();  // time of the control thread's next Watch

  // The members below are for the control thread.
  std::function<void()> changed;
  Event quiet;  // set when Drain must check Busy() again
  Event ended;
  Loop::TimerId timer = 0;
};

PluginPool::PluginPool(Loop* loop, std::shared_ptr<LoopPort> port, int threads, int written_off,
                       std::function<void()> changed)
    : loop_(loop),
      state_(std::make_shared<State>(loop, std::move(port), threads, written_off,
                                     std::move(changed))) {}

PluginPool::~PluginPool() {
  const std::lock_guard lock(state_->mutex);
  DROVER_CHECK(state_->threads.empty());  // fails if Close was not awaited
  state_->changed = nullptr;
}

bool PluginPool::MakeThread(const std::shared_ptr<State>& state) {
  // The thread blocks all signals, because they are for the agent's own threads.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const std::uint64_t id = state->next_id++;
  bool made = true;
  try {
    state->threads.emplace(id, std::thread([state, id] { Work(state, id); }));
  } catch (const std::system_error&) {
    made = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return made;
}

bool PluginPool::Post(Job job) {
  {
    const std::lock_guard lock(state_->mutex);
    if (state_->closed || state_->held >= state_->max_held) return false;
    state_->queue.push_back(std::move(job));
    if (state_->idle < static_cast<int>(state_->queue.size()) &&
        static_cast<int>(state_->threads.size()) < state_->max_threads) {
      if (!MakeThread(state_) && state_->threads.empty()) {
        state_->queue.pop_back();
        return false;
      }
    }
  }
  // The lock is released before this call, because the thread that wakes acquires the lock
  // immediately.
  state_->work.notify_one();
  return true;
}

void PluginPool::Work(const std::shared_ptr<State>& state, std::uint64_t id) {
  std::unique_lock lock(state->mutex);
  while (true) {
    std::optional<Job> job = state->Take();
    if (!job) {
      if (state->closed && state->queue.empty()) break;
      ++state->idle;
      state->work.wait(lock);
      --state->idle;
      continue;
    }
    const Duration part = std::max(job->hold / Patience::kParts, Duration(1));
    const TimePoint until = BootClock::now() + part;
    state->running[id] = {job->what, until, part};
    if (until < state->watch_at) {
      state->watch_at = until;
      state->port->Post([state] { Watch(state); });
    }
    lock.unlock();
    job->run();
    job->run = nullptr;
    lock.lock();
    const bool written_off = state->running[id].written_off;
    state->running.erase(id);
    if (state->draining && !state->Busy()) state->port->Post([state] { state->quiet.Set(); });
    if (job->control) {
      state->control_busy = false;
      // The next control job may run now. This thread may take another job first, so it wakes
      // another thread for the control job.
      if (!state->queue.empty()) state->work.notify_one();
    }
    if (written_off) {
      --state->held;
      state->port->Post([state] {
        if (state->changed) state->changed();
      });
      return;  // a new thread has replaced this one
    }
  }
  state->finished.push_back(id);
  state->work.notify_all();
  if (state->finished.size() == state->threads.size()) {
    state->port->Post([state] { state->ended.Set(); });
  }
}

// Writes off the threads that a job holds for too long, and sets the timer for the next check.
// Control thread.
void PluginPool::Watch(const std::shared_ptr<State>& state) {
  state->loop->Cancel(std::exchange(state->timer, 0));
  bool changed = false;
  {
    const std::lock_guard lock(state->mutex);
    const TimePoint now = BootClock::now();
    TimePoint next = TimePoint::max();
    for (auto& [id, running] : state->running) {
      if (running.written_off) continue;
      const bool stood_still = now - running.until >= running.part;
      if (running.until <= now && (stood_still || running.parts_left > 0)) {
        if (!stood_still) --running.parts_left;
        running.until = now + running.part;
      }
      if (running.until > now) {
        next = std::min(next, running.until);
        continue;
      }
      running.written_off = true;
      ++state->held;
      changed = true;
      const auto thread = state->threads.find(id);
      thread->second.detach();
      state->threads.erase(thread);
      if (!state->queue.empty() || !state->closed) MakeThread(state);
    }
    if (state->closed && state->finished.size() == state->threads.size()) state->ended.Set();
    state->watch_at = next;
    if (next != TimePoint::max()) {
      std::weak_ptr<State> weak = state;
      state->timer = state->loop->After(next - now, [weak] {
        const auto alive = weak.lock();
        if (!alive) return;
        alive->timer = 0;
        Watch(alive);
      });
    }
  }
  if (!changed) return;
  state->quiet.Set();
  if (state->changed) state->changed();
}

int PluginPool::held() const {
  const std::lock_guard lock(state_->mutex);
  return state_->held;
}

std::string PluginPool::held_by() const {
  const std::lock_guard lock(state_->mutex);
  for (const auto& [id, running] : state_->running) {
    if (running.written_off) return running.what;
  }
  return {};
}

bool PluginPool::exhausted() const {
  const std::lock_guard lock(state_->mutex);
  return state_->held >= state_->max_held;
}

int PluginPool::threads() const {
  const std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->threads.size());
}

Co<void> PluginPool::Drain(TimePoint deadline) {
  const std::shared_ptr<State> state = state_;
  const Context forever(loop_);
  const Context until = forever.WithDeadline(deadline);
  while (!until.cancelled()) {
    state->quiet.Reset();
    {
      const std::lock_guard lock(state->mutex);
      state->draining = state->Busy();
      if (!state->draining) break;
    }
    (void)co_await state->quiet.Wait(until);
  }
}

Co<void> PluginPool::Close(TimePoint deadline) {
  const std::shared_ptr<State> state = state_;
  {
    const std::lock_guard lock(state->mutex);
    state->closed = true;
    state->work.notify_all();
    if (state->finished.size() == state->threads.size()) state->ended.Set();
  }
  const Context forever(loop_);
  const Context until = forever.WithDeadline(deadline);
  (void)co_await state->ended.Wait(until);
  loop_->Cancel(std::exchange(state->timer, 0));
  std::vector<std::thread> over;
  {
    const std::lock_guard lock(state->mutex);
    for (const std::uint64_t id : state->finished) over.push_back(std::move(state->threads[id]));
    for (const std::uint64_t id : state->finished) state->threads.erase(id);
    state->finished.clear();
    for (auto& [id, thread] : state->threads) {
      thread.detach();
      state->running[id].written_off = true;
      ++state->held;
    }
    state->threads.clear();
    state->queue.clear();
    state->watch_at = TimePoint::min();  // with this value, no thread posts a Watch
    state->changed = nullptr;
  }
  // Each join returns soon, since the thread has finished its last job.
  for (std::thread& thread : over) thread.join();
}

}  // namespace drover
