// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node_link/paced_queue.h"

namespace drover {

void PacedQueue::Put(std::string id) {
  waiting_.push_back(std::move(id));
  wake_.Set();
}

void PacedQueue::Done(const std::string& id) {
  if (under_way_.erase(id) > 0) wake_.Set();
}

Co<void> PacedQueue::Run(Context context) {
  while (!context.cancelled()) {
    wake_.Reset();
    MakeRoom();
    while (under_way_.size() < most_ && !waiting_.empty()) BeginNext(context);
    if (waiting_.empty()) {
      most_ = kMost;
      (void)co_await wake_.Wait(context);
      continue;
    }
    const Context until = context.WithDeadline(begun_.front().first + kPatience);
    const Status woken = co_await wake_.Wait(until);
    if (woken.ok() || loop_->Now() < doubled_ + kPatience) continue;
    most_ *= 2;
    doubled_ = loop_->Now();
  }
}

void PacedQueue::BeginNext(Context context) {
  const std::string id = std::move(waiting_.front());
  waiting_.pop_front();
  under_way_.insert(id);  // before begin_, since begin_ may already call Done
  if (!begin_(context, id)) under_way_.erase(id);
  if (under_way_.count(id) > 0) begun_.emplace_back(loop_->Now(), id);
}

void PacedQueue::MakeRoom() {
  const TimePoint late = loop_->Now() - kPatience;
  while (!begun_.empty()) {
    const auto& [began, id] = begun_.front();
    if (began > late && under_way_.count(id) > 0) return;
    under_way_.erase(id);
    begun_.pop_front();
  }
}

}  // namespace drover
