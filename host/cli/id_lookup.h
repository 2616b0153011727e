// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "host/base/result.h"
#include "host/client/api_client.h"

namespace drover {

// A kind of record that a command can find by the beginning of its id.
struct IdKind {
  const char* name;
  const char* list;       // path in the API that lists the records
  const char* hint;       // command that lists the records
  const char* type = "";  // the value of the query type; empty: there is none
};
inline constexpr IdKind kAllocIds{"allocation", "/v1/allocations", "drover job allocs JOB"};
inline constexpr IdKind kNodeIds{"node", "/v1/nodes", "drover node status"};
inline constexpr IdKind kVolumeIds{"host volume", "/v1/volumes", "drover volume status", "host"};
inline constexpr IdKind kScalingIds{"scaling policy", "/v1/scaling/policies",
                                    "drover scaling policy list"};
inline constexpr IdKind kEvalIds{"evaluation", "/v1/evaluations", "drover eval list"};
inline constexpr IdKind kDeploymentIds{"deployment", "/v1/deployments", "drover deployment list"};

// Returns the only id that begins with PREFIX. The comparison ignores hyphens. Returns
// Code::kNotFound if there is no such id. Returns Code::kFailedPrecondition, with a message that
// lists the ids, if there are several.
Result<std::string> FindId(ApiClient* client, const IdKind& kind, const std::string& prefix);

// Returns the prefix to send in a request for the ids that begin with PREFIX. The returned prefix
// has hyphens at the same positions as an id, and an even number of digits. Older agents need an
// even number.
Result<std::string> ListedPrefix(const std::string& prefix);

struct JobName {
  std::string id;
  std::string job_namespace;
  bool exact = true;  // true if the user typed the whole name, not only its beginning
};
enum class JobKind { kAny, kPeriodic, kParameterized };
// Finds the job with the name PREFIX, or else the only job of KIND whose name begins with PREFIX:
// the names of all children begin with that of their parent. Returns the same errors as FindId, and
// Code::kInvalidArgument if PREFIX is empty.
Result<JobName> FindJob(ApiClient* client, const std::string& prefix, JobKind kind = JobKind::kAny);

// Finds the namespace NAME, or else the only one whose name begins with NAME, and returns its
// record. Returns the same errors as FindId.
Result<nlohmann::json> FindNamespace(ApiClient* client, const std::string& name);

// Returns the only namespace that has a service with the name NAME. Returns Code::kNotFound if
// there is no such service, and Code::kFailedPrecondition if several namespaces have one.
Result<std::string> FindServiceNamespace(ApiClient* client, const std::string& name);

// Returns the path in the API for TAG, a tag of a version of JOB.
std::string JobTagPath(const JobName& job, const std::string& tag);

// Finds the job as FindJob does, and returns the id of the job's newest running allocation. If no
// allocation is running, returns the id of the newest allocation. If GROUP is not empty, considers
// only allocations of the task group GROUP. Returns the same errors as FindId.
Result<std::string> FindAllocOfJob(ApiClient* client, const std::string& prefix,
                                   const std::string& group);

// Returns the id of the node that belongs to the agent to which CLIENT is connected.
Result<std::string> FindOwnNode(ApiClient* client);

}  // namespace drover
