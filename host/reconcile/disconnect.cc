// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Which allocation stays after a node has come back.
#include <algorithm>
#include <limits>

#include "host/reconcile/reconcile.h"

namespace drover {
namespace {

// Returns when the first main task of RECORD has started; the end of time if none has.
WallTime StartedAt(const AllocRecord& record) {
  WallTime first = std::numeric_limits<WallTime>::max();
  const TaskGroup* const group = record.alloc->group();
  for (const auto& [name, task] : record.reported.tasks) {
    const Task* const described = group == nullptr ? nullptr : FindTask(*group, name);
    const bool is_main = described == nullptr || IsMain(*described);
    if (task == nullptr || !is_main || task->started_at == 0) continue;
    first = std::min(first, task->started_at);
  }
  return first;
}

}  // namespace

const AllocRecord& ToKeep(const AllocRecord& original, const AllocRecord& replacement,
                          DisconnectPolicy::Reconcile how) {
  using Reconcile = DisconnectPolicy::Reconcile;
  if (original.client_terminal()) return replacement;
  if (replacement.client_terminal()) return original;
  if (original.job->version != replacement.job->version) {
    return original.job->version > replacement.job->version ? original : replacement;
  }
  // Nobody knows whether it still runs.
  if (replacement.reported.status.status == ClientStatus::kUnknown) return original;
  switch (how) {
    case Reconcile::kKeepOriginal:
    case Reconcile::kBestScore:  // the nodes have no scores, and of equal ones the original stays
      return original;
    case Reconcile::kKeepReplacement:
      return replacement;
    case Reconcile::kLongestRunning:
      return StartedAt(replacement) < StartedAt(original) ? replacement : original;
  }
  return original;
}

}  // namespace drover
