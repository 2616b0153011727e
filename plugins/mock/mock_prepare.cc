// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "mock_prepare.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "drover/progress.hpp"

namespace mock {
namespace {

using drover::Code;
using drover::Error;

constexpr std::uint64_t kSize = 27u << 20;  // of everything that is prepared
constexpr std::chrono::milliseconds kStep{100};

}  // namespace

void MockPrepares::SetLog(std::string path) {
  std::lock_guard<std::mutex> lock(mutex_);
  log_ = std::move(path);
}

void MockPrepares::Note(const std::string& line) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (log_.empty()) return;
  const int fd = ::open(log_.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  const std::string whole = line + "\n";
  (void)!::write(fd, whole.data(), whole.size());
  ::close(fd);
}

void MockPrepares::Begin(TaskSpec spec, drover::Call<drover::Prepared> call) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    const auto known = items_.find(spec.prepare_key);
    if (known != items_.end()) {
      known->second.last_used = drover::WallNow();
      return call.Complete(drover::Prepared{known->second.size});
    }
  }
  Note("prepare " + spec.prepare_key);
  auto work = std::make_shared<Work>(Work{std::move(spec), std::move(call), drover::WallNow()});
  Continue(work);
}

void MockPrepares::Continue(const std::shared_ptr<Work>& work) {
  const TaskSpec& spec = work->spec;
  if (work->call.completed()) return;
  const Duration left = spec.prepare_for - Duration(drover::WallNow() - work->began);
  if (left.count() <= 0) return Finish(*work);
  drover::Progress progress;
  progress.phase = "Preparing " + spec.prepare_key;
  progress.unit = "bytes";
  progress.total = kSize;
  const double done =
      1 - static_cast<double>(left.count()) /
              static_cast<double>(std::max<std::int64_t>(1, spec.prepare_for.count()));
  progress.done = static_cast<std::uint64_t>(std::max(0.0, done) * static_cast<double>(kSize));
  drover::Report(host_, work->call, progress);
  drover::Extend(host_, work->call, std::chrono::minutes(1));
  const Duration next = std::min<Duration>(left, kStep);
  drover::Timer timer =
      host_.After(next, [self = shared_from_this(), work] { self->Continue(work); });
  work->call.OnCancel(
      [self = shared_from_this(), weak = std::weak_ptr<Work>(work), timer]() mutable {
        const auto open = weak.lock();
        if (!timer.Cancel() || open == nullptr) return;
        self->Note("cancel " + open->spec.prepare_key);
        open->call.Fail(Error(Code::kCancelled, "the preparation was given up"));
      });
}

void MockPrepares::Finish(const Work& work) {
  const TaskSpec& spec = work.spec;
  if (!spec.prepare_error.empty()) {
    Note("fail " + spec.prepare_key);
    return work.call.Fail(Error(Code::kInternal, spec.prepare_error));
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    items_[spec.prepare_key] = {spec.prepare_key, kSize, drover::WallNow()};
  }
  Note("prepared " + spec.prepare_key);
  work.call.Complete(drover::Prepared{kSize});
}

std::vector<drover::PreparedItem> MockPrepares::List() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<drover::PreparedItem> items;
  for (const auto& known : items_) items.push_back(known.second);
  return items;
}

void MockPrepares::Remove(const std::string& key) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (items_.erase(key) == 0)
      throw Error(Code::kNotFound, "nothing is prepared as \"" + key + "\"");
  }
  Note("remove " + key);
}

}  // namespace mock
