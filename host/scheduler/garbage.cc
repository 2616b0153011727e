// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/garbage.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace drover {
namespace {

// Nothing will ever be placed for it again by itself.
bool IsOver(const JobRecord& job) {
  const bool ends = job.job->type == JobType::kBatch || job.job->type == JobType::kSysbatch;
  return job.status == "dead" && (job.stop || ends);
}

// The job would place the allocation again if it did not know that it has been.
bool IsNeeded(const JobRecord* job, const AllocRecord& record) {
  return job != nullptr && !job->stop && !record.alloc->server_terminal() &&
         record.job->job_modify_index == job->job_modify_index;
}

TableMask Collect(Tables* tables, std::uint64_t index, const JobRecord* job,
                  const AllocRecord& record) {
  if (IsNeeded(job, record)) {
    auto collected = std::make_shared<AllocRecord>(record);
    collected->collected = true;
    collected->modify_index = index;
    tables->Put(std::move(collected));
  } else {
    tables->Erase(record);
  }
  return MaskOf(Table::kAllocs) | MaskOf(Table::kWanted);
}

// The allocations of RULE; the keys of their jobs are added to TOUCHED.
TableMask CollectAllocs(Tables* tables, std::uint64_t index, const GarbageRule& rule,
                        std::set<JobKey>* touched) {
  AllocRecords ended;
  for (const auto& [id, record] : tables->allocs) {
    if (!record->client_terminal()) continue;
    // What the node has let go of stays only while it is needed.
    const auto job = Tables::Find(tables->jobs, KeyOf(*record->alloc->job));
    if (!record->collected || !IsNeeded(job.get(), *record)) ended.push_back(record);
  }
  std::sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) {
    return std::tuple(a->modify_time, a->alloc->create_index, a->id()) <
           std::tuple(b->modify_time, b->alloc->create_index, b->id());
  });
  TableMask written = 0;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const AllocRecord& record = *ended[i];
    if (record.modify_time >= rule.ended_before && ended.size() - i <= rule.keep) break;
    const JobKey key = KeyOf(*record.alloc->job);
    const auto job = Tables::Find(tables->jobs, key);
    if (!rule.living && IsNeeded(job.get(), record) && !IsOver(*job)) continue;
    written |= Collect(tables, index, job.get(), record);
    touched->insert(key);
  }
  return written;
}

// Evaluations that are older than RULE wants, except those that are needed.
TableMask CollectEvals(Tables* tables, const GarbageRule& rule) {
  const std::set<std::string> needed = NeededEvals(*tables);
  std::vector<std::shared_ptr<const Evaluation>> old;
  for (const auto& [id, eval] : tables->evals) {
    if (eval->modify_time < rule.ended_before && needed.count(id) == 0) old.push_back(eval);
  }
  for (const auto& eval : old) tables->Erase(*eval);
  return old.empty() ? 0 : MaskOf(Table::kEvals);
}

std::vector<std::shared_ptr<const Evaluation>> EvalsOf(const Tables& tables, const JobKey& key) {
  std::vector<std::shared_ptr<const Evaluation>> evals;
  if (const auto ids = tables.evals_of_job.find(key); ids != tables.evals_of_job.end()) {
    for (const std::string& id : ids->second) evals.push_back(tables.evals.at(id));
  }
  return evals;
}

// All that is left of a job that is over, in one: half of it would be placed again.
TableMask CollectJob(Tables* tables, const JobKey& key) {
  const AllocRecords allocs = tables->AllocsOf(key);
  for (const auto& record : allocs) tables->Erase(*record);
  for (const auto& eval : EvalsOf(*tables, key)) tables->Erase(*eval);
  tables->EraseJob(key);
  return MaskOf(Table::kJobs) | MaskOf(Table::kAllocs) | MaskOf(Table::kEvals);
}

TableMask CollectJobs(Tables* tables, const GarbageRule& rule, const std::set<JobKey>& touched) {
  std::vector<JobKey> over;
  for (const auto& [key, job] : tables->jobs) {
    if (!IsOver(*job)) continue;
    const AllocRecords& allocs = tables->AllocsOf(key);
    const auto evals = EvalsOf(*tables, key);
    const bool released = std::all_of(allocs.begin(), allocs.end(),
                                      [](const auto& record) { return record->collected; });
    const bool closed =
        std::none_of(evals.begin(), evals.end(), [](const auto& eval) { return eval->open(); });
    const bool old = evals.empty() || evals.back()->modify_time < rule.ended_before;
    if (released && closed && (old || touched.count(key) > 0)) over.push_back(key);
  }
  TableMask written = 0;
  for (const JobKey& key : over) written |= CollectJob(tables, key);
  return written;
}

}  // namespace

std::set<std::string> NeededEvals(const Tables& tables) {
  std::set<std::string> needed;
  for (const auto& [id, record] : tables.allocs) needed.insert(record->alloc->eval_id);
  for (const auto& [key, ids] : tables.evals_of_job) {
    if (tables.jobs.count(key) > 0) needed.insert(ids.back());
  }
  for (const auto& [id, eval] : tables.evals) {
    if (eval->open()) needed.insert(id);
  }
  return needed;
}

std::size_t CountEnded(const Tables& tables) {
  return static_cast<std::size_t>(
      std::count_if(tables.allocs.begin(), tables.allocs.end(), [](const auto& entry) {
        return entry.second->client_terminal() && !entry.second->collected;
      }));
}

TableMask CollectGarbage(Tables* tables, std::uint64_t index, const GarbageRule& rule) {
  std::set<JobKey> touched;
  TableMask written = CollectAllocs(tables, index, rule, &touched);
  if (!rule.jobs) return written;
  written |= CollectJobs(tables, rule, touched);
  return written | CollectEvals(tables, rule);
}

TableMask CollectAlloc(Tables* tables, std::uint64_t index, const AllocRecord& record) {
  const auto job = Tables::Find(tables->jobs, KeyOf(*record.alloc->job));
  return Collect(tables, index, job.get(), record);
}

}  // namespace drover
