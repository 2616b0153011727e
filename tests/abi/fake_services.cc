// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>

#include "fake_state.h"

namespace drover_test {

struct Service::Functions {
  static const void* get_extension(const drover_host* host, drover_str id);

  static void complete(const drover_host* host, std::uint64_t id, const drover_error* error,
                       const void* result) {
    Service::Self(host)->Completed(id, error, result);
  }
  static std::int32_t call_is_cancelled(const drover_host* host, std::uint64_t id) {
    FakeHost* self = Service::Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    auto found = self->calls_.find(id);
    return found == self->calls_.end() || found->second->cancelled ? 1 : 0;
  }
  static std::int32_t call_cancel_fd(const drover_host*, std::uint64_t, drover_fd*,
                                     drover_error* error) {
    return Fail(error, DROVER_E_UNIMPLEMENTED, "not in the fake host");
  }
  static std::int32_t stream_send(const drover_host* host, std::uint64_t id,
                                  const drover_message* message) {
    FakeHost* self = Service::Self(host);
    Message out;
    out.type = message->type;
    if (message->type == DROVER_MESSAGE_FINGERPRINT) {
      auto* in = reinterpret_cast<const drover_fingerprint*>(message);
      out.health = in->health;
      out.description = Text(in->description);
      out.attributes = Pairs(in->attributes);
    } else if (message->type == DROVER_MESSAGE_EVENT) {
      auto* in = reinterpret_cast<const drover_event*>(message);
      out.description = Text(in->message);
      out.attributes = Pairs(in->annotations);
    } else {
      auto* in = reinterpret_cast<const drover_stats*>(message);
      out.timestamp = in->timestamp;
      if (in->total != nullptr) {
        out.measured = in->total->measured;
        out.rss = in->total->rss;
      }
      auto* at = static_cast<const char*>(in->processes.data);
      for (std::size_t i = 0; i < in->processes.count; ++i, at += in->processes.element_size) {
        out.pids.push_back(reinterpret_cast<const drover_usage*>(at)->pid);
      }
    }
    std::lock_guard<std::mutex> lock(self->mutex_);
    StreamLog& stream = self->streams_[id];
    if (stream.ended) ++stream.after_end;
    stream.messages.push_back(out);
    self->changed_.notify_all();
    return stream.messages.size() >= self->stop_after_ ? 1 : 0;
  }
  static void stream_end(const drover_host* host, std::uint64_t id, const drover_error* error) {
    FakeHost* self = Service::Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    StreamLog& stream = self->streams_[id];
    if (stream.ended) ++stream.after_end;
    stream.ended = true;
    if (error != nullptr) stream.error = Read(0, *error);
    self->changed_.notify_all();
  }

  static void log(const drover_host* host, std::int32_t level, const drover_run_id*,
                  drover_str message) {
    FakeHost* self = Service::Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    self->log_ += std::to_string(level) + " " + Text(message) + "\n";
  }

  static std::int32_t report(const drover_host* host, std::uint64_t id,
                             const drover_progress_report* report) {
    FakeHost* self = Service::Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    if (self->calls_.count(id) == 0) return 0;
    self->progress_.push_back(Text(report->phase) + " " + std::to_string(report->done) + "/" +
                              std::to_string(report->total) + " " + Text(report->unit));
    return 1;
  }
  static std::int32_t extend(const drover_host* host, std::uint64_t id, std::int64_t) {
    FakeHost* self = Service::Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    return self->calls_.count(id) == 0 ? 0 : 1;
  }

  static std::int32_t cancel(const drover_host* host, std::uint64_t id) {
    FakeHost* self = Service::Self(host);
    std::lock_guard<std::mutex> lock(self->mutex_);
    for (auto at = self->timers_.begin(); at != self->timers_.end(); ++at) {
      if (at->second.id != id) continue;
      self->timers_.erase(at);
      return 1;
    }
    return 0;
  }

  static std::int32_t open_output(const drover_host* host, const drover_run_id* run,
                                  drover_done done, void* context, drover_error*) {
    FakeHost* self = Service::Self(host);
    auto process = std::make_shared<FakeHost::Process>();
    process->run = *run;
    process->exit = Exit{};
    int pipes[2][2];
    if (pipe2(pipes[0], O_CLOEXEC) != 0 || pipe2(pipes[1], O_CLOEXEC) != 0) abort();
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      self->processes_[Key(*run)] = process;
      for (int i = 0; i < 2; ++i) Service::Collect(self, process, pipes[i][0], i);
    }
    self->Post([done, context, out = pipes[0][1], err = pipes[1][1]] {
      drover_task_output_pipes raw = {};
      raw.struct_size = sizeof raw;
      raw.output = drover_fd{out, DROVER_FD_GIVEN};
      raw.error = drover_fd{err, DROVER_FD_GIVEN};
      done(context, nullptr, &raw);
    });
    return DROVER_OK;
  }
};

std::uint64_t Service::after(const drover_host* host, std::int64_t delay, void (*function)(void*),
                             void* context) {
  FakeHost* self = Service::Self(host);
  std::lock_guard<std::mutex> lock(self->mutex_);
  std::uint64_t id = ++self->last_id_;
  // Clamped: a delay that the driver may use can overflow a time point.
  auto at = self->Now() +
            std::chrono::nanoseconds(std::min<std::int64_t>(delay, 1000000000ll * 3600 * 100000));
  self->timers_.emplace(at, FakeHost::Timer{id, function, context});
  self->changed_.notify_all();
  return id;
}

void Service::Collect(FakeHost* self, const std::shared_ptr<FakeHost::Process>& process, int fd,
                      int stream) {
  self->watchers_.emplace_back([self, process, fd, stream] {
    char buffer[4096];
    for (ssize_t n; (n = read(fd, buffer, sizeof buffer)) > 0;) {
      std::lock_guard<std::mutex> reading(self->mutex_);
      process->output[stream].append(buffer, static_cast<std::size_t>(n));
    }
    close(fd);
  });
}

const void* Service::Functions::get_extension(const drover_host* host, drover_str id) {
  static const drover_diag_log kLog = {sizeof(drover_diag_log), 0, &log};
  static const drover_timer kTimer = {sizeof(drover_timer), 0, &Service::after, &cancel};
  static const drover_task_output kOutput = {sizeof(drover_task_output), 0, &open_output};
  static const drover_progress kProgress = {sizeof(drover_progress), 0, &report, &extend};
  if (Service::Self(host)->no_services_) return nullptr;
  std::string name = Text(id);
  if (name == DROVER_PROCESS_ID) return FakeProcesses::Table();
  if (name == DROVER_DIAG_LOG_ID) return &kLog;
  if (name == DROVER_TIMER_ID) return &kTimer;
  if (name == DROVER_TASK_OUTPUT_ID) return &kOutput;
  if (name == DROVER_PROGRESS_ID) return &kProgress;
  return nullptr;
}

void Service::Fill(drover_host* host) {
  host->struct_size = sizeof(drover_host);
  host->abi_minor = DROVER_ABI_MINOR;
  host->get_extension = &Functions::get_extension;
  host->complete = &Functions::complete;
  host->call_is_cancelled = &Functions::call_is_cancelled;
  host->call_cancel_fd = &Functions::call_cancel_fd;
  host->stream_send = &Functions::stream_send;
  host->stream_end = &Functions::stream_end;
}

}  // namespace drover_test
