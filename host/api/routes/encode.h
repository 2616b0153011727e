// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/scheduler/reconcile.h"
#include "host/scheduler/scheduler.h"
#include "host/scheduler/state_store.h"

// Records as clients read them: the names are those of the Go client's types. [any thread]
namespace drover {

// "2026-11-22T08:15:30.123456789Z"; the zero time of Go for 0.
std::string Rfc3339(WallTime time);

// The job with what the server adds to it.
nlohmann::json EncodeJob(const JobRecord& job);
// The allocations of a job; those of a purged one of the same name are not.
AllocRecords AllocsOf(const JobRecord& job, const Tables& tables);
// What the summary of a job tells of them, without a look at each.
struct JobParts {
  std::map<std::string, StatusCounts> groups;
  std::vector<std::shared_ptr<const Evaluation>> blocked;
};
JobParts PartsOf(const JobRecord& job, const Tables& tables);
nlohmann::json EncodeJobSummary(const JobRecord& job, const JobParts& parts);
// What a write to a job has led to.
nlohmann::json EncodeJobReply(const JobReply& reply);
// What a plan was asked for.
struct PlannedJob {
  const Job& job;
  const nlohmann::json& json;  // as clients read it
  bool diff;                   // with what it changes
  std::uint64_t index;         // of what was looked at
  WallTime now;
};
nlohmann::json EncodePlan(const PlanReply& plan, const PlannedJob& planned);
nlohmann::json EncodeJobStub(const JobRecord& job, nlohmann::json summary, bool meta);

nlohmann::json EncodeEval(const Evaluation& eval);
nlohmann::json EncodeFailure(const PlacementFailure& failure);

nlohmann::json EncodeTaskStates(const TaskStates& states);
nlohmann::json EncodeAlloc(const AllocRecord& record);
nlohmann::json EncodeAllocWithoutJob(const AllocRecord& record);
struct StubFields {
  bool resources = false;
  bool task_states = true;
};
nlohmann::json EncodeAllocStub(const AllocRecord& record, StubFields fields);
nlohmann::json EncodeUsage(const AllocUsage& usage);

// "host:port" in its parts; the host of "[::1]:4646" is "::1".
struct HostAndPort {
  std::string host;
  int port = 0;
};
HostAndPort SplitAddress(const std::string& address);

nlohmann::json EncodeNode(const NodeRecord& node);
// RESOURCES and OS: with those, too.
nlohmann::json EncodeNodeStub(const NodeRecord& node, bool resources, bool os);

}  // namespace drover
