// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What the scheduler does for nodes: registrations, drains, and what they report. See
// scheduler_contact.cc for their heartbeats.
#include <algorithm>
#include <set>
#include <utility>

#include "host/scheduler/evaluating.h"
#include "host/scheduler/node_events.h"
#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

constexpr TableMask kOfEvals = MaskOf(Table::kEvals);
constexpr TableMask kOfAllocs = MaskOf(Table::kAllocs);
constexpr TableMask kOfWanted = MaskOf(Table::kWanted);
constexpr TableMask kOfNodes = MaskOf(Table::kNodes);

// Returns whether two updates are equal in all parts that clients can see.
bool ShowTheSame(const AllocUpdate& a, const AllocUpdate& b) {
  if (!(a.status == b.status) || a.health != b.health || a.network != b.network ||
      a.tasks.size() != b.tasks.size()) {
    return false;
  }
  return std::equal(a.tasks.begin(), a.tasks.end(), b.tasks.begin(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && (x.second == y.second || *x.second == *y.second);
                    });
}

// Returns whether RECORD has ended in a way for which its policy may give it a replacement. A
// service never ends well by itself.
bool EndedBadly(const AllocRecord& record) {
  const ClientStatus status = record.reported.status.status;
  if (record.alloc->server_terminal()) return false;
  return status == ClientStatus::kFailed ||
         (status == ClientStatus::kComplete && record.alloc->job->type == JobType::kService);
}

// Decides which verdict on the health counts after the report UPDATE. One for an earlier deployment
// does not. One that a request has given stays until the node has another one.
void ChooseHealth(const AllocRecord& before, AllocUpdate* update) {
  const bool is_old =
      update->deployment_id && *update->deployment_id != before.alloc->deployment_id;
  if (is_old || !update->health) update->health = before.reported.health;
  update->deployment_id.reset();
}

// Lets UPDATE, which has come NOW, have a time that is possible, if the clock of its node is wrong.
void ChooseTime(const AllocRecord& before, WallTime now, AllocUpdate* update) {
  if (update->modify_time == 0) return;
  const bool is_early = update->modify_time < before.alloc->create_time;
  if (is_early || update->modify_time > now) update->modify_time = now;
}

Error NoSuchNode() { return Error(Code::kNotFound, "node not found"); }

}  // namespace

Result<std::uint64_t> Scheduler::SetEligible(const std::string& node_id, bool eligible) {
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr) return NoSuchNode();
  if (node->eligible == eligible) return node->modify_index;
  if (eligible && node->drain) {
    return Error(Code::kFailedPrecondition,
                 "can not set node's scheduling eligibility to eligible while it is draining");
  }
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  const std::uint64_t index =
      store_->Write(cause::kNodeEligibility, [&](Tables* tables, std::uint64_t at) {
        auto changed = std::make_shared<NodeRecord>(*node);
        changed->eligible = eligible;
        AddEligibility(changed.get(), loop_->Wall());
        changed->modify_index = at;
        tables->Put(std::move(changed));
        if (eligible) OpenForNode(tables, at, node_id, ForNode::kNew, &opened);
        return opened.empty() ? kOfNodes : kOfNodes | kOfEvals;
      });
  CarryOut(opened);
  if (eligible) RetryBlocked({});
  return index;
}

Result<DrainReply> Scheduler::Drain(const std::string& node_id, std::optional<DrainSpec> spec,
                                    bool mark_eligible, StringMap meta) {
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr) return NoSuchNode();
  const StateStore::Together together(store_);
  DrainReply reply;
  std::vector<Opened> opened;
  reply.index = store_->Write(cause::kNodeDrain, [&](Tables* tables, std::uint64_t index) {
    auto changed = std::make_shared<NodeRecord>(
        spec ? BeginDrain(*node, *spec, std::move(meta), *loop_)
             : (node->drain ? EndDrain(*node, "canceled", loop_->Wall()) : *node));
    if (!spec && node->drain) {
      AddEvent(changed.get(), {"Drain", "Node drain disabled", {}, loop_->Wall()});
    }
    if (!spec && mark_eligible && !changed->eligible) {
      changed->eligible = true;
      AddEligibility(changed.get(), loop_->Wall());
    }
    changed->modify_index = index;
    TableMask written = kOfNodes;
    const NodeRecord& now = *changed;
    tables->Put(changed);
    opened = MigrateFrom(tables, index, now, &written);
    if (now.eligible && !node->eligible) {
      OpenForNode(tables, index, node_id, ForNode::kNew, &opened);
      if (!opened.empty()) written |= kOfEvals;
    }
    return written;
  });
  for (const Opened& of : opened) reply.eval_ids.push_back(of.eval.id);
  CarryOut(opened);
  ContinueDrain(node_id);
  looks_again_.Set();
  if (!spec) RetryBlocked({});
  return reply;
}

std::vector<Scheduler::Opened> Scheduler::MigrateFrom(Tables* tables, std::uint64_t index,
                                                      const NodeRecord& node, TableMask* written) {
  std::set<JobKey> jobs;
  for (const auto& record : ToMigrate(*tables, node, *loop_)) {
    auto changed = std::make_shared<AllocRecord>(*record);
    changed->migrate = true;
    changed->modify_index = index;
    tables->Put(std::move(changed));
    jobs.insert(KeyOf(*record->alloc->job));
  }
  std::vector<Opened> opened;
  for (const JobKey& key : jobs) opened.push_back(Open(tables, index, key, {"node-drain"}));
  if (!jobs.empty()) *written |= kOfAllocs | kOfEvals;
  return opened;
}

Duration Scheduler::ContinueDrain(const std::string& node_id) {
  std::shared_ptr<const NodeRecord> node;
  bool drained = false, migrates = false;
  store_->Read([&](const Tables& tables) {
    node = Tables::Find(tables.nodes, node_id);
    if (node == nullptr || !node->drain) return;
    drained = IsDrained(tables, *node);
    migrates = !ToMigrate(tables, *node, *loop_).empty();
  });
  if (node == nullptr || !node->drain) return options_.heartbeat;
  if (drained || migrates) {
    const StateStore::Together together(store_);
    std::vector<Opened> opened;
    store_->Write(cause::kNodeDrain, [&](Tables* tables, std::uint64_t index) {
      TableMask written = 0;
      if (migrates) opened = MigrateFrom(tables, index, *node, &written);
      if (!drained) return written;
      auto ended = std::make_shared<NodeRecord>(EndDrain(*node, "complete", loop_->Wall()));
      const bool forced = UntilForced(*node->drain, *loop_) <= Duration(0);
      const StringMap details = forced ? StringMap{{"deadline_reached", "true"}} : StringMap();
      AddEvent(ended.get(), {"Drain", "Node drain complete", details, loop_->Wall()});
      ended->modify_index = index;
      tables->Put(std::move(ended));
      return written | kOfNodes;
    });
    CarryOut(opened);
  }
  const Duration left = UntilForced(*node->drain, *loop_);
  return left > Duration(0) ? std::min(left, options_.heartbeat) : options_.heartbeat;
}

void Scheduler::ContinueOtherDrains(const std::string& reported) {
  std::vector<std::string> draining;
  store_->Read([&](const Tables& tables) {
    for (const auto& [id, node] : tables.nodes) {
      if (node->drain && id != reported) draining.push_back(id);
    }
  });
  for (const std::string& id : draining) ContinueDrain(id);
}

Co<Result<Duration>> Scheduler::Register(Context, NodeRecord node) {
  registered_.insert(node.id);
  store_->Write(cause::kNodeRegistration, [&](Tables* tables, std::uint64_t index) {
    const auto before = Tables::Find(tables->nodes, node.id);
    node.create_index = before == nullptr ? index : before->create_index;
    if (before != nullptr) {
      node.status = before->status;
      node.eligible = before->eligible;
      node.drain = before->drain;
      node.last_drain = before->last_drain;
    }
    AddRegistration(&node, before.get(), loop_->Wall());
    node.modify_index = index;
    node.status_time = loop_->Wall();
    tables->Put(std::make_shared<const NodeRecord>(node));
    return kOfNodes;
  });
  co_return options_.heartbeat;
}

Co<Result<NodeAllocs>> Scheduler::FetchAllocs(Context context, std::string node_id,
                                              std::uint64_t newer_than) {
  const Status newer = co_await store_->WaitNewer(context, kOfWanted, newer_than);
  if (!newer.ok()) co_return newer.error();
  NodeAllocs out;
  store_->Read([&](const Tables& tables) {
    out.index = tables.IndexOf(kOfWanted);
    const auto changed = newer_than == 0 ? std::nullopt : tables.wanted.Since(newer_than);
    out.complete = !changed;
    const auto add = [&](const AllocRecord* record, const std::string& id) {
      if (record != nullptr && record->alloc->node_id != node_id) return;
      if (record == nullptr || record->collected) {
        if (changed) out.gone.push_back(id);
        return;
      }
      out.allocs.push_back(record->alloc);
      const auto& preempted = record->changes().preempted;
      if (!preempted.empty() && !record->terminal()) out.after[id] = preempted;
    };
    if (changed) {
      for (const std::string& id : *changed) add(Tables::Find(tables.allocs, id).get(), id);
    } else {
      for (const auto& [id, record] : tables.allocs) add(record.get(), id);
    }
  });
  co_return out;
}

Co<Status> Scheduler::UpdateAllocs(Context, std::string node_id, std::vector<AllocUpdate> updates) {
  co_return TakeUpdates(node_id, std::move(updates), false);
}

Co<Status> Scheduler::ReportAllocs(Context, std::string node_id, std::vector<AllocUpdate> updates) {
  co_return TakeUpdates(node_id, std::move(updates), true);
}

Status Scheduler::TakeUpdates(const std::string& node_id, std::vector<AllocUpdate> updates,
                              bool all) {
  bool ready = false;
  store_->Read([&](const Tables& tables) {
    const auto node = Tables::Find(tables.nodes, node_id);
    ready = node != nullptr && node->status == node_status::kReady;
  });
  // Some updates are not enough: the rest of the node's allocations would stay unknown.
  const bool returns = all && returning_.contains(node_id);
  if (!ready && !returns) {
    return Error(Code::kFailedPrecondition, "node " + node_id + " is not ready: heartbeat first",
                 true);
  }
  if (updates.empty() && !returns) return Status();
  Freed freed;
  bool over = false;  // whether an allocation has given back all that it had
  std::vector<Opened> opened;
  const StateStore::Together together(store_);
  store_->Write(cause::kAllocUpdate, [&](Tables* tables, std::uint64_t index) {
    std::set<JobKey> jobs;
    std::set<JobKey> failed;
    std::set<JobKey> reconnected;
    std::set<JobKey> lost;
    for (AllocUpdate& update : updates) {
      const auto before = Tables::Find(tables->allocs, update.id);
      if (before == nullptr || before->alloc->node_id != node_id) continue;
      // A later agent only knows how the tasks of an ended allocation ended, and not why the
      // allocation did, so the first description stays.
      const AllocStatus& last = before->reported.status;
      if (IsTerminal(last.status) && update.status.status == last.status) update.status = last;
      // The server has replaced or dropped a lost allocation that must stop. What its node reports
      // when it is back does not make it alive again.
      const bool is_lost = last.status == ClientStatus::kLost && before->alloc->server_terminal();
      if (is_lost) update.status = last;
      const bool was_unknown = last.status == ClientStatus::kUnknown &&
                               update.status.status != ClientStatus::kUnknown &&
                               !before->alloc->server_terminal();
      ChooseHealth(*before, &update);
      ChooseTime(*before, loop_->Wall(), &update);
      if (ShowTheSame(before->reported, update)) continue;
      auto changed = std::make_shared<AllocRecord>(*before);
      changed->reported = std::move(update);
      // What it had belongs to others by now.
      if (before->over() && !changed->over()) continue;
      changed->modify_index = index;
      changed->modify_time = loop_->Wall();
      if (changed->client_terminal() && !before->client_terminal()) {
        freed.jobs.insert(KeyOf(*changed->alloc->job));
      }
      if (changed->over() && !before->over()) {
        over = true;
        ReleasePorts(*changed->alloc, PortsOf(node_id));
        for (const AllocatedPort& port : changed->alloc->ports) freed.ports.insert(port.value);
        freed.devices |= !changed->alloc->devices.empty();
        const TaskGroup* const group = changed->alloc->group();
        freed.volumes |= group != nullptr && !group->volumes.empty();
      }
      jobs.insert(KeyOf(*changed->alloc->job));
      if (was_unknown) reconnected.insert(KeyOf(*changed->alloc->job));
      // Its node has stopped it without contact.
      const bool is_given_up = changed->reported.status.status == ClientStatus::kLost;
      if (is_given_up && !changed->alloc->server_terminal()) {
        lost.insert(KeyOf(*changed->alloc->job));
      }
      if (EndedBadly(*changed) && !EndedBadly(*before)) {
        failed.insert(KeyOf(*changed->alloc->job));
      }
      tables->Put(std::move(changed));
    }
    TableMask written = jobs.empty() ? 0 : kOfAllocs;
    for (const JobKey& key : jobs) written |= GoOnWithDeployment(tables, index, key, &opened);
    OpenForFailures(tables, index, failed, &opened);
    for (const Opened& of : opened) {
      reconnected.erase(KeyOf(of.eval));
      lost.erase(KeyOf(of.eval));
    }
    for (const JobKey& key : reconnected) {
      opened.push_back(Open(tables, index, key, {"reconnect", false, 0, node_id}));
      lost.erase(key);
    }
    for (const JobKey& key : lost) {
      opened.push_back(Open(tables, index, key, {"node-update", false, 0, node_id}));
    }
    if (returns) written |= PutStatus(tables, index, node_id, node_status::kReady, &opened);
    if (!opened.empty()) written |= kOfEvals;
    for (const JobKey& key : jobs) written |= tables->UpdateJobStatus(key, index);
    return written;
  });
  CarryOut(opened);
  if (!freed.jobs.empty()) ContinueDrain(node_id);
  ContinueOtherDrains(node_id);
  if (returns) RetryBlocked({.all = true});
  if (!freed.jobs.empty() || over) RetryBlocked(std::move(freed));
  return Status();
}

}  // namespace drover
