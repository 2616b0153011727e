// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "host/alloc/alloc_runner.h"
#include "host/base/time.h"
#include "host/device/device_group.h"
#include "host/reconcile/job_plan.h"
#include "host/scheduler/scheduler.h"
#include "host/state/state_store.h"
#include "host/volume/volume_record.h"

// These functions encode records as JSON for clients. The names are those of the Go client's types.
// [any thread]
namespace drover {

// Returns the job with the fields that the server adds to it.
nlohmann::json EncodeJob(const JobRecord& job);
// Returns the allocations of a job, without those of a purged job of the same name.
AllocRecords AllocsOf(const JobRecord& job, const Tables& tables);
// The data for the summary of a job: the numbers of allocations by status for each group, the
// blocked evaluations, and the children. PartsOf uses stored counts and does not read the
// allocations.
struct JobParts {
  std::map<std::string, StatusCounts> groups;
  std::vector<std::shared_ptr<const Evaluation>> blocked;
  // The numbers of the jobs that it has started.
  std::size_t pending_children = 0, running_children = 0, dead_children = 0;
};
JobParts PartsOf(const JobRecord& job, const Tables& tables);
nlohmann::json EncodeJobSummary(const JobRecord& job, const JobParts& parts);
// Encodes the result of a call that changes or evaluates a job.
nlohmann::json EncodeJobReply(const JobReply& reply);
nlohmann::json EncodeDispatchReply(const DispatchReply& reply);
// Returns when JOB, if it were registered at NOW, would launch its first child; null if never.
nlohmann::json EncodeNextLaunch(const Job& job, WallTime now);
// The job for which a client requests a plan.
struct PlannedJob {
  const Job& job;
  const nlohmann::json& json;  // the job as clients read it
  bool diff;                   // whether the answer must contain a diff
  std::uint64_t index;         // the index of the state that was read
  WallTime now;
};
nlohmann::json EncodePlan(const PlanReply& plan, const PlannedJob& planned);
nlohmann::json EncodeJobStub(const JobRecord& job, nlohmann::json summary, bool meta);

nlohmann::json EncodeEval(const Evaluation& eval);
nlohmann::json EncodeDeployment(const Deployment& deployment);
nlohmann::json EncodeJobRestart(const JobRestart& restart);
nlohmann::json EncodeFailure(const PlacementFailure& failure);

nlohmann::json EncodeService(const ServiceRegistration& service);
// Returns SERVICE as a target in the form that Prometheus reads by http_sd. The labels have the
// names that Prometheus gives them if it asks Nomad.
nlohmann::json EncodePrometheusTarget(const ServiceRegistration& service);

nlohmann::json EncodeTaskStates(const TaskStates& states);
nlohmann::json EncodeAlloc(const AllocRecord& record);
nlohmann::json EncodeAllocWithoutJob(const AllocRecord& record);
struct StubFields {
  bool resources = false;
  bool task_states = true;
};
nlohmann::json EncodeAllocStub(const AllocRecord& record, StubFields fields);
// DEVICES are the measured devices of each task that has some.
using TaskDeviceStats = std::map<std::string, DeviceStats>;
nlohmann::json EncodeUsage(const AllocUsage& usage, const TaskDeviceStats& devices);

// The parts of an address "host:port". The host of "[::1]:4646" is "::1".
struct HostAndPort {
  std::string host;
  int port = 0;
};
HostAndPort SplitAddress(const std::string& address);

// The volumes of clients that a node has, and that the one who asks may see.
using NodeVolumes = std::vector<std::shared_ptr<const VolumeRecord>>;
nlohmann::json EncodeNode(const NodeRecord& node, const NodeVolumes& volumes = {});
// Encodes a variable without its items.
nlohmann::json EncodeVariableMetadata(const VariableRecord& variable);
// Returns the JSON of VARIABLE with ITEMS, which are JSON, too. The text is the only copy of ITEMS
// that this makes, so that the caller can wipe it.
std::string VariableWithItems(const VariableRecord& variable, std::string_view items);

// If RESOURCES is true, the result has the fields of resources. If OS is true, it has the
// attributes of the operating system.
nlohmann::json EncodeNodeStub(const NodeRecord& node, bool resources, bool os,
                              const NodeVolumes& volumes = {});

}  // namespace drover
