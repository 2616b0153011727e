// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/result.h"
#include "host/client/api_client.h"

namespace drover {

// What a command is told by the first characters of its id.
struct IdKind {
  const char* name;
  const char* list;  // the route that lists them
  const char* hint;  // the command that does so
};
inline constexpr IdKind kAllocIds{"allocation", "/v1/allocations", "drover job allocs JOB"};
inline constexpr IdKind kNodeIds{"node", "/v1/nodes", "drover node status"};
inline constexpr IdKind kEvalIds{"evaluation", "/v1/evaluations", "drover eval list"};

// The only id that begins with PREFIX, whose hyphens do not count. Code::kNotFound when there is
// none, Code::kFailedPrecondition when there are several; the message lists them.
Result<std::string> FindId(ApiClient* client, const IdKind& kind, const std::string& prefix);

// What an agent is asked for when it is to list the ids that begin with PREFIX: hyphens as in an
// id, and an even number of digits, which older agents need.
Result<std::string> ListedPrefix(const std::string& prefix);

struct JobName {
  std::string id;
  std::string job_namespace;
  bool exact = true;  // that is what was asked for, and not the beginning of it
};
// The job named PREFIX, or else the only one whose name begins with it; errors like FindId.
Result<JobName> FindJob(ApiClient* client, const std::string& prefix);

// The route of the name TAG of a version of JOB.
std::string JobTagPath(const JobName& job, const std::string& tag);

// The newest allocation of that job, and of its group GROUP unless that is empty: one that runs, if
// any does. Errors like FindId.
Result<std::string> FindAllocOfJob(ApiClient* client, const std::string& prefix,
                                   const std::string& group);

// The node of the agent that is asked.
Result<std::string> FindOwnNode(ApiClient* client);

}  // namespace drover
