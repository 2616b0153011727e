// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/agent_volumes.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "host/base/gate.h"
#include "host/base/ids.h"
#include "host/placement/constraint.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr TableMask kAllocTable = MaskOf(Table::kAllocs);
// See WaitAllocEnded.
constexpr Duration kFirstPause = 1ms;
constexpr Duration kLongestPause = 100ms;

// Returns whether a task of an allocation has ever run.
bool HasStarted(const AllocRecord& record) {
  return std::ranges::any_of(record.reported.tasks, [](const auto& task) {
    return task.second != nullptr && task.second->started_at != 0;
  });
}

Error Busy(const VolumeRecord& volume) {
  return Error(Code::kUnavailable,
               "the volume " + volume.id + " is being changed: try again in a moment", true);
}

Status CheckNode(const VolumeRecord& draft, const NodeRecord& node) {
  if (!draft.node_id.empty() && draft.node_id != node.id) {
    return Error(Code::kInvalidArgument,
                 "/Volume/NodeID: this agent has no node " + Quoted(draft.node_id));
  }
  if (!draft.node_pool.empty() && draft.node_pool != node.node_pool) {
    return Error(Code::kInvalidArgument,
                 "/Volume/NodePool: this agent's node is in the pool " + Quoted(node.node_pool));
  }
  for (const Constraint& constraint : draft.constraints) {
    if (Meets(node, constraint)) continue;
    return Error(Code::kFailedPrecondition, "/Volume/Constraints: this node does not meet " +
                                                constraint.left + " " + constraint.operand + " " +
                                                constraint.right);
  }
  return {};
}

}  // namespace

class AgentVolumes::Work {
 public:
  Work(AgentVolumes* owner, std::string id) : owner_(owner), id_(std::move(id)) {
    owner_->busy_.insert(id_);
  }
  ~Work() { owner_->busy_.erase(id_); }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

 private:
  AgentVolumes* const owner_;
  const std::string id_;
};

AgentVolumes::Volume AgentVolumes::Find(const std::string& id) const {
  Volume volume;
  options_.store->Read([&](const Tables& tables) { volume = Tables::Find(tables.volumes, id); });
  return volume;
}

Result<AgentVolumes::Volume> AgentVolumes::CheckDraft(const VolumeRecord& draft,
                                                      VolumeRequestKind kind) const {
  std::shared_ptr<const NodeRecord> node;
  Volume same_name, before;
  options_.store->Read([&](const Tables& tables) {
    node = Tables::Find(tables.nodes, options_.node_id);
    same_name = tables.FindVolume(KeyOf(draft));
    before = Tables::Find(tables.volumes, draft.id);
  });
  if (node == nullptr) {
    return Error(Code::kUnavailable, "the node has not registered yet: try again in a moment",
                 true);
  }
  DROVER_TRY(CheckNode(draft, *node));
  if (same_name != nullptr && same_name->id != draft.id) {
    return Error(Code::kFailedPrecondition,
                 "the volume " + same_name->id + " has the name " + Quoted(draft.name) +
                     " already: choose another name, or give its ID to change it");
  }
  if (draft.id.empty()) return before;
  if (before == nullptr) {
    return Error(Code::kNotFound, "there is no volume " + draft.id + ": leave the ID out");
  }
  const bool registers = kind == VolumeRequestKind::kRegister;
  if (before->name != draft.name || before->name_space != draft.name_space ||
      registers != before->plugin_id.empty() || before->plugin_id != draft.plugin_id) {
    return Error(Code::kFailedPrecondition,
                 "the name, the namespace and the plugin of the volume " + draft.id +
                     " cannot be changed: delete it, or create another one");
  }
  return before;
}

Co<Result<AgentVolumes::Volume>> AgentVolumes::Store(Context context, VolumeRecord volume,
                                                     std::string_view state) {
  volume.state = state;
  DROVER_CO_ASSIGN(Volume stored, options_.scheduler->PutVolume(std::move(volume)));
  if (options_.make_durable) DROVER_CO_TRY(co_await options_.make_durable(context));
  co_return stored;
}

Co<Result<MadeVolume>> AgentVolumes::MakeOf(VolumeRecord volume) {
  if (!volume.plugin_id.empty()) co_return co_await options_.volumes->Make(std::move(volume));
  const MadeVolume there{volume.host_path, volume.capacity_bytes};
  DROVER_CO_TRY(co_await options_.volumes->CheckPath(volume.host_path));
  co_return there;
}

Co<Result<AgentVolumes::Volume>> AgentVolumes::Put(Context context, VolumeRecord draft,
                                                   VolumeRequestKind kind) {
  DROVER_CO_ASSIGN(const Volume before, CheckDraft(draft, kind));
  if (before != nullptr && busy_.contains(before->id)) co_return Busy(*before);
  if (before == nullptr) draft.id = RandomUuid();
  const Work work(this, draft.id);
  draft.node_id = options_.node_id;
  if (options_.volumes->configured().contains(draft.name)) {
    spdlog::warn("the volume {} has the name of a host_volume of the configuration, and wins",
                 draft.name);
  }
  if (before != nullptr && !before->plugin_id.empty()) {
    // The volume stays ready while its plugin changes it, and its plugin needs to know where it is.
    draft.host_path = before->host_path;
    draft.capacity_bytes = before->capacity_bytes;
  } else if (before == nullptr) {
    const auto pending = co_await Store(context, draft, volume_state::kPending);
    if (!pending.ok()) {
      options_.scheduler->EraseVolume(draft.id);
      co_return pending.error();
    }
  }
  const Result<MadeVolume> made = co_await MakeOf(draft);
  options_.volumes->SetRestored(draft.id);
  if (!made.ok()) {
    // An agent that ends can undo nothing. The next one removes what is left.
    if (before == nullptr && options_.volumes->stopped()) {
      (void)co_await Store(context, std::move(draft), volume_state::kDeleted);
    } else if (before == nullptr) {
      options_.scheduler->EraseVolume(draft.id);
    }
    co_return made.error();
  }
  draft.host_path = made->path;
  draft.capacity_bytes = made->bytes;
  co_return co_await Store(context, std::move(draft), volume_state::kReady);
}

Status AgentVolumes::CheckUnused(const VolumeRecord& volume) const {
  std::string users;
  options_.store->Read([&](const Tables& tables) {
    const auto found = tables.volume_users.find(KeyOf(volume));
    if (found == tables.volume_users.end()) return;
    for (const std::string& id : found->second.allocs) users += (users.empty() ? "" : ", ") + id;
  });
  if (!users.empty()) {
    return Error(Code::kFailedPrecondition, "the volume " + volume.id +
                                                " is in use by these allocations: " + users +
                                                ": stop them first");
  }
  if (volume.claims.empty()) return {};
  const VolumeClaim& claim = volume.claims.front();
  return Error(Code::kFailedPrecondition, "the volume " + volume.id + " is claimed by the group " +
                                              Quoted(claim.group) + " of the job " +
                                              Quoted(claim.job_id) +
                                              ": purge the job, or delete the claim " + claim.id);
}

Co<Status> AgentVolumes::Delete(Context context, std::string id) {
  const Volume volume = Find(id);
  if (volume == nullptr) co_return Error(Code::kNotFound, "volume not found");
  if (busy_.contains(id)) co_return Busy(*volume);
  DROVER_CO_TRY(CheckUnused(*volume));
  const Work work(this, id);
  // No allocation is placed with it any more.
  const Result<Volume> marked = co_await Store(context, *volume, volume_state::kDeleted);
  // A client that does not learn of the end still has its volume.
  const Status removed =
      marked.ok() ? co_await options_.volumes->Remove(*volume) : Status(marked.error());
  if (!removed.ok()) {
    (void)co_await Store(context, *volume, volume->state);
    co_return removed;
  }
  options_.scheduler->EraseVolume(id);
  if (options_.make_durable) DROVER_CO_TRY(co_await options_.make_durable(context));
  co_return Status();
}

Co<void> AgentVolumes::RestoreOne(AgentVolumes* self, Volume volume) {
  const Work work(self, volume->id);
  co_await RestoreNow(self, volume);
  self->options_.volumes->SetRestored(volume->id);
}

Co<void> AgentVolumes::RestoreNow(AgentVolumes* self, Volume volume) {
  const Context context(self->options_.loop);
  VolumeRecord changed = *volume;
  if (volume->state == volume_state::kDeleted) {
    const Status removed = co_await self->options_.volumes->Remove(changed);
    if (removed.ok()) {
      self->options_.scheduler->EraseVolume(volume->id);
      co_return;
    }
    if (self->options_.volumes->stopped()) co_return;  // the next agent tries again
    spdlog::warn("the volume {} cannot be removed: {}", volume->id, removed.error().message());
    (void)co_await self->Store(context, std::move(changed), volume_state::kUnavailable);
    co_return;
  }
  const Result<MadeVolume> made = co_await self->MakeOf(changed);
  if (!made.ok()) {
    if (self->options_.volumes->stopped()) co_return;  // it is not known whether it is there
    spdlog::warn("the volume {} is unavailable: {}", volume->id, made.error().message());
    (void)co_await self->Store(context, std::move(changed), volume_state::kUnavailable);
    co_return;
  }
  const bool same = volume->state == volume_state::kReady && volume->host_path == made->path &&
                    volume->capacity_bytes == made->bytes;
  if (same) co_return;
  changed.host_path = made->path;
  changed.capacity_bytes = made->bytes;
  (void)co_await self->Store(context, std::move(changed), volume_state::kReady);
}

Co<void> AgentVolumes::Restore() {
  std::vector<Volume> all;
  options_.store->Read([&](const Tables& tables) {
    for (const auto& [id, volume] : tables.volumes) all.push_back(volume);
  });
  std::vector<Co<void>> restores;
  for (const Volume& volume : all) {
    if (volume->node_id == options_.node_id && !busy_.contains(volume->id)) {
      restores.push_back(RestoreOne(this, volume));
    }
  }
  co_await InParallel(options_.loop, std::move(restores));
  options_.volumes->SetRestored();
}

std::optional<VolumeRecord> FindVolumeOf(const StateStore& store, const std::string& name_space,
                                         const std::string& name) {
  std::shared_ptr<const VolumeRecord> volume;
  store.Read([&](const Tables& tables) { volume = tables.FindVolume({name_space, name}); });
  if (volume == nullptr) return std::nullopt;
  return *volume;
}

std::vector<std::string> VolumePathsOf(const StateStore& store) {
  std::vector<std::string> paths;
  store.Read([&](const Tables& tables) {
    for (const auto& [id, volume] : tables.volumes) {
      if (!volume->host_path.empty()) paths.push_back(volume->host_path);
    }
  });
  return paths;
}

Co<Result<std::vector<std::string>>> WaitAllocEnded(StateStore* store, Context context,
                                                    std::string alloc_id) {
  std::vector<std::string> all;
  Duration pause = kFirstPause;
  while (!alloc_id.empty()) {
    std::uint64_t index = 0;
    bool ended = false;
    std::string before;
    store->Read([&](const Tables& tables) {
      const auto record = Tables::Find(tables.allocs, alloc_id);
      ended = record == nullptr || record->over();
      if (record != nullptr && !HasStarted(*record)) before = record->previous;
      index = tables.IndexOf(kAllocTable);
    });
    if (!ended) {
      DROVER_CO_TRY(co_await store->WaitNewer(context, kAllocTable, index));
      // Of a thousand allocations that wait, not each looks at each change of all others.
      DROVER_CO_TRY(co_await Sleep(context, pause));
      pause = std::min(pause * 2, kLongestPause);
      continue;
    }
    all.push_back(std::move(alloc_id));
    alloc_id = std::move(before);
  }
  co_return all;
}

}  // namespace drover
