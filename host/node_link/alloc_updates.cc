// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node_link/alloc_updates.h"

#include <cstdint>
#include <utility>

#include "host/base/ids.h"

namespace drover {
namespace {

Duration RandomUpTo(Duration most) {
  std::uint64_t bits = 0;
  RandomBytes(&bits, sizeof bits);
  return Duration(bits % static_cast<std::uint64_t>(most.count() + 1));
}

}  // namespace

AllocUpdates::AllocUpdates(Loop* loop, UpdatePace pace, Send send)
    : loop_(loop),
      pace_(pace),
      send_(std::move(send)),
      began_(loop->Now()),
      last_sent_(began_ - pace.tick),
      wake_(loop) {}

void AllocUpdates::Put(AllocUpdate update) {
  Wait(std::move(update));
  wake_.Set();
}

void AllocUpdates::Resend(std::vector<AllocUpdate> states) {
  if (resend_ || resending_) return;
  resend_ = true;
  acknowledged_.clear();
  for (AllocUpdate& state : states) Wait(std::move(state));
  wake_.Set();
}

void AllocUpdates::Wait(AllocUpdate update) {
  const std::string id = update.id;
  waiting_.insert_or_assign(id, std::move(update));
  Judge(id);
}

void AllocUpdates::Forget(const std::string& id) {
  waiting_.erase(id);
  urgent_.erase(id);
  acknowledged_.erase(id);
  if (sending_) forgotten_.insert(id);
}

void AllocUpdates::Judge(const std::string& id) {
  const auto waiting = waiting_.find(id);
  const auto known = acknowledged_.find(id);
  // The server regards an allocation as pending until its first update.
  const ClientStatus before = known == acknowledged_.end() ? ClientStatus::kPending : known->second;
  if (waiting != waiting_.end() && waiting->second.status.status != before) {
    urgent_.insert(id);
  } else {
    urgent_.erase(id);
  }
}

TimePoint AllocUpdates::Due() const {
  if (resend_ || !urgent_.empty()) return last_sent_ + pace_.tick;
  const auto slow_ticks = (loop_->Now() - began_) / pace_.slow_tick;
  return began_ + (slow_ticks + 1) * pace_.slow_tick;
}

Co<void> AllocUpdates::Run(Context context) {
  while (!context.cancelled()) {
    if (waiting_.empty() && !resend_) {
      wake_.Reset();
      (void)co_await wake_.Wait(context);
      continue;
    }
    const TimePoint due = Due();
    if (due > loop_->Now()) {
      wake_.Reset();
      const Context until_due = context.WithDeadline(due);
      (void)co_await wake_.Wait(until_due);  // wakes early for a new update, which may be urgent
      if (loop_->Now() < due || (waiting_.empty() && !resend_)) continue;
    }
    if (context.cancelled()) break;
    const bool sent = co_await SendBatch(context);
    if (!sent) co_await Pause(context);
  }
}

// Waits after a failed batch. Ends early when the node has contact again.
Co<void> AllocUpdates::Pause(Context context) {
  const Context over = context.WithTimeout(kRetry + RandomUpTo(kRetry));
  while (!over.cancelled() && !resend_) {
    wake_.Reset();
    (void)co_await wake_.Wait(over);
  }
}

Co<bool> AllocUpdates::SendBatch(Context context) {
  last_sent_ = loop_->Now();
  resending_ = std::exchange(resend_, false);
  std::vector<AllocUpdate> batch;
  for (auto& [id, update] : waiting_) batch.push_back(std::move(update));
  waiting_.clear();
  urgent_.clear();
  std::vector<AllocUpdate> copy = batch;
  sending_ = true;
  const Status sent = co_await send_(context, std::move(copy), resending_);
  sending_ = false;
  resending_ = false;
  const std::set<std::string> forgotten = std::exchange(forgotten_, {});
  for (AllocUpdate& update : batch) {
    const std::string id = update.id;
    if (forgotten.count(id) > 0) continue;
    if (sent.ok()) acknowledged_.insert_or_assign(id, update.status.status);
    // Queues the failed update again, unless a newer update of the allocation is already queued.
    if (!sent.ok()) waiting_.try_emplace(id, std::move(update));
    Judge(id);
  }
  co_return sent.ok();
}

}  // namespace drover
