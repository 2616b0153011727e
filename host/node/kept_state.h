// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/acl/acl_tables.h"
#include "host/alloc/alloc_runner.h"
#include "host/state/state_journal.h"
#include "host/store/store.h"
#include "host/taskenv/node_meta.h"

namespace drover {

// The state that an agent stores for the next agent, and the state that the previous agent left.
// Control thread only.
class KeptState {
 public:
  // Opens the state in DIRECTORY, or makes a new state in it. Logs all damage. Blocks.
  static Result<std::unique_ptr<KeptState>> Open(const std::string& directory);

  Store* store() { return store_.get(); }
  const std::string& node_id() const { return node_id_; }
  // The node's metadata that clients of earlier agents have set.
  const NodeMeta::Changes& dynamic_meta() const { return dynamic_meta_; }
  // Stores DYNAMIC, which is the metadata that clients have set by now.
  void SaveDynamicMeta(const NodeMeta::Changes& dynamic);
  // Moves out the scheduler's state, so call it only once.
  Tables TakeTables() { return std::move(tables_); }
  // Moves out the job submissions that are in the store already, so call it only once.
  KeptSources TakeSources() { return std::move(sources_); }
  // Moves out the tokens, policies and roles, so call it only once.
  AclTables TakeAcl() { return std::move(acl_); }

  // The records of the signing keys of earlier agents, by id.
  const std::map<std::string, std::string>& signing_keys() const { return signing_keys_; }

  using Tasks = std::map<std::string, RestoredTask>;  // by name
  // The allocations that an earlier agent ran and that must get a runner again.
  const std::map<std::string, Tasks>& allocs() const { return allocs_; }
  // The verdicts on the health of those allocations that have one.
  const std::map<std::string, AllocHealth>& health() const { return health_; }
  // The networks of those allocations that have one of their own.
  const std::map<std::string, AllocationNetwork>& networks() const { return networks_; }
  // Drops the tasks of an allocation that has received its runner or needs no runner.
  void DropAlloc(const std::string& alloc_id);
  // Calls SEE for each task of allocs() that exists in its job, and passes the name of the task's
  // driver. Call it once, before the first runner is made.
  using SeeTask = std::function<void(const std::string& alloc_id, const std::string& task,
                                     const std::string& driver, const LocalState& local)>;
  void ForEachTask(const SeeTask& see);
  // The runs of all tasks of allocs(). DropAlloc does not remove runs from this set.
  const std::set<RunId>& runs() const { return runs_; }
  // For each allocation, the tasks that may have a run whose record was lost.
  const std::map<std::string, std::set<std::string>>& lost_runs() const { return lost_runs_; }

  // What is left of an allocation whose record is missing or collected.
  struct Remains {
    std::vector<RunId> runs;
    std::vector<RecordKey> records;
    bool let_go = false;  // whether the allocation was garbage-collected
  };
  const std::map<std::string, Remains>& remains() const { return remains_; }
  // Whether records were lost. If so, unknown directories may hold somebody's data.
  bool damaged() const { return damaged_; }

 private:
  explicit KeptState(Store::Opened opened);
  void ReportDamage(const std::string& sentence);
  void FindNodeId(const std::vector<Record>& records);
  void FindMeta(const std::vector<Record>& records);
  using TaskKeys = std::set<std::pair<std::string, std::string>>;  // pairs of allocation and task
  void ReadTasks(const std::vector<Record>& records);
  void SortTasks(std::map<std::string, Tasks> known, const TaskKeys& with_local);
  void NoteLostRuns(const std::string& alloc_id, const Tasks& tasks, const TaskKeys& with_local);

  std::unique_ptr<Store> store_;
  std::string node_id_;
  NodeMeta::Changes dynamic_meta_;
  Tables tables_;
  KeptSources sources_;
  AclTables acl_;
  std::map<std::string, std::string> signing_keys_;
  std::map<std::string, Tasks> allocs_;
  std::map<std::string, AllocHealth> health_;
  std::map<std::string, AllocationNetwork> networks_;
  // The names of the drivers, by allocation and task.
  std::map<std::pair<std::string, std::string>, std::string> drivers_;
  std::set<RunId> runs_;
  std::map<std::string, std::set<std::string>> lost_runs_;
  std::map<std::string, Remains> remains_;
  bool damaged_ = false;
};

// The keys of the two records that each task has.
RecordKey TaskStateKey(const std::string& alloc_id, const std::string& task);
RecordKey LocalStateKey(const std::string& alloc_id, const std::string& task);

}  // namespace drover
