// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/blocked_queue.h"

#include <algorithm>
#include <utility>

namespace drover {
namespace {

// The least that any group with something to place needs, for each resource separately. Without
// UNPLACED all are zero: the evaluation may then stop allocations, and only it sees the room that
// this leaves.
GroupNeeds LeastOf(const Job* job, const std::optional<Unplaced>& unplaced) {
  std::optional<GroupNeeds> least;
  if (job == nullptr || !unplaced) return {};
  for (const auto& [name, places] : *unplaced) {
    const TaskGroup* const group = FindGroup(*job, name);
    if (places.empty() || group == nullptr) continue;
    const GroupNeeds needs = NeedsOf(*group);
    if (!least) least = needs;
    least->cpu_mhz = std::min(least->cpu_mhz, needs.cpu_mhz);
    least->cores = std::min(least->cores, needs.cores);
    least->memory_mb = std::min(least->memory_mb, needs.memory_mb);
    least->disk_mb = std::min(least->disk_mb, needs.disk_mb);
  }
  return least.value_or(GroupNeeds());
}

}  // namespace

void BlockedQueue::Put(const Evaluation& eval, const Job* job, std::optional<Unplaced> unplaced) {
  Erase(eval.id);
  const Rank rank(-eval.priority, eval.create_index, eval.id);
  const GroupNeeds least = LeastOf(job, unplaced);
  waiting_[least].emplace(rank, Entry{eval.id, std::move(unplaced)});
  known_.emplace(eval.id, Known{least, rank});
}

void BlockedQueue::Erase(const std::string& id) {
  const auto known = known_.find(id);
  if (known == known_.end()) return;
  const auto of_class = waiting_.find(known->second.least);
  of_class->second.erase(known->second.rank);
  if (of_class->second.empty()) waiting_.erase(of_class);
  known_.erase(known);
}

BlockedQueue::Walk::Walk(BlockedQueue* queue) {
  for (auto& [least, ranks] : queue->waiting_) {
    classes_.push({&least, ranks.begin(), ranks.end()});
  }
}

BlockedQueue::Entry* BlockedQueue::Walk::Next(
    const std::function<bool(const GroupNeeds&)>& has_room) {
  while (!classes_.empty()) {
    Class first = classes_.top();
    classes_.pop();
    if (!has_room(*first.least)) continue;
    Entry* const entry = &first.next->second;
    if (++first.next != first.end) classes_.push(first);
    return entry;
  }
  return nullptr;
}

}  // namespace drover
