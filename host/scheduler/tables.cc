// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/tables.h"

#include <algorithm>

namespace drover {
namespace {

constexpr std::size_t kMaxVersions = 6;  // of a job

using IdsOfJob = std::map<JobKey, std::vector<std::string>>;

void Forget(IdsOfJob* of_job, const JobKey& key, const std::string& id) {
  const auto found = of_job->find(key);
  if (found == of_job->end()) return;
  std::erase(found->second, id);
  if (found->second.empty()) of_job->erase(found);
}

std::string JobStatus(const Tables& tables, const JobKey& key, const JobRecord& job) {
  bool any = job.stop;
  for (const auto& record : tables.AllocsOf(key)) {
    if (!record->terminal()) return "running";
    any = true;
  }
  if (const auto ids = tables.evals_of_job.find(key); ids != tables.evals_of_job.end()) {
    for (const std::string& id : ids->second) {
      if (tables.evals.at(id)->open()) return "pending";
      any = true;
    }
  }
  return any ? "dead" : "pending";
}

}  // namespace

std::uint64_t Tables::IndexOf(TableMask mask) const {
  std::uint64_t highest = 1;
  for (int i = 0; i < kTables; ++i) {
    if ((mask & (1u << i)) != 0) highest = std::max(highest, index[static_cast<std::size_t>(i)]);
  }
  return highest;
}

std::vector<std::shared_ptr<const AllocRecord>> Tables::AllocsOf(const JobKey& key) const {
  std::vector<std::shared_ptr<const AllocRecord>> out;
  const auto ids = allocs_of_job.find(key);
  if (ids == allocs_of_job.end()) return out;
  for (const std::string& id : ids->second) out.push_back(allocs.at(id));
  return out;
}

void Tables::Put(const JobKey& key, std::shared_ptr<const JobRecord> record) {
  auto& of_job = versions[key];
  of_job.insert_or_assign(record->version, record);
  while (of_job.size() > kMaxVersions) of_job.erase(of_job.begin());
  changes.push_back({record});
  jobs.insert_or_assign(key, std::move(record));
}

void Tables::Put(std::shared_ptr<const Evaluation> eval) {
  const JobKey key = KeyOf(*eval);
  const std::string id = eval->id;
  changes.push_back({eval});
  if (evals.insert_or_assign(id, std::move(eval)).second) evals_of_job[key].push_back(id);
}

void Tables::Put(std::shared_ptr<const AllocRecord> record) {
  const JobKey key = KeyOf(*record->alloc->job);
  const std::string id = record->id();
  changes.push_back({record});
  if (allocs.insert_or_assign(id, std::move(record)).second) allocs_of_job[key].push_back(id);
}

void Tables::Put(std::shared_ptr<const NodeRecord> node) {
  changes.push_back({node});
  const std::string id = node->id;
  nodes.insert_or_assign(id, std::move(node));
}

void Tables::EraseJob(const JobKey& key) {
  const auto found = jobs.find(key);
  changes.push_back({found->second, true});
  jobs.erase(found);
  versions.erase(key);
}

void Tables::Erase(const Evaluation& eval) {
  const JobKey key = KeyOf(eval);
  const std::string id = eval.id;  // EVAL may be the table's own
  evals.erase(id);
  Forget(&evals_of_job, key, id);
}

void Tables::Erase(const AllocRecord& record) {
  const JobKey key = KeyOf(*record.alloc->job);
  const std::string id = record.id();
  allocs.erase(id);
  Forget(&allocs_of_job, key, id);
}

TableMask Tables::UpdateJobStatus(const JobKey& key, std::uint64_t at_index) {
  const auto found = jobs.find(key);
  if (found == jobs.end()) return 0;
  std::string status = JobStatus(*this, key, *found->second);
  if (status == found->second->status) return 0;
  auto changed = std::make_shared<JobRecord>(*found->second);
  changed->status = std::move(status);
  changed->modify_index = at_index;
  Put(key, std::move(changed));
  return MaskOf(Table::kJobs);
}

}  // namespace drover
