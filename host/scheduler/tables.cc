// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/tables.h"

#include <algorithm>

namespace drover {
namespace {

std::string JobStatus(const Tables& tables, const JobKey& key, const JobRecord& job) {
  if (tables.open_allocs_of_job.count(key) > 0) return "running";
  bool any = job.stop || tables.allocs_of_job.count(key) > 0;
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

const AllocRecords& Tables::AllocsOf(const JobKey& key) const {
  static const auto& none = *new AllocRecords();
  const auto found = allocs_of_job.find(key);
  return found == allocs_of_job.end() ? none : found->second;
}

void Tables::Put(const JobKey& key, std::shared_ptr<const JobRecord> record) {
  changes.push_back({record});
  versions[key].insert_or_assign(record->version, record);
  jobs.insert_or_assign(key, std::move(record));
  ForgetVersions(key);
}

void Tables::PutVersion(const JobKey& key, std::shared_ptr<const JobRecord> record) {
  changes.push_back({record, false, true});
  versions.at(key).at(record->version) = record;
  auto& newest = jobs.at(key);
  if (newest->version == record->version) newest = std::move(record);
  ForgetVersions(key);
}

void Tables::ForgetVersions(const JobKey& key) {
  auto& of_job = versions.at(key);
  const auto has_no_tag = [](const auto& version) { return !version.second->tag; };
  auto many = static_cast<std::size_t>(std::count_if(of_job.begin(), of_job.end(), has_no_tag));
  for (; many > kMaxJobVersions; --many) {
    const auto oldest = std::find_if(of_job.begin(), of_job.end(), has_no_tag);
    changes.push_back({oldest->second, true, true});
    of_job.erase(oldest);
  }
}

void Tables::Put(std::shared_ptr<const Evaluation> eval) {
  const JobKey key = KeyOf(*eval);
  const std::string id = eval->id;
  changes.push_back({eval});
  if (eval->status == "blocked") {
    blocked_evals.insert(id);
  } else {
    blocked_evals.erase(id);
  }
  if (evals.insert_or_assign(id, std::move(eval)).second) evals_of_job[key].push_back(id);
}

void Tables::Put(std::shared_ptr<const AllocRecord> record) {
  const JobKey key = KeyOf(*record->alloc->job);
  const std::string id = record->id();
  changes.push_back({record});
  auto& place = allocs[id];
  Count(place.get(), record);
  auto& of_job = allocs_of_job[key];
  if (place == nullptr) {
    of_job.push_back(record);
  } else {
    *std::find(of_job.begin(), of_job.end(), place) = record;
  }
  place = std::move(record);
}

void Tables::Put(std::shared_ptr<const NodeRecord> node) {
  changes.push_back({node});
  const std::string id = node->id;
  nodes.insert_or_assign(id, std::move(node));
}

void Tables::EraseJob(const JobKey& key) {
  const auto newest = jobs.find(key);
  for (const auto& [number, version] : versions.at(key)) {
    changes.push_back({version, true, number != newest->second->version});
  }
  jobs.erase(newest);
  versions.erase(key);
}

void Tables::Erase(const Evaluation& eval) {
  const JobKey key = KeyOf(eval);
  const std::string id = eval.id;  // EVAL may be the table's own
  const auto place = evals.find(id);
  changes.push_back({place->second, true, true});
  evals.erase(place);
  blocked_evals.erase(id);
  const auto of_job = evals_of_job.find(key);
  std::erase(of_job->second, id);
  if (of_job->second.empty()) evals_of_job.erase(of_job);
}

void Tables::Erase(const AllocRecord& record) {
  const auto place = allocs.find(record.id());
  Count(place->second.get(), nullptr);
  changes.push_back({place->second, true, true});
  const auto of_job = allocs_of_job.find(KeyOf(*record.alloc->job));
  std::erase(of_job->second, place->second);
  if (of_job->second.empty()) allocs_of_job.erase(of_job);
  allocs.erase(place);  // RECORD may be the table's own
}

void Tables::Count(const AllocRecord* before, const std::shared_ptr<const AllocRecord>& after) {
  const AllocRecord& any = before != nullptr ? *before : *after;
  const bool was_open = before != nullptr && !before->terminal();
  const bool is_open = after != nullptr && !after->terminal();
  if (is_open && !was_open) ++open_allocs_of_job[KeyOf(*any.alloc->job)];
  if (was_open && !is_open) {
    const auto open = open_allocs_of_job.find(KeyOf(*any.alloc->job));
    if (--open->second == 0) open_allocs_of_job.erase(open);
  }
  if (after != nullptr && !after->client_terminal()) {
    live_allocs[any.id()] = after;
  } else {
    live_allocs.erase(any.id());
  }
  const bool wanted_before = before != nullptr && !before->collected;
  const bool wanted_after = after != nullptr && !after->collected;
  if (wanted_before != wanted_after || (wanted_after && before->alloc != after->alloc))
    wanted.Add(last_index, any.id());
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
