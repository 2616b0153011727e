// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "host/spec/blocks/service_registration.h"
#include "host/state/records.h"
#include "host/variables/variable_record.h"
#include "host/volume/volume_record.h"

namespace drover {

// The kind of record in an event. The order is the same as in StateEvent::record.
enum class Topic {
  kJob,
  kEvaluation,
  kAllocation,
  kNode,
  kService,
  kVariable,
  kVolume,
  kDeployment,
  kLaunch,  // never sent to clients
  kJobRestart,
  kSchedulerConfig,  // never sent to clients
};

// One record that a write has stored or erased. An erased record is as it was before the write.
struct StateEvent {
  std::variant<std::shared_ptr<const JobRecord>, std::shared_ptr<const Evaluation>,
               std::shared_ptr<const AllocRecord>, std::shared_ptr<const NodeRecord>,
               std::shared_ptr<const ServiceRegistration>, std::shared_ptr<const VariableRecord>,
               std::shared_ptr<const VolumeRecord>, std::shared_ptr<const Deployment>,
               std::shared_ptr<const PeriodicLaunch>, std::shared_ptr<const JobRestart>,
               std::shared_ptr<const SchedulerConfig>>
      record;
  bool erased = false;
  bool silent = false;  // only the journal receives the event, not clients

  Topic topic() const { return static_cast<Topic>(record.index()); }
  // Returns the id of the record, or the path of a variable.
  const std::string& Key() const;
  // Returns the namespace of the record; empty for a node, which has no namespace.
  const std::string& Namespace() const;
  // Returns further ids by which clients find the event: the job id of an evaluation or
  // allocation; the job id, the name and the allocation id of a service.
  std::vector<std::string> FilterKeys() const;
};

// The events of one write.
struct EventBatch {
  std::uint64_t index = 0;
  std::string_view cause;  // one of the constants in the namespace `cause`
  std::vector<StateEvent> events;

  // Returns the type of EVENT for clients: the cause of the write, or "PlanResult" for allocations
  // that an evaluation of their job placed or stopped. Events of services have types of their own,
  // since a write of any cause may remove a service.
  std::string_view TypeOf(const StateEvent& event) const;
};

// The causes of writes. Clients receive them as the types of events.
namespace cause {
inline constexpr std::string_view kJobRegistered = "JobRegistered";
inline constexpr std::string_view kJobDeregistered = "JobDeregistered";
inline constexpr std::string_view kJobsCollected = "JobBatchDeregistered";
inline constexpr std::string_view kJobVersion = "JobVersionUpdated";  // all its events are silent
inline constexpr std::string_view kEvaluation = "EvaluationUpdated";
inline constexpr std::string_view kAllocStop = "AllocationUpdateDesiredStatus";
inline constexpr std::string_view kAllocUpdate = "AllocationUpdated";
inline constexpr std::string_view kSchedulerConfig = "OperatorUpdated";  // its event is silent
inline constexpr std::string_view kNodeRegistration = "NodeRegistration";
inline constexpr std::string_view kNodeDeregistration = "NodeDeregistration";
inline constexpr std::string_view kNodeEligibility = "NodeEligibility";
inline constexpr std::string_view kNodeDrain = "NodeDrain";
inline constexpr std::string_view kNodeStatus = "NodeStreamEvent";
inline constexpr std::string_view kServicesChanged = "ServiceRegistration";
inline constexpr std::string_view kDeploymentStatus = "DeploymentStatusUpdate";
inline constexpr std::string_view kDeploymentPromotion = "DeploymentPromotion";
inline constexpr std::string_view kDeploymentHealth = "DeploymentAllocHealth";
inline constexpr std::string_view kJobRestart = "JobRestartUpdated";
inline constexpr std::string_view kVariablePut = "VariableUpserted";
inline constexpr std::string_view kVariableDeleted = "VariableDeleted";
inline constexpr std::string_view kVolumePut = "HostVolumeRegistered";
inline constexpr std::string_view kVolumeDeleted = "HostVolumeDeleted";
}  // namespace cause

}  // namespace drover
