// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/blocked_queue.h"

#include <utility>

namespace drover {

void BlockedQueue::Put(const Evaluation& eval, std::set<Awaited> awaited,
                       std::optional<Unplaced> unplaced) {
  Erase(eval.id);
  if (awaited.empty()) awaited.emplace();
  Known& known = known_[eval.id];
  known = {{eval.id, std::move(unplaced)},
           Rank(-eval.priority, eval.create_index, eval.id),
           std::move(awaited)};
  for (const Awaited& of : known.awaited) waiting_[of].emplace(known.rank, &known.entry);
}

void BlockedQueue::Erase(const std::string& id) {
  const auto known = known_.find(id);
  if (known == known_.end()) return;
  for (const Awaited& of : known->second.awaited) {
    const auto of_class = waiting_.find(of);
    of_class->second.erase(known->second.rank);
    if (of_class->second.empty()) waiting_.erase(of_class);
  }
  known_.erase(known);
}

BlockedQueue::Walk::Walk(BlockedQueue* queue, const Freed& freed, IsThere is_there)
    : is_there_(std::move(is_there)) {
  using What = Awaited::What;
  if (freed.all) {
    for (auto& [awaited, ranks] : queue->waiting_) Push(awaited, &ranks);
    return;
  }
  Add(&queue->waiting_, {What::kRoom});
  if (freed.other_ports) {
    Add(&queue->waiting_, {What::kPort}, true);
  } else if (!freed.ports.empty()) {
    Add(&queue->waiting_, {What::kPort});
    for (const int port : freed.ports) Add(&queue->waiting_, {What::kPort, port});
  }
  if (freed.volumes) Add(&queue->waiting_, {What::kVolume}, true);
  if (freed.devices) Add(&queue->waiting_, {What::kDevice}, true);
  for (const JobKey& job : freed.jobs) Add(&queue->waiting_, {What::kEnd, 0, job});
}

void BlockedQueue::Walk::Add(std::map<Awaited, Ranks>* waiting, const Awaited& first,
                             bool what_only) {
  for (auto at = waiting->lower_bound(first); at != waiting->end(); ++at) {
    const Awaited& of = at->first;
    if (of.what != first.what) break;
    if (!what_only && (of.port != first.port || of.job != first.job)) break;
    Push(of, &at->second);
  }
}

void BlockedQueue::Walk::Push(const Awaited& awaited, Ranks* ranks) {
  if (is_there_(awaited)) classes_.push({&awaited, ranks->begin(), ranks->end()});
}

BlockedQueue::Entry* BlockedQueue::Walk::Next() {
  while (!classes_.empty()) {
    Class first = classes_.top();
    classes_.pop();
    const auto& [rank, entry] = *first.next;
    // If an evaluation waits for several events, the walk may have returned it already.
    const bool seen = last_ && rank <= *last_;
    if (!seen && !is_there_(*first.awaited)) continue;
    if (++first.next != first.end) classes_.push(first);
    if (seen) continue;
    last_ = rank;
    return entry;
  }
  return nullptr;
}

}  // namespace drover
