// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/alloc/client_status.h"
#include "host/scheduler/node_interface.h"
#include "host/spec/allocation.h"

// The records of the scheduler: jobs, evaluations, allocations, nodes. A record never changes once
// it is in the tables, so every thread may keep it. A change makes a new record with a higher
// index.
namespace drover {

// The source text of a job, as its client has sent it.
struct JobSubmission {
  // Larger ones are not kept.
  static constexpr std::size_t kMaxBytes = std::size_t{1} << 20;

  std::string source;
  std::string format;        // hcl2, json, ...
  StringMap variable_flags;  // from the command line
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
  // The job as clients read it: the submitted fields and the defaults, without the fields below.
  std::shared_ptr<const nlohmann::json> json;
  std::shared_ptr<const JobSubmission> submission;  // null: it was not sent, or too large
  bool stop = false;
  bool stable = false;            // marked so by a user
  std::optional<VersionTag> tag;  // newer versions do not displace a tagged one
  std::uint64_t version = 0;
  WallTime submit_time = 0;
  std::string status = "pending";  // pending, running, dead
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;      // of the last change, also of the status
  std::uint64_t job_modify_index = 0;  // of the last registration or stop by a user
};

// The reason why allocations of a group have no place.
struct PlacementFailure {
  int nodes_in_pool = 0;                       // the ready ones
  std::map<std::string, int> nodes_available;  // of them, by datacenter
  int nodes_evaluated = 0;
  int nodes_filtered = 0;
  int nodes_exhausted = 0;
  std::map<std::string, int> constraint_filtered;  // by constraint text
  std::map<std::string, int> dimension_exhausted;  // "memory", "cpu", "network: ..."
  int coalesced_failures = 0;                      // further allocations that failed alike

  bool operator==(const PlacementFailure&) const = default;
};

struct Evaluation {
  std::string id;
  std::string job_namespace;
  std::string job_id;
  JobType type = JobType::kService;
  int priority = 50;
  std::string triggered_by;        // job-register, job-deregister, alloc-stop, queued-allocs, ...
  std::string status = "pending";  // blocked, pending, complete, failed, canceled
  std::string status_description;
  std::string previous_eval;
  std::string blocked_eval;
  std::uint64_t job_modify_index = 0;
  std::map<std::string, PlacementFailure> failed_groups;
  std::map<std::string, int> queued;  // by group
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  WallTime create_time = 0;
  WallTime modify_time = 0;

  bool open() const { return status == "pending" || status == "blocked"; }
};

// The report of a node about one of its allocations.
struct AllocUpdate {
  std::string id;
  AllocStatus status;
  TaskStates tasks;
  WallTime modify_time = 0;
};

// An allocation: its desired state, and the report of its node.
struct AllocRecord {
  std::shared_ptr<const Allocation> alloc;
  std::shared_ptr<const JobRecord> job;  // the version that it was placed or last updated for
  AllocUpdate reported;                  // status pending until the node reports
  std::string previous;                  // the allocation that it replaces
  std::string next;                      // the one that replaces it
  bool migrate = false;                  // it must stop and be replaced
  bool collected = false;                // it has ended, and its node must remove it
  std::uint64_t modify_index = 0;
  WallTime modify_time = 0;

  const std::string& id() const { return alloc->id; }
  bool client_terminal() const { return IsTerminal(reported.status.status); }
  // It has ended or must stop. Until it has ended, it still has its ports and memory.
  bool terminal() const { return alloc->server_terminal() || client_terminal(); }
};

using AllocRecords = std::vector<std::shared_ptr<const AllocRecord>>;

// How many allocations of a job, by group, are on the node.
using GroupCounts = std::map<std::string, int>;

struct DriverRecord {
  bool detected = false;
  bool healthy = false;
  std::string description;
  StringMap attributes;
  WallTime update_time = 0;

  bool operator==(const DriverRecord&) const = default;
};

// The drain of a node that is under way.
struct NodeDrain {
  Duration deadline{0};  // as requested; negative: at once, 0: none
  bool ignore_system_jobs = false;
  WallTime started_at = 0;
  WallTime force_at = 0;  // then all allocations must go; 0: never
  // The same by the monotonic clock; absent in a record of an earlier agent.
  std::optional<TimePoint> ends;

  bool operator==(const NodeDrain&) const = default;
};

// The last drain of a node, which may still be under way.
struct LastDrain {
  WallTime started_at = 0;
  WallTime updated_at = 0;
  std::string status;  // draining, complete, canceled
  StringMap meta;      // given by the requester

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

struct NodeRecord {
  std::string id;
  std::string name;
  std::string datacenter = "dc1";
  std::string region = "global";
  std::string http_address;  // host:port; empty: none
  bool tls = false;          // it is served with TLS: clients must not send a token in the clear
  std::string version;
  StringMap attributes;
  StringMap meta;
  std::string node_class;
  std::map<std::string, DriverRecord> drivers;
  std::vector<NodeInterface> interfaces;  // those that lead out come first
  int cores = 0;
  std::vector<int> core_ids;  // that tasks can reserve, sorted
  std::int64_t cpu_mhz = 0;   // of all cores
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;
  std::int64_t reserved_cpu_mhz = 0;  // part of these, not for jobs
  std::int64_t reserved_memory_mb = 0;
  std::int64_t reserved_disk_mb = 0;
  std::string status = "initializing";  // initializing, ready, down
  bool eligible = true;
  std::optional<NodeDrain> drain;
  std::optional<LastDrain> last_drain;
  std::vector<NodeEvent> events;  // the newest ones, sorted by time: see AddEvent
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  WallTime status_time = 0;
};

}  // namespace drover
