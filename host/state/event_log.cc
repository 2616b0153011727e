// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/event_log.h"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace drover {
namespace {

constexpr std::size_t kPage = 32;  // the maximum number of batches in a page

// Removes all but the last change of each record. The last changes stay in the same order.
void KeepLast(std::vector<StateEvent>* changes) {
  std::set<std::tuple<Topic, std::string, std::string>> seen;
  std::vector<StateEvent> kept;
  for (auto at = changes->rbegin(); at != changes->rend(); ++at) {
    if (seen.emplace(at->topic(), at->Namespace(), at->Key()).second) {
      kept.push_back(std::move(*at));
    }
  }
  std::reverse(kept.begin(), kept.end());
  *changes = std::move(kept);
}

}  // namespace

void EventLog::Add(std::uint64_t index, std::string_view cause, std::vector<StateEvent> changes) {
  std::erase_if(changes, [](const StateEvent& change) { return change.silent; });
  if (changes.empty()) return;
  KeepLast(&changes);
  auto batch = std::make_shared<EventBatch>();
  batch->index = index;
  batch->cause = cause;
  batch->events = std::move(changes);
  std::vector<std::shared_ptr<const EventBatch>> old;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  events_ += batch->events.size();
  for (const StateEvent& event : batch->events) sizes_.Add(event);
  batches_.push_back(std::move(batch));
  last_index_ = index;
  while ((events_ > most_ || sizes_.bytes() > most_bytes_) && batches_.size() > 1) {
    events_ -= batches_.front()->events.size();
    for (const StateEvent& event : batches_.front()->events) sizes_.Remove(event);
    dropped_ = batches_.front()->index;
    old.push_back(std::move(batches_.front()));
    batches_.pop_front();
  }
}

EventLog::Page EventLog::From(std::uint64_t first) const {
  Page page;
  const std::lock_guard lock(mutex_);
  page.complete = dropped_ < first || dropped_ == 0;
  const auto from =
      std::lower_bound(batches_.begin(), batches_.end(), first,
                       [](const auto& batch, std::uint64_t index) { return batch->index < index; });
  const auto size = std::min(kPage, static_cast<std::size_t>(batches_.end() - from));
  page.batches.assign(from, from + static_cast<std::ptrdiff_t>(size));
  page.next = page.batches.empty() ? first : page.batches.back()->index + 1;
  return page;
}

std::uint64_t EventLog::last_index() const {
  const std::lock_guard lock(mutex_);
  return last_index_;
}

std::size_t EventLog::bytes() const {
  const std::lock_guard lock(mutex_);
  return sizes_.bytes();
}

}  // namespace drover
