// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/garbage.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace drover {
namespace {

using Records = std::vector<std::shared_ptr<const AllocRecord>>;

bool IsGarbage(const Tables& tables, const AllocRecord& record) {
  if (!record.client_terminal()) return false;
  const auto job = Tables::Find(tables.jobs, KeyOf(*record.alloc->job));
  return job == nullptr || job->status == "dead" || record.alloc->server_terminal();
}

Records Ended(const Tables& tables) {
  Records ended;
  for (const auto& [id, record] : tables.allocs) {
    if (IsGarbage(tables, *record)) ended.push_back(record);
  }
  return ended;
}

// Nothing of its allocations is left.
bool IsBare(const Tables& tables, const JobKey& key) {
  return tables.allocs_of_job.count(key) == 0;
}

}  // namespace

std::size_t CountEnded(const Tables& tables) { return Ended(tables).size(); }

TableMask CollectGarbage(Tables* tables, const GarbageRule& rule) {
  TableMask written = 0;
  Records ended = Ended(*tables);
  std::sort(ended.begin(), ended.end(), [](const auto& a, const auto& b) {
    return std::tuple(a->modify_time, a->alloc->create_index, a->id()) <
           std::tuple(b->modify_time, b->alloc->create_index, b->id());
  });
  std::set<JobKey> bared;
  for (std::size_t i = 0; i < ended.size(); ++i) {
    const AllocRecord& record = *ended[i];
    if (record.modify_time >= rule.ended_before && ended.size() - i <= rule.keep) break;
    const JobKey key = KeyOf(*record.alloc->job);
    tables->Erase(record);
    if (IsBare(*tables, key)) bared.insert(key);
    written |= MaskOf(Table::kAllocs) | MaskOf(Table::kWanted);
  }
  if (!rule.jobs) return written;

  std::vector<std::shared_ptr<const Evaluation>> done;
  for (const auto& [id, eval] : tables->evals) {
    const JobKey key = KeyOf(*eval);
    const bool old = eval->modify_time < rule.ended_before;
    if (!eval->open() && IsBare(*tables, key) && (old || bared.count(key) > 0)) {
      done.push_back(eval);
    }
  }
  for (const auto& eval : done) {
    tables->Erase(*eval);
    written |= MaskOf(Table::kEvals);
  }
  for (auto at = tables->jobs.begin(); at != tables->jobs.end();) {
    const bool over = at->second->status == "dead" && IsBare(*tables, at->first) &&
                      tables->evals_of_job.count(at->first) == 0;
    const JobKey key = at->first;
    ++at;
    if (over) {
      tables->EraseJob(key);
      written |= MaskOf(Table::kJobs);
    }
  }
  return written;
}

}  // namespace drover
