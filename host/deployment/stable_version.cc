// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>

#include "host/deployment/deployment_watch.h"

namespace drover {

bool SaysTheSame(const JobRecord& a, const JobRecord& b) {
  const auto left = a.json.Whole(), right = b.json.Whole();
  if (left == nullptr || right == nullptr) return *a.job == *b.job;
  return *left == *right;
}

std::shared_ptr<const JobRecord> StableBefore(const DeploymentInput& view) {
  if (view.job == nullptr || view.versions == nullptr) return nullptr;
  const Deployment& deployment = *view.deployment;
  for (auto at = view.versions->rbegin(); at != view.versions->rend(); ++at) {
    const std::shared_ptr<const JobRecord>& version = at->second;
    if (version->version >= deployment.job_version || !version->stable || version->stop) continue;
    if (version->create_index == deployment.job_create_index) return version;
  }
  return nullptr;
}

}  // namespace drover
