// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/kept_state.h"

#include <spdlog/spdlog.h>

#include <nlohmann/json.hpp>

#include "host/acl/acl_journal.h"
#include "host/base/ids.h"
#include "host/node/kept_key_store.h"
#include "host/task/task_record.h"
#include "host/taskenv/node_meta_json.h"

namespace drover {
namespace {

constexpr const char* kTask = "task";    // record kind: the state of a task
constexpr const char* kLocal = "local";  // record kind: the local state of a task runner
const RecordKey& NodeIdKey() {
  static const auto& key = *new RecordKey{"agent", "node_id"};
  return key;
}

const RecordKey& MetaKey() {
  static const auto& key = *new RecordKey{"agent", "meta"};
  return key;
}

std::pair<std::string, std::string> AllocAndTask(const std::string& id) {
  const std::size_t slash = id.find('/');
  if (slash == std::string::npos) return {id, ""};
  return {id.substr(0, slash), id.substr(slash + 1)};
}

}  // namespace

RecordKey TaskStateKey(const std::string& alloc_id, const std::string& task) {
  return {kTask, alloc_id + "/" + task};
}

RecordKey LocalStateKey(const std::string& alloc_id, const std::string& task) {
  return {kLocal, alloc_id + "/" + task};
}

Result<std::unique_ptr<KeptState>> KeptState::Open(const std::string& directory) {
  const auto report = [](const Error& error) {
    spdlog::error("the agent's state cannot be written; it is tried again each second: {}",
                  error.message());
  };
  DROVER_ASSIGN(Store::Opened opened, Store::Open(directory, report));
  return std::unique_ptr<KeptState>(new KeptState(std::move(opened)));
}

KeptState::KeptState(Store::Opened opened) : store_(std::move(opened.store)) {
  for (const std::string& sentence : opened.damage) ReportDamage(sentence);
  LoadedState loaded = LoadState(opened.records);
  for (const std::string& sentence : loaded.refused) ReportDamage(sentence);
  for (RecordKey& key : loaded.stale) store_->Erase(std::move(key));
  tables_ = std::move(loaded.tables);
  sources_ = std::move(loaded.sources);
  LoadedAcl acl = LoadAcl(opened.records);
  // No task has lost anything by that.
  for (const std::string& sentence : acl.refused) spdlog::error("the agent's state: {}", sentence);
  acl_ = std::move(acl.tables);
  FindNodeId(opened.records);
  FindMeta(opened.records);
  for (const Record& record : opened.records) {
    if (record.key.kind == kSigningKeyRecord) signing_keys_.emplace(record.key.id, record.value);
  }
  ReadTasks(opened.records);
}

void KeptState::ReportDamage(const std::string& sentence) {
  damaged_ = true;
  spdlog::error("the agent's state: {}", sentence);
}

void KeptState::FindNodeId(const std::vector<Record>& records) {
  for (const Record& record : records) {
    if (record.key == NodeIdKey()) node_id_ = record.value;
  }
  if (!node_id_.empty()) return;
  // If the record of the node's id is missing, this code takes the id from an allocation.
  if (!tables_.allocs.empty()) node_id_ = tables_.allocs.begin()->second->alloc->node_id;
  if (node_id_.empty()) node_id_ = RandomUuid();
  store_->Put(NodeIdKey(), [id = node_id_] { return id; });
}

void KeptState::FindMeta(const std::vector<Record>& records) {
  for (const Record& record : records) {
    if (record.key != MetaKey()) continue;
    Result<NodeMeta::Changes> dynamic =
        DecodeMetaChanges(nlohmann::json::parse(record.value, nullptr, false));
    if (dynamic.ok()) {
      dynamic_meta_ = std::move(*dynamic);
    } else {
      ReportDamage("the metadata that clients have set cannot be used: set it again");
    }
  }
}

void KeptState::SaveDynamicMeta(const NodeMeta::Changes& dynamic) {
  store_->Put(MetaKey(), [dynamic] {
    return EncodeMetaChanges(dynamic).dump(-1, ' ', false,
                                           nlohmann::json::error_handler_t::replace);
  });
}

void KeptState::ReadTasks(const std::vector<Record>& records) {
  std::map<std::string, Tasks> known;
  TaskKeys with_local;
  for (const Record& record : records) {
    if (record.key.kind != kTask && record.key.kind != kLocal) continue;
    const auto [alloc, task] = AllocAndTask(record.key.id);
    RestoredTask& restored = known[alloc][task];
    const auto json = nlohmann::json::parse(record.value, nullptr, false);
    Status read;
    if (record.key.kind == kTask) {
      Result<TaskStateRecord> state = DecodeTaskState(json);
      if (state.ok()) restored.state = std::move(*state);
      if (!state.ok()) read = state.error();
    } else {
      Result<LocalState> local = DecodeLocalState(json);
      if (local.ok()) restored.local = std::move(*local);
      if (local.ok()) with_local.insert({alloc, task});
      if (!local.ok()) read = local.error();
    }
    if (!read.ok()) {
      ReportDamage("the record " + record.key.kind + " " + record.key.id +
                   " cannot be used: " + read.error().message());
    }
  }
  SortTasks(std::move(known), with_local);
}

void KeptState::SortTasks(std::map<std::string, Tasks> known, const TaskKeys& with_local) {
  for (const auto& [id, record] : tables_.allocs) {
    if (record->collected) continue;
    const auto found = known.find(id);
    const bool reported = !record->reported.tasks.empty();
    if (found == known.end() && !reported) {
      // The store has no record from the runner of this allocation, so the allocation is new. But
      // if records were lost, all records of this runner may be among the lost records.
      const TaskGroup* const group = record->alloc->group();
      if (!damaged_ || group == nullptr) continue;
      for (const Task& task : group->tasks) lost_runs_[id].insert(task.name);
      continue;
    }
    Tasks tasks = found == known.end() ? Tasks() : std::move(found->second);
    if (found != known.end()) known.erase(found);
    // If the store has no record of a task, the task gets the state that its node reported last.
    for (const auto& [name, state] : record->reported.tasks)
      tasks.try_emplace(name, RestoredTask{*state, {}, {}});
    NoteLostRuns(id, tasks, with_local);
    for (const auto& [name, task] : tasks) {
      if (task.local.run_id) runs_.insert(*task.local.run_id);
    }
    if (const TaskGroup* const group = record->alloc->group()) {
      for (const Task& task : group->tasks) drivers_[{id, task.name}] = task.driver;
    }
    if (record->reported.health) health_.emplace(id, *record->reported.health);
    if (record->reported.network) networks_.emplace(id, *record->reported.network);
    allocs_.emplace(id, std::move(tasks));
  }
  for (const auto& [id, tasks] : known) {
    Remains& remains = remains_[id];
    remains.let_go = tables_.allocs.count(id) > 0;
    for (const auto& [name, task] : tasks) {
      if (task.local.run_id) remains.runs.push_back(*task.local.run_id);
      remains.records.push_back(TaskStateKey(id, name));
      remains.records.push_back(LocalStateKey(id, name));
    }
  }
}

void KeptState::NoteLostRuns(const std::string& alloc_id, const Tasks& tasks,
                             const TaskKeys& with_local) {
  for (const auto& [name, task] : tasks) {
    if (with_local.count({alloc_id, name}) > 0 || task.state.state == RunnerState::kDead) continue;
    // The task has not ended, and there is no record of its run. A run is recorded before it
    // begins. So if the task is running, the record was lost. If the task only has more events than
    // "Received", a run may have begun. Its record can be missing only if the store has lost
    // records.
    const bool begun = task.state.state == RunnerState::kRunning;
    if (begun || (damaged_ && task.state.events.size() > 1)) lost_runs_[alloc_id].insert(name);
  }
}

void KeptState::DropAlloc(const std::string& alloc_id) {
  allocs_.erase(alloc_id);
  health_.erase(alloc_id);
  networks_.erase(alloc_id);
  lost_runs_.erase(alloc_id);
}

void KeptState::ForEachTask(const SeeTask& see) {
  const auto drivers = std::exchange(drivers_, {});
  for (const auto& [id, tasks] : allocs_) {
    for (const auto& [name, task] : tasks) {
      const auto driver = drivers.find({id, name});
      if (driver != drivers.end()) see(id, name, driver->second, task.local);
    }
  }
}

}  // namespace drover
