// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/progress/progress_table.h"

#include <utility>

namespace drover {

bool ProgressTable::Report(std::uint64_t id, TaskProgress progress) {
  const std::shared_ptr<PendingCall> call = calls_->FindOpen(id);
  if (!call || !call->hear_progress) return false;
  call->reported = true;
  {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    Entry& entry = entries_[id];
    entry.call = call;
    entry.latest = std::move(progress);
    if (std::exchange(entry.posted, true)) return true;
  }
  return port_->Post([weak = weak_from_this(), id] {
    if (const auto table = weak.lock()) table->Drain(id);
  });
}

void ProgressTable::Drain(std::uint64_t id) {
  std::shared_ptr<PendingCall> call;
  std::optional<TaskProgress> latest;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(id);
    if (found == entries_.end()) return;
    Entry& entry = found->second;
    entry.timer = 0;
    // The call may have ended between the look at it and the report. Then End has run before.
    if (entry.call->ended) {
      entries_.erase(found);
      return;
    }
    const TimePoint now = loop_->Now();
    if (entry.shown && now - *entry.shown < kEach) {
      entry.timer = loop_->After(*entry.shown + kEach - now, [weak = weak_from_this(), id] {
        if (const auto table = weak.lock()) table->Drain(id);
      });
      return;
    }
    entry.posted = false;
    entry.shown = now;
    call = entry.call;
    latest = std::exchange(entry.latest, std::nullopt);
  }
  if (latest) call->hear_progress(*latest);
}

void ProgressTable::End(std::uint64_t id) {
  Entry entry;
  {
    const std::lock_guard lock(mutex_);
    auto node = entries_.extract(id);
    if (node.empty()) return;
    entry = std::move(node.mapped());
  }
  loop_->Cancel(entry.timer);
  if (entry.latest) entry.call->hear_progress(*entry.latest);
}

void ProgressTable::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  for (const auto& [id, entry] : entries_) loop_->Cancel(entry.timer);
  entries_.clear();
}

std::size_t ProgressTable::size() const {
  const std::lock_guard lock(mutex_);
  return entries_.size();
}

}  // namespace drover
