// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/replacement_wait.h"

#include <memory>

namespace drover {
namespace {

constexpr TableMask kWaitedFor =
    MaskOf(Table::kAllocs) | MaskOf(Table::kEvals) | MaskOf(Table::kRestarts);
// Of a thousand allocations that wait, not each looks at each change of all others.
constexpr Duration kPause = 50ms;

// Returns why an allocation of a group of the job KEY has no replacement, after the evaluation of
// its stop.
Error WhyNone(const Tables& tables, const JobKey& key, const std::string& group) {
  const auto job = Tables::Find(tables.jobs, key);
  if (job == nullptr || job->stop) {
    return Error(Code::kFailedPrecondition, "the job was stopped, so there is no replacement");
  }
  for (const std::string_view id : tables.OpenEvalsOf(key)) {
    const Evaluation& eval = *tables.evals.at(id);
    if (eval.status != "blocked") continue;
    if (!eval.failed_groups.contains(group) && !eval.queued.contains(group)) continue;
    return Error(Code::kResourceExhausted,
                 "the replacement cannot be placed: see the evaluation " + eval.id);
  }
  return Error(Code::kFailedPrecondition, "the job needs no replacement any more");
}

}  // namespace

std::optional<Status> ReplacementWait::Look(const Tables& tables) const {
  auto record = Tables::Find(tables.allocs, alloc_);
  if (record == nullptr) return Error(Code::kNotFound, "the allocation is gone");
  const JobKey key = KeyOf(*record->alloc->job);
  const std::string group = record->alloc->group_name;
  for (;;) {
    if (record->id() != alloc_) {
      const ClientStatus status = record->reported.status.status;
      if (status == ClientStatus::kRunning || status == ClientStatus::kComplete) return Status();
    }
    const auto next = record->next.empty() ? nullptr : Tables::Find(tables.allocs, record->next);
    if (next == nullptr) break;
    record = next;
  }
  // The stop was evaluated at once, so the replacement would be there.
  if (record->id() == alloc_) return WhyNone(tables, key, group);
  if (record->alloc->server_terminal()) {
    return Error(Code::kFailedPrecondition, "the replacement " + record->id() + " was stopped");
  }
  if (record->client_terminal() && record->changes().follow_up_eval.empty()) {
    return Error(Code::kFailedPrecondition, "the replacement " + record->id() + " has failed");
  }
  return std::nullopt;
}

Co<Status> ReplacementWait::Wait(Context context, std::function<bool()> gone) {
  for (;;) {
    std::optional<Status> result;
    std::uint64_t index = 0;
    store_->Read([&](const Tables& tables) {
      result = Look(tables);
      index = tables.IndexOf(kWaitedFor);
    });
    if (result) co_return *result;
    if (gone()) co_return Error(Code::kCancelled, "the restart was canceled");
    DROVER_CO_TRY(co_await store_->WaitNewer(context, kWaitedFor, index));
    DROVER_CO_TRY(co_await Sleep(context, kPause));
  }
}

}  // namespace drover
