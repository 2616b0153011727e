// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/shared_documents.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace drover {
namespace {

// Rarely do the children that are left come from more versions of their parent.
constexpr std::size_t kMostSeen = 8;

}  // namespace

std::shared_ptr<const JobRecord> SharedDocuments::Share(std::shared_ptr<const JobRecord> record) {
  const Job& job = *record->job;
  std::vector<JobKey> parents;
  if (!job.parent_id.empty()) parents.emplace_back(job.job_namespace, job.parent_id);
  if (job.starts_children()) parents.push_back(KeyOf(job));
  std::optional<JobDocument> shared;
  for (const JobKey& parent : parents) {
    const auto& seen = seen_[parent];
    // All allocations of a job may have one record.
    if (std::ranges::count(seen, record->json.base()) > 0) return record;
    for (const JobDocument::Object& base : seen) {
      if (!shared) shared = record->json.SharedWith(base);
    }
  }
  if (shared) {
    auto changed = std::make_shared<JobRecord>(*record);
    changed->json = std::move(*shared);
    record = std::move(changed);
  }
  for (const JobKey& parent : parents) {
    auto& seen = seen_[parent];
    if (std::ranges::count(seen, record->json.base()) > 0) continue;
    if (seen.size() == kMostSeen) seen.pop_back();
    seen.push_front(record->json.base());
  }
  return record;
}

}  // namespace drover
