// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/log_writer.h"

#include <poll.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <climits>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

namespace drover {
namespace {

using Clock = std::chrono::steady_clock;

// How many milliseconds the thread waits for a writable descriptor before it checks its deadline.
constexpr int kLookMs = 50;
constexpr int kLastWordsMs = 500;

class DescriptorTarget : public LogTarget {
 public:
  explicit DescriptorTarget(int fd) : fd_(fd) {}

  bool HasRoom(int wait_ms) override {
    pollfd one{fd_, POLLOUT, 0};
    return ::poll(&one, 1, wait_ms) > 0;
  }

  bool WriteSome(std::string_view* text) override {
    // A pipe that poll reports as writable accepts this many bytes without blocking.
    const ssize_t written =
        ::write(fd_, text->data(), std::min<std::size_t>(text->size(), PIPE_BUF));
    if (written < 0) return errno == EINTR || errno == EAGAIN;
    text->remove_prefix(static_cast<std::size_t>(written));
    return true;
  }

 private:
  const int fd_;
};

}  // namespace

struct LogWriter::State {
  enum class Mode { kDirect, kThread, kFinishing, kLost };

  State(std::unique_ptr<LogTarget> to, GapLine line, std::size_t most)
      : target(std::move(to)), gap(std::move(line)), most_bytes(most) {}

  const std::unique_ptr<LogTarget> target;
  const GapLine gap;
  const std::size_t most_bytes;
  std::mutex mutex;
  std::condition_variable changed;
  Mode mode = Mode::kDirect;
  std::string lines;
  std::size_t dropped = 0;
  std::atomic<std::size_t> unwritten{0};      // bytes in accepted lines that are not written yet
  std::optional<Clock::time_point> deadline;  // set by Finish
  bool ended = false;
  bool gave_up = false;  // the thread ended before it had written all accepted lines
  std::thread thread;

  bool Late() {
    const std::lock_guard lock(mutex);
    return deadline && Clock::now() >= *deadline;
  }
};

LogWriter::LogWriter(int fd, GapLine gap, std::size_t most_bytes)
    : LogWriter(std::make_unique<DescriptorTarget>(fd), std::move(gap), most_bytes) {}

LogWriter::LogWriter(std::unique_ptr<LogTarget> target, GapLine gap, std::size_t most_bytes)
    : state_(std::make_shared<State>(std::move(target), std::move(gap), most_bytes)) {}

LogWriter::~LogWriter() { Finish(Duration(0)); }

void LogWriter::Write(std::string_view line) {
  std::unique_lock lock(state_->mutex);
  switch (state_->mode) {
    case State::Mode::kDirect:
      lock.unlock();
      while (!line.empty() && state_->target->WriteSome(&line)) {
        if (!line.empty()) state_->target->HasRoom(kLookMs);
      }
      return;
    case State::Mode::kThread:
    case State::Mode::kFinishing:
      // After a dropped line, all later lines are dropped too, until the thread writes the line
      // that reports the number of dropped lines.
      if (state_->dropped > 0 || state_->lines.size() + line.size() > state_->most_bytes) {
        ++state_->dropped;
      } else {
        state_->lines += line;
        state_->unwritten += line.size();
      }
      state_->changed.notify_all();
      return;
    case State::Mode::kLost:
      return;
  }
}

void LogWriter::Start() {
  const std::lock_guard lock(state_->mutex);
  if (state_->mode != State::Mode::kDirect) return;
  // The new thread inherits this mask, which blocks all signals. So signals are delivered only to
  // the threads that wait for them.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    state_->thread = std::thread([state = state_] { Run(state); });
    pthread_setname_np(state_->thread.native_handle(), "drover-log");
    state_->mode = State::Mode::kThread;
    state_->ended = false;
    state_->deadline.reset();
  } catch (const std::system_error&) {
    // Without a thread, the callers continue to write their lines themselves.
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void LogWriter::Run(const std::shared_ptr<State>& state) {
  std::unique_lock lock(state->mutex);
  while (true) {
    state->changed.wait(lock, [&] {
      return !state->lines.empty() || state->dropped > 0 || state->mode == State::Mode::kFinishing;
    });
    std::string lines = std::exchange(state->lines, {});
    const std::size_t dropped = std::exchange(state->dropped, 0);
    const std::size_t taken = lines.size();
    if (lines.empty() && dropped == 0) break;
    lock.unlock();
    if (dropped > 0) lines += state->gap(dropped);
    std::string_view rest = lines;
    bool late = false;
    while (!rest.empty() && !late) {
      // Each line is written by itself, because other processes may write to the same file between
      // the lines.
      std::string_view line = rest.substr(0, std::min(rest.find('\n'), rest.size() - 1) + 1);
      rest.remove_prefix(line.size());
      while (!line.empty() && !late) {
        if (state->target->HasRoom(kLookMs) && !state->target->WriteSome(&line)) break;
        late = !line.empty() && state->Late();
      }
    }
    state->unwritten -= taken;
    lock.lock();
    state->gave_up = late;
    if (late) break;
  }
  state->ended = true;
  state->changed.notify_all();
}

void LogWriter::Finish(Duration limit) {
  std::unique_lock lock(state_->mutex);
  if (state_->mode != State::Mode::kThread) return;
  state_->mode = State::Mode::kFinishing;
  state_->deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(limit);
  state_->changed.notify_all();
  const auto last = *state_->deadline + std::chrono::milliseconds(2 * kLookMs);
  const bool ended = state_->changed.wait_until(lock, last, [this] { return state_->ended; });
  std::thread thread = std::move(state_->thread);
  const bool all = ended && !state_->gave_up && state_->lines.empty() && state_->dropped == 0;
  state_->mode = all ? State::Mode::kDirect : State::Mode::kLost;
  lock.unlock();
  // A thread that hangs in a write is detached. It shares ownership of the state.
  if (ended) {
    thread.join();
  } else {
    thread.detach();
  }
}

void LogWriter::LastWords() const {
  // This function must only make calls that are safe in a signal handler.
  for (int i = 0; i < kLastWordsMs && state_->unwritten.load() > 0; ++i) {
    const timespec moment{0, 1'000'000};
    nanosleep(&moment, nullptr);
  }
}

}  // namespace drover
