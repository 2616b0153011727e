// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/alloc/alloc_health.h"
#include "host/alloc/client_status.h"
#include "host/base/common_text.h"
#include "host/base/small_text.h"
#include "host/device/device_group.h"
#include "host/spec/allocation.h"
#include "host/state/alloc_change.h"
#include "host/state/deployment.h"
#include "host/state/job_document.h"
#include "host/state/job_restart.h"
#include "host/state/node_interface.h"
#include "host/state/periodic_launch.h"
#include "host/state/scaling_record.h"
#include "host/state/scheduler_config.h"
#include "host/task/task_state.h"
#include "host/volume/volume_record.h"

// The records of the scheduler: jobs, evaluations, allocations, nodes. A record never changes once
// it is in the tables, so every thread may keep it. A change makes a new record with a higher
// index.
namespace drover {

// The source text of a job, as its client has sent it.
struct JobSubmission {
  // A larger submission is not kept.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  std::string source;
  std::string format;        // "hcl2", "json", ...
  StringMap variable_flags;  // variables from the command line
  std::string variables;

  bool operator==(const JobSubmission&) const = default;
};

// A name that a user has given to a version of a job.
struct VersionTag {
  std::string name;
  std::string description;
  WallTime tagged_time = 0;

  bool operator==(const VersionTag&) const = default;
};

// A version of a job as it was registered.
struct JobRecord {
  std::shared_ptr<const Job> job;
  // The job in the form that clients read: the submitted fields and the defaults, without the
  // fields below.
  JobDocument json;
  std::shared_ptr<const JobSubmission> submission;  // null if it was not sent, or too large
  bool stop = false;
  bool stable = false;            // its deployment has succeeded, or a user has marked it as stable
  std::optional<VersionTag> tag;  // newer versions do not displace a tagged version
  JobScaling scaling;             // the scaling policies as of this version
  std::uint64_t version = 0;
  WallTime submit_time = 0;
  std::string status = "pending";  // pending, running, dead
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;      // index of the last change, also of the status
  std::uint64_t job_modify_index = 0;  // index of the last registration or stop by a user
};

// The reason why allocations of a group could not be placed.
struct PlacementFailure {
  std::string node_pool = "default";           // the node pool of the job
  int nodes_in_pool = 0;                       // the number of ready nodes in this pool
  std::map<std::string, int> nodes_available;  // the ready nodes, by datacenter
  int nodes_evaluated = 0;
  int nodes_filtered = 0;
  int nodes_exhausted = 0;
  std::map<std::string, int> constraint_filtered;  // number of nodes by the constraint they failed
  // How many nodes lack a resource, by resource: "memory", "cpu", "network: ...".
  std::map<std::string, int> dimension_exhausted;
  int coalesced_failures = 0;  // further allocations that failed for the same reason

  bool operator==(const PlacementFailure&) const = default;
};

struct Evaluation {
  std::string id;
  std::string job_namespace;
  std::string job_id;
  JobType type = JobType::kService;
  int priority = 50;
  CommonText triggered_by;        // job-register, job-deregister, alloc-stop, queued-allocs, ...
  CommonText status = "pending";  // blocked, pending, complete, failed, canceled
  CommonText status_description;
  SmallText node_id;        // of evaluations that a node has triggered
  SmallText deployment_id;  // of the deployment that the evaluation goes on with
  SmallText previous_eval;
  SmallText blocked_eval;
  SmallText next_eval;      // a follow-up evaluation that this one has made
  WallTime wait_until = 0;  // a follow-up evaluation is carried out then; 0 means at once
  std::uint64_t job_modify_index = 0;
  std::map<std::string, PlacementFailure> failed_groups;
  std::map<std::string, int> queued;  // how many allocations have no place, by group
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  WallTime create_time = 0;
  WallTime modify_time = 0;

  bool open() const { return status == "pending" || status == "blocked"; }
  // Returns whether the evaluation waits for its time. Newer evaluations do not cancel it.
  bool follows_up() const { return status == "pending" && wait_until != 0; }
};

// The report of a node about one of its allocations.
struct AllocUpdate {
  std::string id;
  AllocStatus status;
  TaskStates tasks;
  WallTime modify_time = 0;
  std::optional<AllocHealth> health = {};         // absent until the node has decided on it
  std::optional<AllocationNetwork> network = {};  // absent if the tasks use the host's network
  // The deployment for which `health` is, in a report; absent in records.
  std::optional<std::string> deployment_id = {};
};

// An allocation: its desired state, and the report of its node.
struct AllocRecord {
  std::shared_ptr<const Allocation> alloc;
  std::shared_ptr<const JobRecord> job;  // the job version for which it was placed or last updated
  AllocUpdate reported;                  // its status is pending until the node reports
  std::string previous;                  // the id of the allocation that this one replaces
  std::string next;                      // the id of the allocation that replaces this one
  bool migrate = false;                  // the allocation must stop and be replaced
  bool no_reschedule = false;            // stop it without a replacement
  bool reschedule = false;               // replace it as if it had failed, without a delay
  bool force_reschedule = false;         // the same, even if its policy allows no more attempts
  std::shared_ptr<const AllocChange> change = nullptr;  // null for most
  bool collected = false;  // the node must remove this ended allocation
  std::uint64_t modify_index = 0;
  WallTime modify_time = 0;

  const std::string& id() const { return alloc->id; }
  bool client_terminal() const { return IsTerminal(reported.status.status); }
  const AllocChange& changes() const {
    static const AllocChange kNone;
    return change == nullptr ? kNone : *change;
  }
  // Returns whether the allocation has ended or must stop.
  bool terminal() const { return alloc->server_terminal() || client_terminal(); }
  // Returns whether nothing of the allocation runs any more. Until then it keeps its ports, memory,
  // cores, devices and volumes. One task that fails makes it a failed allocation, while its node
  // still stops the others. The scheduler has given up on a lost one, whatever its tasks did last.
  bool over() const {
    if (collected || reported.status.status == ClientStatus::kLost) return true;
    return client_terminal() && std::ranges::all_of(reported.tasks, [](const auto& task) {
             return task.second == nullptr || task.second->state == RunnerState::kDead;
           });
  }
};

using AllocRecords = std::vector<std::shared_ptr<const AllocRecord>>;

// How many allocations of one job are on the node, by group.
using GroupCounts = std::map<std::string, int>;

struct DriverRecord {
  bool detected = false;
  bool healthy = false;
  std::string description;
  StringMap attributes;
  WallTime update_time = 0;

  bool operator==(const DriverRecord&) const = default;
};

// A drain that is under way on a node.
struct NodeDrain {
  Duration deadline{0};  // as requested; negative means at once, 0 means no deadline
  bool ignore_system_jobs = false;
  WallTime started_at = 0;
  WallTime force_at = 0;  // when all allocations must leave; 0 means never
  // The time `force_at` on the monotonic clock; absent if an earlier agent began the drain.
  std::optional<TimePoint> ends;

  bool operator==(const NodeDrain&) const = default;
};

// The last drain of a node, which may still be under way.
struct LastDrain {
  WallTime started_at = 0;
  WallTime updated_at = 0;
  std::string status;  // draining, complete, canceled
  StringMap meta;      // given in the request for the drain

  bool operator==(const LastDrain&) const = default;
};

// Something that has happened to a node, as operators read it.
struct NodeEvent {
  std::string subsystem;  // Cluster, Drain, Driver
  std::string message;
  StringMap details;
  WallTime time = 0;

  bool operator==(const NodeEvent&) const = default;
};

// The statuses of nodes, as clients know them.
namespace node_status {
inline constexpr std::string_view kInitializing = "initializing";
inline constexpr std::string_view kReady = "ready";
inline constexpr std::string_view kDown = "down";
inline constexpr std::string_view kDisconnected = "disconnected";
}  // namespace node_status

struct NodeRecord {
  std::string id;
  std::string name;
  std::string datacenter = "dc1";
  std::string node_pool = "default";
  std::string region = "global";
  std::string http_address;  // host:port; empty if there is none
  bool tls = false;          // http_address uses TLS: clients must not send a token without TLS
  std::string version;
  StringMap attributes;
  StringMap meta;
  std::string node_class;
  std::map<std::string, DriverRecord> drivers;
  std::vector<NodeInterface> interfaces;  // interfaces with a default route come first
  int cores = 0;
  std::vector<int> core_ids;  // cores that tasks can reserve, in ascending order
  std::int64_t cpu_mhz = 0;   // the sum of all cores
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;
  // The parts of cpu_mhz, memory_mb and disk_mb that jobs must not use.
  std::int64_t reserved_cpu_mhz = 0;
  std::int64_t reserved_memory_mb = 0;
  std::int64_t reserved_disk_mb = 0;
  // Where the operator chose them: the range of dynamic ports, and ports that no task gets, as in
  // "22,8500-8600".
  int min_dynamic_port = 20000;
  int max_dynamic_port = 32000;
  std::string reserved_ports;
  ConfiguredVolumes host_volumes;       // of the configuration, by name
  DeviceGroups devices;                 // that plugins of the node offer now
  std::string status = "initializing";  // initializing, ready, down, disconnected
  bool eligible = true;
  std::optional<NodeDrain> drain;
  std::optional<LastDrain> last_drain;
  std::vector<NodeEvent> events;  // only the newest events, sorted by time
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  WallTime status_time = 0;
};

}  // namespace drover
