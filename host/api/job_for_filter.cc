// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/job_for_filter.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;

// The fields of a job that its lists show.
constexpr const char* kListed[] = {"ID",
                                   "ParentID",
                                   "Name",
                                   "Namespace",
                                   "Datacenters",
                                   "NodePool",
                                   "Type",
                                   "Priority",
                                   "Stop",
                                   "Status",
                                   "StatusDescription",
                                   "Version",
                                   "SubmitTime",
                                   "CreateIndex",
                                   "ModifyIndex",
                                   "JobModifyIndex",
                                   "Meta"};

}  // namespace

json JobForFilter(const Acl& acl, const JobRecord& job) {
  json whole = EncodeJob(job);
  if (acl.Allows(job.job->job_namespace, {Capability::kReadJob})) return whole;
  json listed = json::object();
  for (const char* name : kListed) {
    const auto field = whole.find(name);
    if (field != whole.end()) listed[name] = std::move(*field);
  }
  return listed;
}

}  // namespace drover
