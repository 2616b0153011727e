// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/garbage.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "host/reconcile/reconcile.h"

namespace drover {
namespace {

// A slice ends after it has changed kMostChanged records or has looked at kMostLooked records. This
// takes a few milliseconds.
constexpr int kMostChanged = 64;
constexpr int kMostLooked = 1000;

// Returns whether JOB has ended for good. Its allocations are then placed again only if a user
// acts.
bool IsOver(const JobRecord& job) {
  const bool ends = job.job->type == JobType::kBatch || job.job->type == JobType::kSysbatch;
  return job.status == "dead" && (job.stop || ends);
}

// Returns whether RECORD has ended, and a replacement that has no place yet may follow it. On a
// node that was purged, nothing follows an allocation of a job that runs on each node.
bool AwaitsNext(const Tables& tables, const JobRecord& job, const AllocRecord& record) {
  if (IsPerNode(job) && !tables.nodes.contains(record.alloc->node_id)) return false;
  return AwaitsReplacement(record, job, tables.AllocsOf(KeyOf(*job.job)));
}

// Returns whether RECORD has files that its replacement gets, which has no place yet. Nothing
// replaces an allocation of a job that is over.
bool KeepsFiles(const Tables& tables, const JobRecord* job, const AllocRecord& record) {
  const TaskGroup* const group = record.alloc->group();
  if (job == nullptr || group == nullptr || IsOver(*job)) return false;
  return (group->disk_sticky || group->disk_migrate) && AwaitsNext(tables, *job, record);
}

// Returns whether the scheduler would place the allocation of RECORD again if RECORD did not
// exist, or would not place its replacement, which has no place yet.
bool IsNeeded(const Tables& tables, const JobRecord* job, const AllocRecord& record) {
  if (job == nullptr || job->stop) return false;
  if (NeedsNoOther(record, *job, tables.AllocsOf(KeyOf(*job->job)))) return true;
  // The replacement gets the past of one that has failed. While a deployment is held, nothing comes
  // to a place that nothing has left.
  return AwaitsNext(tables, *job, record);
}

// Returns whether EVAL was to look at an allocation that has no replacement yet.
bool IsFollowed(const Tables& tables, const Evaluation& eval) {
  if (eval.wait_until == 0) return false;
  return std::ranges::any_of(tables.AllocsOf(KeyOf(eval)), [&eval](const auto& record) {
    return record->changes().follow_up_eval == eval.id && record->next.empty() &&
           !record->alloc->server_terminal();
  });
}

TableMask Collect(Tables* tables, std::uint64_t index, const JobRecord* job,
                  const AllocRecord& record) {
  if (IsNeeded(*tables, job, record)) {
    auto collected = std::make_shared<AllocRecord>(record);
    collected->collected = true;
    collected->modify_index = index;
    tables->Put(std::move(collected));
  } else {
    tables->Erase(record);
  }
  return MaskOf(Table::kAllocs) | MaskOf(Table::kWanted);
}

}  // namespace

bool IsNeeded(const Tables& tables, const Evaluation& eval) {
  if (eval.open() || tables.allocs_of_eval.count(eval.id) > 0) return true;
  if (IsFollowed(tables, eval)) return true;
  const JobKey key = KeyOf(eval);
  const auto of_job = tables.evals_of_job.find(key);
  return tables.jobs.count(key) > 0 && of_job->second.all.rbegin()->second == eval.id;
}

std::size_t CountEnded(const Tables& tables) { return tables.ended_allocs.size(); }

TableMask GarbageCollection::Slice(Tables* tables, std::uint64_t index) {
  changed_ = looked_ = 0;
  written_ = 0;
  while (!done() && changed_ < kMostChanged && looked_ < kMostLooked) {
    switch (stage_) {
      case Stage::kEnded:
        CollectEnded(tables, index);
        break;
      case Stage::kLetGo:
        CollectLetGo(tables);
        break;
      case Stage::kJobs:
        CollectJobs(tables, index);
        break;
      case Stage::kManyEvals:
        CollectManyEvals(tables);
        break;
      case Stage::kEvals:
        CollectEvals(tables);
        break;
      case Stage::kDone:
        break;
    }
  }
  return written_;
}

// Looks at the next allocation in `ended_allocs`, which is sorted by the time at which the
// allocations ended. Collects the allocation unless the rule keeps it.
void GarbageCollection::CollectEnded(Tables* tables, std::uint64_t index) {
  const EndedAllocs& all = tables->ended_allocs;
  const auto next = ended_ == nullptr ? all.begin() : all.upper_bound(ended_);
  const std::size_t left = all.size() - std::min(stayed_, all.size());
  if (next == all.end() || ((*next)->modify_time >= rule_.ended_before && left <= rule_.keep)) {
    stage_ = Stage::kLetGo;
    return;
  }
  ++looked_;
  ended_ = *next;
  const JobKey key = KeyOf(*ended_->alloc->job);
  const auto job = Tables::Find(tables->jobs, key);
  const bool stays = !rule_.living && IsNeeded(*tables, job.get(), *ended_) && !IsOver(*job);
  if (stays || KeepsFiles(*tables, job.get(), *ended_)) {
    ++stayed_;
    return;
  }
  written_ |= Collect(tables, index, job.get(), *ended_);
  touched_.insert(key);
  ++changed_;
}

// Erases the record of the next collected allocation, if its job does not need the record any
// more.
void GarbageCollection::CollectLetGo(Tables* tables) {
  const auto next = let_go_ ? tables->allocs.upper_bound(*let_go_) : tables->allocs.begin();
  if (next == tables->allocs.end()) {
    stage_ = rule_.jobs ? Stage::kJobs : Stage::kDone;
    return;
  }
  ++looked_;
  let_go_ = next->first;
  const AllocRecord& record = *next->second;
  if (!record.collected || record.modify_time >= rule_.ended_before) return;
  const JobKey key = KeyOf(*record.alloc->job);
  if (IsNeeded(*tables, Tables::Find(tables->jobs, key).get(), record)) return;
  touched_.insert(key);
  Erase(tables, record);
}

void GarbageCollection::CollectJobs(Tables* tables, std::uint64_t index) {
  const auto next = job_ ? tables->jobs.upper_bound(*job_) : tables->jobs.begin();
  if (next == tables->jobs.end()) {
    stage_ = Stage::kManyEvals;
    return;
  }
  ++looked_;
  const JobKey key = next->first;
  if (!IsToGo(*tables, key, *next->second) || CollectJob(tables, key, index)) job_ = key;
}

bool GarbageCollection::IsToGo(const Tables& tables, const JobKey& key,
                               const JobRecord& job) const {
  if (!IsOver(job) || !tables.OpenEvalsOf(key).empty()) return false;
  if (tables.uncollected.count(key) > 0) return false;
  // A parent has no evaluations. It is as old as its stop.
  if (job.job->starts_children()) return job.submit_time < rule_.ended_before;
  const auto evals = tables.evals_of_job.find(key);
  return evals == tables.evals_of_job.end() || touched_.count(key) > 0 ||
         tables.evals.at(evals->second.all.rbegin()->second)->modify_time < rule_.ended_before;
}

// Erases records of a job that has ended for good. Returns whether nothing is left of the job,
// since a large job takes several slices. A large job is stopped first. Otherwise the scheduler
// would place the job again after a part of its records is erased. The job stays stopped even if
// the agent exits between two slices.
bool GarbageCollection::CollectJob(Tables* tables, const JobKey& key, std::uint64_t index) {
  touched_.insert(key);  // later slices continue with this job, whatever its age
  const auto evals = tables->evals_of_job.find(key);
  const std::size_t size = tables->AllocsOf(key).size() +
                           (evals == tables->evals_of_job.end() ? 0 : evals->second.all.size());
  const auto job = tables->jobs.at(key);
  if (size > kMostChanged && !job->stop) {
    auto stopped = std::make_shared<JobRecord>(*job);
    stopped->stop = true;
    tables->PutVersion(key, std::move(stopped));
    written_ |= MaskOf(Table::kJobs);
  }
  for (const auto at = [&] { return tables->allocs_of_job.find(key); };
       changed_ < kMostChanged && at() != tables->allocs_of_job.end();) {
    Erase(tables, **at()->second.rbegin());
  }
  for (const auto at = [&] { return tables->evals_of_job.find(key); };
       changed_ < kMostChanged && at() != tables->evals_of_job.end();) {
    Erase(tables, *tables->evals.at(at()->second.all.begin()->second));
  }
  if (tables->allocs_of_job.count(key) > 0 || tables->evals_of_job.count(key) > 0) return false;
  written_ |= tables->EraseJob(key, index);
  return true;
}

// Erases the oldest evaluation of the next job that has more than kMostEvalsOfJob, whatever its
// age, unless it is needed.
void GarbageCollection::CollectManyEvals(Tables* tables) {
  const auto of_job =
      many_ ? tables->evals_of_job.upper_bound(*many_) : tables->evals_of_job.begin();
  if (of_job == tables->evals_of_job.end()) {
    stage_ = Stage::kEvals;
    return;
  }
  ++looked_;
  const auto& all = of_job->second.all;
  const auto next = all.upper_bound({past_.first, std::string_view(past_.second)});
  if (next == all.end() || all.size() <= kMostEvalsOfJob + passed_) {
    many_ = of_job->first;
    past_ = {};
    passed_ = 0;
    return;
  }
  const Evaluation& eval = *tables->evals.at(next->second);
  if (IsNeeded(*tables, eval)) {
    past_ = {next->first, std::string(next->second)};
    ++passed_;
    return;
  }
  Erase(tables, eval);
}

// Erases the next evaluation if it is older than the limit of the rule and not needed.
void GarbageCollection::CollectEvals(Tables* tables) {
  const auto next = eval_ ? tables->evals.upper_bound(*eval_) : tables->evals.begin();
  if (next == tables->evals.end()) {
    stage_ = Stage::kDone;
    return;
  }
  ++looked_;
  eval_ = next->first;
  const Evaluation& eval = *next->second;
  if (eval.modify_time < rule_.ended_before && !IsNeeded(*tables, eval)) Erase(tables, eval);
}

void GarbageCollection::Erase(Tables* tables, const AllocRecord& record) {
  tables->Erase(record);
  written_ |= MaskOf(Table::kAllocs) | MaskOf(Table::kWanted);
  ++changed_;
}

void GarbageCollection::Erase(Tables* tables, const Evaluation& eval) {
  tables->Erase(eval);
  written_ |= MaskOf(Table::kEvals);
  ++changed_;
}

TableMask CollectAlloc(Tables* tables, std::uint64_t index, const AllocRecord& record) {
  const auto job = Tables::Find(tables->jobs, KeyOf(*record.alloc->job));
  return Collect(tables, index, job.get(), record);
}

}  // namespace drover
