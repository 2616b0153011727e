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
#include <utility>
#include <vector>

#include "host/scheduler/state_event.h"
#include "host/scheduler/wanted_log.h"

namespace drover {

// kWanted is the desired state of allocations: it is written with kAllocs, but not by reports of
// nodes.
enum class Table { kJobs, kEvals, kAllocs, kWanted, kNodes };
inline constexpr int kTables = 5;
// The limits of versions of a job: only so many of the newest without a tag are kept, and so many
// can be tagged.
inline constexpr std::size_t kMaxJobVersions = 6;
inline constexpr std::size_t kMaxTaggedVersions = 32;

// A set of tables.
using TableMask = unsigned;
constexpr TableMask MaskOf(Table table) { return 1u << static_cast<int>(table); }
inline constexpr TableMask kAllTables = (1u << kTables) - 1;

// Namespace and id.
using JobKey = std::pair<std::string, std::string>;
inline JobKey KeyOf(const Job& job) { return {job.job_namespace, job.id}; }
inline JobKey KeyOf(const Evaluation& eval) { return {eval.job_namespace, eval.job_id}; }

// The orders in which allocations were placed, and in which they have ended.
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
// The create index and id of each evaluation; the newest is the last.
using JobEvals = std::set<std::pair<std::uint64_t, std::string>>;

// The resources of the allocations of a node that have not ended.
struct NodeUsage {
  std::int64_t cpu_mhz = 0;  // beside the cores
  std::int64_t cores = 0;
  std::int64_t memory_mb = 0;
  std::int64_t disk_mb = 0;
  std::set<int> core_ids;

  bool operator==(const NodeUsage&) const = default;
};

// How many allocations are in each ClientStatus.
using StatusCounts = std::array<std::size_t, 6>;

// Allocations of a group that leave a node together, as it is drained. Those that end BY_ITSELF
// come last.
struct DrainGroup {
  std::string node_id;
  bool by_itself = false;
  JobKey job = {};
  std::string name = {};

  auto operator<=>(const DrainGroup&) const = default;
};

// All records. Every write is numbered: the index of a table is that of its last write.
struct Tables {
  std::map<JobKey, std::shared_ptr<const JobRecord>> jobs;
  std::map<JobKey, std::map<std::uint64_t, std::shared_ptr<const JobRecord>>> versions;
  std::map<std::string, std::shared_ptr<const Evaluation>> evals;
  std::map<std::string, std::shared_ptr<const AllocRecord>> allocs;
  std::map<std::string, std::shared_ptr<const NodeRecord>> nodes;
  std::map<JobKey, JobAllocs> allocs_of_job;
  std::map<JobKey, JobEvals> evals_of_job;
  // Parts and sums of the tables above, so that no search passes all ended allocations. None has an
  // empty entry.
  std::map<std::string, std::shared_ptr<const AllocRecord>> live_allocs;  // not ended
  EndedAllocs ended_allocs;                                               // not collected yet
  std::map<JobKey, GroupCounts> open_allocs_of_job;                       // not terminal
  std::map<JobKey, std::set<std::string>> open_evals_of_job;
  std::map<std::string, std::size_t> allocs_of_eval;
  std::map<std::string, NodeUsage> usage;  // by node, of live_allocs
  // The live_allocs that may stay, and how many were asked to go.
  std::map<DrainGroup, std::set<std::string>> staying;
  std::map<DrainGroup, std::size_t> leaving;
  std::map<JobKey, std::size_t> uncollected;  // by job
  std::size_t blocked_evals = 0;
  std::map<std::string, StatusCounts> statuses_of_node;
  // Status counts by the create index of a job and its group: jobs with the same key follow each
  // other.
  using GroupStatuses = std::map<std::pair<std::uint64_t, std::string>, StatusCounts>;
  std::map<JobKey, GroupStatuses> statuses_of_job;
  WantedLog wanted;
  std::array<std::uint64_t, kTables> index{};
  std::uint64_t last_index = 0;
  // The records that the write under way has put or erased; StateStore takes them.
  std::vector<StateEvent> changes;

  // Null when there is none.
  template <typename Map, typename Key>
  static typename Map::mapped_type Find(const Map& map, const Key& key) {
    const auto found = map.find(key);
    return found == map.end() ? nullptr : found->second;
  }
  // The highest index of the tables of MASK; at least 1, as clients expect.
  std::uint64_t IndexOf(TableMask mask) const;
  // The references are valid until the next write.
  const JobAllocs& AllocsOf(const JobKey& key) const;
  const GroupCounts& OpenAllocsOf(const JobKey& key) const;

  // Each adds a record or replaces the older one.
  void Put(const JobKey& key, std::shared_ptr<const JobRecord> record);  // the newest version
  void Put(std::shared_ptr<const Evaluation> eval);
  void Put(std::shared_ptr<const AllocRecord> record);
  void Put(std::shared_ptr<const NodeRecord> node);
  // Replaces a version that is there, and may be the newest, after a change by a user.
  void PutVersion(const JobKey& key, std::shared_ptr<const JobRecord> record);
  // Erases a job, which must exist, with its versions. Only this erasure is an event for clients;
  // those below are silent.
  void EraseJob(const JobKey& key);
  void Erase(const Evaluation& eval);
  void Erase(const AllocRecord& record);

  // Brings the status of a job in line with its allocations and evaluations. Returns the tables
  // that it has written to.
  TableMask UpdateJobStatus(const JobKey& key, std::uint64_t at_index);

 private:
  void ForgetVersions(const JobKey& key);
  // Updates the parts and sums for an allocation that was BEFORE and is AFTER; null: not there.
  void Count(const std::shared_ptr<const AllocRecord>& before,
             const std::shared_ptr<const AllocRecord>& after);
  // The parts of Count. SIGN: 1: RECORD is there now; -1: it is not any more.
  void CountStatus(const AllocRecord& record, int sign);
  void CountForDrain(const AllocRecord& record, int sign);
  void Use(const AllocRecord& record, int sign);
};

}  // namespace drover
