// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The writes of the scheduler that place no allocations: changes of job versions by users, and
// removals.
#include <map>
#include <set>
#include <utility>

#include "host/scheduler/job_versions.h"
#include "host/scheduler/scheduler.h"

namespace drover {

Result<std::uint64_t> Scheduler::PutVersion(
    const JobKey& key, const std::function<Result<JobRecord>(const Tables&)>& change) {
  Result<JobRecord> changed = JobRecord();
  store_->Read([&](const Tables& tables) { changed = change(tables); });
  if (!changed.ok()) return changed.error();
  return store_->Write(cause::kJobVersion, [&](Tables* tables, std::uint64_t index) {
    changed->modify_index = index;
    tables->PutVersion(key, std::make_shared<const JobRecord>(std::move(*changed)));
    return MaskOf(Table::kJobs);
  });
}

Result<std::uint64_t> Scheduler::TagVersion(const JobKey& key, std::optional<std::uint64_t> number,
                                            VersionTag tag) {
  tag.tagged_time = loop_->Wall();
  return PutVersion(
      key, [&](const Tables& tables) { return WithTag(tables, key, number, std::move(tag)); });
}

Result<std::uint64_t> Scheduler::UntagVersion(const JobKey& key, const std::string& name) {
  return PutVersion(key, [&](const Tables& tables) { return WithoutTag(tables, key, name); });
}

Result<std::uint64_t> Scheduler::SetStable(const JobKey& key, std::uint64_t number, bool stable) {
  return PutVersion(
      key, [&](const Tables& tables) { return WithStability(tables, key, number, stable); });
}

SchedulerConfig Scheduler::Config() const {
  std::shared_ptr<const SchedulerConfig> config;
  store_->Read([&](const Tables& tables) { config = tables.scheduler_config; });
  return config == nullptr ? SchedulerConfig{options_.preemption, 1, 1} : *config;
}

std::optional<std::uint64_t> Scheduler::SetConfig(const PreemptionConfig& preemption,
                                                  std::optional<std::uint64_t> check_index) {
  const SchedulerConfig before = Config();
  if (check_index && *check_index != before.modify_index) return std::nullopt;
  const std::uint64_t at =
      store_->Write(cause::kSchedulerConfig, [&](Tables* tables, std::uint64_t index) {
        auto config = std::make_shared<SchedulerConfig>(before);
        config->preemption = preemption;
        config->modify_index = index;
        tables->Put(std::shared_ptr<const SchedulerConfig>(std::move(config)));
        return TableMask{0};
      });
  // What waits may displace others from now on.
  if (preemption != before.preemption) RetryBlocked({.all = true, .rules = true});
  return at;
}

Co<Status> Scheduler::CollectGarbage(Context context, GarbageRule rule) {
  GarbageCollection collection(rule);
  while (true) {
    store_->Write(cause::kJobsCollected, [&](Tables* tables, std::uint64_t index) {
      return collection.Slice(tables, index);
    });
    if (collection.done()) co_return Status();
    co_await NextTurn(loop_);
    if (context.cancelled()) co_return context.status();
  }
}

Status Scheduler::CollectAlloc(const std::string& id) {
  std::shared_ptr<const AllocRecord> record;
  store_->Read([&](const Tables& tables) { record = Tables::Find(tables.allocs, id); });
  if (record == nullptr) return Error(Code::kNotFound, "allocation not found");
  if (!record->client_terminal()) {
    return Error(Code::kFailedPrecondition, "allocation " + id + " has not ended: stop it first");
  }
  if (!record->over()) {
    return Error(Code::kFailedPrecondition,
                 "allocation " + id + " still stops its tasks: try again when they have ended",
                 true);
  }
  store_->Write(cause::kJobsCollected, [&](Tables* tables, std::uint64_t index) {
    return drover::CollectAlloc(tables, index, *record);
  });
  return {};
}

Result<std::size_t> Scheduler::DeleteEvals(const std::vector<std::string>& ids, bool skip_needed) {
  std::map<std::string, std::shared_ptr<const Evaluation>> found;
  Status refused;
  store_->Read([&](const Tables& tables) {
    for (const std::string& id : ids) {
      const auto eval = Tables::Find(tables.evals, id);
      if (eval != nullptr && !IsNeeded(tables, *eval)) {
        found[id] = eval;
      } else if (!skip_needed && refused.ok()) {
        refused = eval == nullptr
                      ? Error(Code::kNotFound, "eval " + id + " not found")
                      : Error(Code::kFailedPrecondition,
                              "eval " + id +
                                  " is needed: it is open, the newest of its job, or made an "
                                  "allocation that is not collected yet");
      }
    }
  });
  if (!refused.ok()) return refused.error();
  if (found.empty()) return std::size_t{0};
  store_->Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t) {
    for (const auto& [id, eval] : found) tables->Erase(*eval);
    return MaskOf(Table::kEvals);
  });
  return found.size();
}

}  // namespace drover
