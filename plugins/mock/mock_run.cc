// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "mock_run.h"

#include <errno.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

namespace mock {

// A write to a pipe without a reader raises SIGPIPE. A plugin must not change the signal handlers
// of the host's process. So WriteAll blocks the signal in this thread, and consumes it.
void WriteAll(int fd, const std::string& text) {
  sigset_t pipe_signal, before;
  sigemptyset(&pipe_signal);
  sigaddset(&pipe_signal, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
  std::size_t done = 0;
  bool broken = false;
  while (done < text.size()) {
    ssize_t n = ::write(fd, text.data() + done, text.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) {
      broken = errno == EPIPE;
      break;
    }
    done += static_cast<std::size_t>(n);
  }
  if (broken) {
    timespec none = {0, 0};
    while (::sigtimedwait(&pipe_signal, nullptr, &none) < 0 && errno == EINTR) {
    }
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

void MockRun::Begin(Duration remaining, std::shared_ptr<drover::OutputPipes> pipes, bool speak) {
  auto self = shared_from_this();
  bool say[2] = {false, false};
  {
    std::lock_guard<std::mutex> lock(mutex_);
    pipes_ = std::move(pipes);
    for (int i = 0; i < 2; ++i) {
      say[i] = speak && pipes_ != nullptr && !spec_.output[i].text.empty();
      speaking_[i] = say[i];
    }
    if (remaining.count() > 0) {
      StartTime(remaining);
    } else {
      time_over_ = true;
    }
  }
  for (int i = 0; i < 2; ++i) {
    if (say[i]) Say(i, spec_.output[i].repeat);
  }
  EndIfOver();
}

void MockRun::StartTime(Duration remaining) {
  ends_at_ = drover::WallNow() + remaining.count();
  life_ = host_.After(remaining, [self = shared_from_this()] {
    {
      std::lock_guard<std::mutex> timing(self->mutex_);
      self->time_over_ = true;
    }
    self->EndIfOver();
  });
}

void MockRun::Pause(bool paused) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (paused_ == paused || time_over_) return;
  paused_ = paused;
  if (!paused) return StartTime(left_);
  life_.Cancel();
  left_ = Duration(std::max<std::int64_t>(1, ends_at_ - drover::WallNow()));
}

bool MockRun::paused() {
  std::lock_guard<std::mutex> lock(mutex_);
  return paused_;
}

void MockRun::Say(int stream, std::int64_t again) {
  auto self = shared_from_this();
  host_.Post([self, stream, again] {
    std::shared_ptr<drover::OutputPipes> pipes;
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      pipes = self->pipes_;
    }
    if (pipes != nullptr) {
      WriteAll(stream == 0 ? pipes->output.get() : pipes->error.get(),
               self->spec_.output[stream].text);
    }
    if (again > 0) {
      self->SayLater(stream, again);
    } else {
      self->OutputOver(stream);
    }
  });
}

void MockRun::SayLater(int stream, std::int64_t again) {
  auto self = shared_from_this();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!killed_) {
      gap_[stream] = host_.After(spec_.output[stream].gap,
                                 [self, stream, again] { self->Say(stream, again - 1); });
      return;
    }
  }
  OutputOver(stream);
}

void MockRun::OutputOver(int stream) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    speaking_[stream] = false;
  }
  EndIfOver();
}

void MockRun::Kill() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    killed_ = true;
    time_over_ = true;
    life_.Cancel();
    for (int i = 0; i < 2; ++i) {
      if (gap_[i].Cancel()) speaking_[i] = false;
    }
  }
  EndIfOver();
}

void MockRun::EndIfOver() {
  Ended ended;
  std::shared_ptr<drover::OutputPipes> pipes;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!time_over_ || speaking_[0] || speaking_[1]) return;
    ended.swap(ended_);
    // Close the pipes before the end is reported, so that the output is then complete.
    pipes.swap(pipes_);
  }
  pipes.reset();
  if (!ended) return;
  drover::ExitResult result;
  result.exit_code = spec_.exit_code;
  result.signal = spec_.exit_signal;
  result.error = spec_.exit_err_msg;
  ended(result);
}

}  // namespace mock
