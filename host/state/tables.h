// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/state/state_event.h"
#include "host/state/wanted_log.h"

namespace drover {

// kWanted is the desired state of allocations, which is a part of kAllocs. The index of kWanted
// does not change when nodes only report. kScaling is the part of kJobs that are scaling policies.
enum class Table {
  kJobs,
  kEvals,
  kAllocs,
  kWanted,
  kNodes,
  kServices,
  kVariables,
  kVolumes,
  kScaling,
  kDeployments,
  kRestarts
};
inline constexpr int kTables = 11;
// Limits for the versions of a job: how many of the newest untagged versions are kept, the newest
// stable one always among them, and how many versions can have a tag.
inline constexpr std::size_t kMaxJobVersions = 6;
inline constexpr std::size_t kMaxTaggedVersions = 32;

// A set of tables, with one bit for each.
using TableMask = unsigned;
constexpr TableMask MaskOf(Table table) { return 1u << static_cast<int>(table); }
inline constexpr TableMask kAllTables = (1u << kTables) - 1;

// The namespace and the id of a job.
using JobKey = std::pair<std::string, std::string>;
using JobKeyView = std::pair<std::string_view, std::string_view>;
inline JobKey KeyOf(const Job& job) { return {job.job_namespace, job.id}; }
inline JobKey KeyOf(const Evaluation& eval) { return {eval.job_namespace, eval.job_id}; }
inline JobKey KeyOf(const Deployment& of) { return {of.job_namespace, of.job_id}; }
inline JobKey KeyOf(const PeriodicLaunch& of) { return {of.job_namespace, of.job_id}; }
inline JobKey KeyOf(const JobRestart& of) { return {of.job_namespace, of.job_id}; }
// The namespace and the path of a variable.
using VariableKey = std::pair<std::string, std::string>;
inline VariableKey KeyOf(const VariableRecord& record) { return {record.name_space, record.path}; }

// The namespace and the name of a volume of clients, which is unique. Volumes of the configuration
// have no namespace: jobs of all namespaces use them by their names.
using VolumeName = std::pair<std::string, std::string>;
inline VolumeName KeyOf(const VolumeRecord& record) { return {record.name_space, record.name}; }

// The allocations that use a volume, or a volume of the configuration of that name.
struct VolumeUsers {
  std::set<std::string> allocs;  // their ids
  int writers = 0;               // how many of them may write
  int exclusive = 0;             // how many of these let nobody else write

  bool operator==(const VolumeUsers&) const = default;
};

// PlacedBefore sorts allocations in the order of their placement, and EndedBefore in the order in
// which they ended.
struct PlacedBefore {
  bool operator()(const std::shared_ptr<const AllocRecord>& a,
                  const std::shared_ptr<const AllocRecord>& b) const;
};
struct EndedBefore {
  bool operator()(const std::shared_ptr<const AllocRecord>& a,
                  const std::shared_ptr<const AllocRecord>& b) const;
};
using JobAllocs = std::set<std::shared_ptr<const AllocRecord>, PlacedBefore>;
using EndedAllocs = std::set<std::shared_ptr<const AllocRecord>, EndedBefore>;
// The ids of the evaluations of a job, which are texts in their records.
struct JobEvals {
  std::set<std::pair<std::uint64_t, std::string_view>> all;  // by create index: the newest is last
  std::set<std::string_view> open;

  bool operator==(const JobEvals&) const = default;
};
// The deployments of a job, each with its create index and id. The newest is the last.
using JobDeployments = std::set<std::pair<std::uint64_t, std::string>>;
// The same for the restarts of a job.
using JobRestarts = std::set<std::pair<std::uint64_t, std::string>>;
// The jobs that a periodic or parameterized job has started, by status.
struct JobChildren {
  std::set<std::string> pending;
  std::set<std::string> running;
  std::set<std::string> dead;
  std::map<std::string, std::string> by_token;  // those that were dispatched with a token

  bool empty() const { return pending.empty() && running.empty() && dead.empty(); }
};

// Sorts registrations of services by their id.
struct ServiceOrder {
  using is_transparent = void;  // std::set looks for it, not only for tests
  using Service = std::shared_ptr<const ServiceRegistration>;

  bool operator()(const Service& a, const Service& b) const { return a->id < b->id; }
  bool operator()(const Service& a, std::string_view id) const { return a->id < id; }
  bool operator()(std::string_view id, const Service& b) const { return id < b->id; }
};
using ServiceSet = std::set<std::shared_ptr<const ServiceRegistration>, ServiceOrder>;
// The namespace and the name of a service.
using ServiceKey = std::pair<std::string, std::string>;
inline ServiceKey KeyOf(const ServiceRegistration& service) {
  return {service.service_namespace, service.name};
}

// The ids of devices that allocations have, by group. It contains no empty sets.
using DevicesInUse = std::map<DeviceName, std::set<std::string>>;

// The resources that the allocations of a node have. Allocations that are over do not count.
struct NodeUsage {
  std::int64_t cpu_mhz = 0;  // not counting reserved cores
  std::int64_t cores = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;
  std::set<int> core_ids;
  DevicesInUse devices;

  bool operator==(const NodeUsage&) const = default;
};

// How many allocations are in each ClientStatus.
using StatusCounts = std::array<std::size_t, 6>;

// Identifies allocations of one group that leave a node together in a drain. BY_ITSELF is set for
// batch jobs, whose allocations end without a request. Groups of batch jobs come last in the
// order.
struct DrainGroup {
  std::string node_id;
  bool by_itself = false;
  JobKey job = {};
  std::string name = {};

  auto operator<=>(const DrainGroup&) const = default;
};

// All records. Every write has a number, its index. The index of a table is the index of the last
// write to that table.
struct Tables {
  std::map<JobKey, std::shared_ptr<const JobRecord>> jobs;
  std::map<JobKey, std::map<std::uint64_t, std::shared_ptr<const JobRecord>>> versions;
  // The keys of `evals` and `launches` are texts in the records: they end with the record.
  std::map<std::string_view, std::shared_ptr<const Evaluation>> evals;
  std::map<std::string, std::shared_ptr<const AllocRecord>> allocs;
  std::map<std::string, std::shared_ptr<const NodeRecord>> nodes;
  std::map<VariableKey, std::shared_ptr<const VariableRecord>> variables;
  std::map<std::string, std::shared_ptr<const VolumeRecord>> volumes;  // by id
  std::map<VolumeName, std::string> volume_ids;
  // The scaling policies of the newest versions of all jobs, by id.
  std::map<std::string, std::shared_ptr<const ScalingRecord>> scaling_policies;
  std::map<JobKey, JobAllocs> allocs_of_job;
  std::map<JobKey, JobEvals> evals_of_job;
  std::map<std::string, std::shared_ptr<const Deployment>> deployments;
  std::map<JobKey, JobDeployments> deployments_of_job;
  std::map<JobKeyView, std::shared_ptr<const PeriodicLaunch>> launches;
  std::map<std::string, std::shared_ptr<const JobRestart>> restarts;
  std::map<JobKey, JobRestarts> restarts_of_job;
  std::shared_ptr<const SchedulerConfig> scheduler_config;  // null until an operator sets it
  std::map<JobKey, JobChildren> children;                   // by parent
  // The registrations of services: all of them, and the same by name and by allocation. An
  // allocation that has ended has none. They contain no empty entries.
  ServiceSet services;
  std::map<ServiceKey, ServiceSet> services_of_name;
  std::map<std::string, ServiceSet> services_of_alloc;
  // Subsets and sums of the tables above, so that no search has to pass over all ended
  // allocations. They contain no empty entries.
  std::map<std::string, std::shared_ptr<const AllocRecord>> live_allocs;  // have not ended
  EndedAllocs ended_allocs;                          // over, but not collected yet
  std::map<JobKey, GroupCounts> open_allocs_of_job;  // without terminal allocations
  std::map<std::string, std::size_t> allocs_of_eval;
  // What the allocations have that are not over: their resources by node, and their volumes.
  std::map<std::string, NodeUsage> usage;
  std::map<VolumeName, VolumeUsers> volume_users;
  // `staying` contains the ids of the live_allocs that may stay on the node. `leaving` contains
  // the number of live_allocs that were asked to leave the node.
  std::map<DrainGroup, std::set<std::string>> staying;
  std::map<DrainGroup, std::size_t> leaving;
  // The number of allocations that are not collected, by job.
  std::map<JobKey, std::size_t> uncollected;
  std::size_t blocked_evals = 0;
  std::size_t variable_bytes = 0;  // of the sealed items of all variables
  std::map<std::string, StatusCounts> statuses_of_node;
  // Status counts by the create index of a job and by group. The create index separates a purged
  // job from a later job with the same key.
  using GroupStatuses = std::map<std::pair<std::uint64_t, std::string>, StatusCounts>;
  std::map<JobKey, GroupStatuses> statuses_of_job;
  WantedLog wanted;
  std::array<std::uint64_t, kTables> index{};
  std::uint64_t last_index = 0;
  // The records that the current write has put or erased. StateStore takes them after the write.
  std::vector<StateEvent> changes;

  // Returns the value of KEY; null if there is none.
  template <typename Map, typename Key>
  static typename Map::mapped_type Find(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }
  // Returns the highest index of the tables of MASK, but at least 1, as clients expect.
  std::uint64_t IndexOf(TableMask mask) const;
  // Returns the volume of clients with this name; null if there is none.
  std::shared_ptr<const VolumeRecord> FindVolume(const VolumeName& name) const;
  // The returned references are valid until the next write.
  const JobAllocs& AllocsOf(const JobKey& key) const;
  const GroupCounts& OpenAllocsOf(const JobKey& key) const;
  const std::set<std::string_view>& OpenEvalsOf(const JobKey& key) const;
  const ServiceSet& ServicesOf(const std::string& alloc_id) const;
  // Returns the newest deployment of JOB, not of a purged job of the same key; null if none.
  std::shared_ptr<const Deployment> DeploymentOf(const JobRecord& job) const;
  // Returns the registration with the id ID; null if there is none.
  std::shared_ptr<const ServiceRegistration> FindService(std::string_view id) const;

  // Each Put adds a record, or replaces the record with the same key.
  void Put(const JobKey& key, std::shared_ptr<const JobRecord> record);  // adds the newest version
  void Put(std::shared_ptr<const Evaluation> eval);
  void Put(std::shared_ptr<const AllocRecord> record);  // an ended one loses its services
  void Put(std::shared_ptr<const NodeRecord> node);
  void Put(std::shared_ptr<const ServiceRegistration> service);
  void Put(std::shared_ptr<const VariableRecord> variable);
  void Put(std::shared_ptr<const VolumeRecord> volume);
  void Put(std::shared_ptr<const Deployment> deployment);
  void Put(std::shared_ptr<const PeriodicLaunch> launch);
  void Put(std::shared_ptr<const JobRestart> restart);
  void Put(std::shared_ptr<const SchedulerConfig> config);
  // Replaces a stored version of a job after a change. RECORD may also be the newest version.
  void PutVersion(const JobKey& key, std::shared_ptr<const JobRecord> record);
  // Erases a job, which must exist, with its versions, its restarts and its claims on volumes.
  // Clients receive an event for the erased job, but not for erased evaluations and allocations.
  // Returns the tables that it has written to.
  TableMask EraseJob(const JobKey& key, std::uint64_t at_index);
  void Erase(const Evaluation& eval);
  void Erase(const AllocRecord& record);
  void Erase(const ServiceRegistration& service);
  // Clients receive an event for the erased node, variable, or volume.
  void Erase(const NodeRecord& node);
  void Erase(const VariableRecord& variable);
  void Erase(const VolumeRecord& volume);
  // Without an event for clients.
  void Erase(const Deployment& deployment);
  void Erase(const PeriodicLaunch& launch);
  void Erase(const JobRestart& restart);

  // Brings the status of a job in line with its allocations and evaluations. Returns the tables
  // that it has written to.
  TableMask UpdateJobStatus(const JobKey& key, std::uint64_t at_index);

 private:
  void ForgetVersions(const JobKey& key);
  void Forget(const Evaluation& eval);
  void ReplaceScaling(const JobScaling& before, const JobScaling& after);
  void EraseServicesOf(const std::string& alloc_id);
  // Counts JOB among the children of its parent, if it has one, or no longer.
  void CountChild(const JobRecord& job, bool is_there);
  // Updates the subsets and sums when an allocation changes from BEFORE to AFTER. BEFORE is null
  // for a new allocation, and AFTER is null for an erased one.
  void Count(const std::shared_ptr<const AllocRecord>& before,
             const std::shared_ptr<const AllocRecord>& after);
  // Count calls these functions. SIGN is 1 to add RECORD, and -1 to remove it.
  void CountStatus(const AllocRecord& record, int sign);
  void CountForDrain(const AllocRecord& record, int sign);
  void Use(const AllocRecord& record, int sign);
  void UseVolumes(const Allocation& alloc, int sign);
  static void UseDevices(const Allocation& alloc, int sign, DevicesInUse* in_use);
  TableMask DropClaimsOf(const JobKey& key, std::uint64_t at_index);
};

}  // namespace drover
