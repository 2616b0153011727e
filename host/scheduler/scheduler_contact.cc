// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The contact of nodes with the scheduler: heartbeats that come, that stop, and that come again.
//
// A node without heartbeats is down. If an allocation on it may outlive a loss of contact
// (lost_after), the node is disconnected first, and down when all such times have passed. A node
// that comes back is initializing until it has reported its allocations, and then ready: so nothing
// is decided by reports from before the loss.
#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "host/reconcile/reconcile.h"
#include "host/scheduler/node_events.h"
#include "host/scheduler/scheduler.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

constexpr TableMask kNodesChanged = MaskOf(Table::kNodes);
constexpr TableMask kEvalsChanged = MaskOf(Table::kEvals);
constexpr TableMask kAllocsChanged = MaskOf(Table::kAllocs);
// If a node is looked at later than this after it was due, this process was suspended.
constexpr Duration kLate = 1s;

bool HasGone(const NodeRecord& node) {
  return node.status == node_status::kDown || node.status == node_status::kDisconnected;
}

// Returns the jobs that have live allocations on a node.
std::set<JobKey> JobsOn(const Tables& tables, const std::string& node_id) {
  std::set<JobKey> jobs;
  const auto add = [&](const auto& groups) {
    for (auto at = groups.lower_bound(DrainGroup{node_id}); at != groups.end(); ++at) {
      if (at->first.node_id != node_id) break;
      jobs.insert(at->first.job);
    }
  };
  add(tables.staying);
  add(tables.leaving);
  return jobs;
}

bool RunsOnEachNode(const JobRecord& job) {
  const JobType type = job.job->type;
  return (type == JobType::kSystem || type == JobType::kSysbatch) && !job.stop &&
         !job.job->starts_children();
}

// Returns whether a job that runs on each node has no allocation on NODE_ID. What a sysbatch job
// has run there is not run again.
bool HasNone(const Tables& tables, const JobKey& key, const JobRecord& job,
             const std::string& node_id) {
  return std::ranges::none_of(tables.AllocsOf(key), [&](const auto& record) {
    if (record->alloc->node_id != node_id) return false;
    return job.job->type == JobType::kSystem ? !record->terminal()
                                             : !record->alloc->server_terminal();
  });
}

bool Waits(const Tables& tables, const JobKey& key) {
  const auto open = tables.open_evals_of_job.find(key);
  return open != tables.open_evals_of_job.end() &&
         std::ranges::any_of(open->second, [&tables](const std::string& id) {
           return tables.evals.at(id)->status == "blocked";
         });
}

// Returns until when allocations of a node may be unknown, NOW being the time; 0 if none may.
WallTime UnknownUntil(const Tables& tables, const NodeRecord& node, WallTime now) {
  WallTime until = 0;
  const bool was_lost = node.status == node_status::kDisconnected && node.status_time != 0;
  for (auto at = tables.staying.lower_bound({node.id}); at != tables.staying.end(); ++at) {
    if (at->first.node_id != node.id) break;
    for (const std::string& id : at->second) {
      const AllocRecord& record = *tables.allocs.at(id);
      const TaskGroup* const group = record.alloc->group();
      if (group == nullptr || !group->disconnect.lost_after) continue;
      const auto& states = record.changes().states;
      const bool unknown = record.reported.status.status == ClientStatus::kUnknown &&
                           !states.empty() && states.back().to == ClientStatus::kUnknown;
      const WallTime since = unknown ? states.back().time : was_lost ? node.status_time : now;
      until = std::max(until, since + Bounded(*group->disconnect.lost_after).count());
    }
  }
  return until;
}

// Returns whether the server still waits for what a node says about an allocation.
bool HasUnknown(const Tables& tables, const std::string& node_id) {
  const auto counts = tables.statuses_of_node.find(node_id);
  return counts != tables.statuses_of_node.end() &&
         counts->second[static_cast<std::size_t>(ClientStatus::kUnknown)] > 0;
}

Error NodeNotFound() { return Error(Code::kNotFound, "node not found"); }

}  // namespace

// A job that already has an evaluation in OPENED gets no second one.
void Scheduler::OpenForNode(Tables* tables, std::uint64_t index, const std::string& node_id,
                            ForNode which, std::vector<Opened>* opened) {
  std::set<JobKey> jobs;
  if (which != ForNode::kNew) jobs = JobsOn(*tables, node_id);
  if (which != ForNode::kGone) {
    for (const auto& [key, job] : tables->jobs) {
      if (!RunsOnEachNode(*job)) continue;
      // Those that wait already are tried again after each change of a node.
      const bool lacks = !Waits(*tables, key) && HasNone(*tables, key, *job, node_id);
      if (which == ForNode::kAll || lacks) jobs.insert(key);
    }
  }
  for (const Opened& of : *opened) jobs.erase(KeyOf(of.eval));
  for (const JobKey& key : jobs) {
    opened->push_back(Open(tables, index, key, {"node-update", false, 0, node_id}));
  }
}

// Sets what a node cannot report any more: the end of allocations that it had to stop.
void Scheduler::LoseStopped(Tables* tables, std::uint64_t index, const std::string& node_id) {
  AllocRecords lost;
  for (const auto& [id, record] : tables->allocs) {
    if (record->alloc->node_id == node_id && record->alloc->server_terminal() && !record->over()) {
      lost.push_back(record);
    }
  }
  for (const auto& record : lost) {
    auto changed = std::make_shared<AllocRecord>(*record);
    changed->reported.status = {ClientStatus::kLost, std::string(stop_reason::kLost)};
    changed->modify_index = index;
    changed->modify_time = changed->reported.modify_time = loop_->Wall();
    ReleasePorts(*record->alloc, PortsOf(node_id));
    const JobKey key = KeyOf(*record->alloc->job);
    tables->Put(std::move(changed));
    tables->UpdateJobStatus(key, index);
  }
}

TableMask Scheduler::PutStatus(Tables* tables, std::uint64_t index, const std::string& node_id,
                               std::string_view status, std::vector<Opened>* opened) {
  const auto before = Tables::Find(tables->nodes, node_id);
  if (before == nullptr || before->status == status) return 0;
  auto changed = std::make_shared<NodeRecord>(*before);
  changed->status = status;
  changed->modify_index = index;
  changed->status_time = loop_->Wall();
  const bool returned = status == node_status::kReady && returning_.erase(node_id) > 0;
  const bool goes = HasGone(*changed);
  if (goes) returning_.erase(node_id);
  if (goes && !HasGone(*before)) {
    AddEvent(changed.get(), {"Cluster", "Node heartbeat missed", {}, loop_->Wall()});
  } else if (returned) {
    AddEvent(changed.get(), {"Cluster", "Node reregistered by heartbeat", {}, loop_->Wall()});
  }
  tables->Put(std::move(changed));
  const std::size_t known = opened->size();
  if (status == node_status::kDown) LoseStopped(tables, index, node_id);
  if (goes) OpenForNode(tables, index, node_id, ForNode::kGone, opened);
  if (status == node_status::kReady && (returned || before->eligible)) {
    const ForNode first = before->eligible ? ForNode::kBack : ForNode::kGone;
    OpenForNode(tables, index, node_id, returned ? first : ForNode::kNew, opened);
  }
  TableMask written = kNodesChanged;
  if (status == node_status::kDown) written |= kAllocsChanged | MaskOf(Table::kJobs);
  if (opened->size() > known) written |= kEvalsChanged;
  return written;
}

void Scheduler::SetStatus(const std::string& node_id, std::string_view status) {
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  store_->Write(cause::kNodeStatus, [&](Tables* tables, std::uint64_t index) {
    return PutStatus(tables, index, node_id, status, &opened);
  });
  CarryOut(opened);
}

Co<Result<Duration>> Scheduler::Heartbeat(Context, std::string node_id) {
  std::shared_ptr<const NodeRecord> node;
  bool has_unknown = false;
  store_->Read([&](const Tables& tables) {
    node = Tables::Find(tables.nodes, node_id);
    has_unknown = HasUnknown(tables, node_id);
  });
  if (node == nullptr) co_return NodeNotFound();
  // A record that was restored does not have what a node says about itself.
  if (!registered_.contains(node_id) && node->memory_mb == 0) co_return NodeNotFound();
  expected_[node_id] = loop_->Now() + options_.heartbeat + options_.heartbeat_grace;
  looks_again_.Set();
  if (HasGone(*node)) {
    returning_.insert(node_id);
    SetStatus(node_id, node_status::kInitializing);
  }
  // An earlier server may have ended before the node heard that it must report.
  if (has_unknown && node->status == node_status::kInitializing) returning_.insert(node_id);
  // The node may be ready by a report that was under way before it heard that it must report all.
  if (has_unknown || returning_.contains(node_id)) {
    co_return Error(Code::kFailedPrecondition,
                    "node " + node_id + " was regarded as lost: report all of its allocations",
                    true);
  }
  if (node->status != node_status::kReady) SetStatus(node_id, node_status::kReady);
  // No event reports that a process outside Drover has freed a port. So each heartbeat tries the
  // evaluations that wait for ports.
  RetryBlocked({.other_ports = true});
  co_return ContinueDrain(node_id);
}

Duration Scheduler::LookAt(const std::string& node_id) {
  Duration pause = ContinueDrain(node_id);
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr || node->status == node_status::kDown) return pause;
  const auto unknown_until = [&] {  // looks at all allocations of the node
    WallTime until = 0;
    store_->Read([&](const Tables& tables) { until = UnknownUntil(tables, *node, loop_->Wall()); });
    return until;
  };
  if (node->status == node_status::kDisconnected) {
    const Duration left(unknown_until() - loop_->Wall());
    if (left > Duration(0)) return std::min(pause, left);
    SetStatus(node_id, node_status::kDown);
    return pause;
  }
  // A node of an earlier agent gets as much time for its first heartbeat as for any other.
  const auto expected =
      expected_.try_emplace(node_id, loop_->Now() + options_.heartbeat + options_.heartbeat_grace)
          .first;
  const Duration left = expected->second - loop_->Now();
  if (left > Duration(0)) return std::min(pause, left);
  if (left < -kLate) {
    // LookAt runs more than kLate after the heartbeat was due. So this process was suspended, and
    // perhaps the node was, too. The node gets more time for a heartbeat before it counts as down.
    expected->second = loop_->Now() + options_.heartbeat_grace;
    return std::min(pause, options_.heartbeat_grace);
  }
  expected_.erase(expected);
  SetStatus(node_id, unknown_until() > 0 ? node_status::kDisconnected : node_status::kDown);
  return Duration(0);
}

void Scheduler::OnNodeTimer(const std::string& node_id) { LookAt(node_id); }

Result<DrainReply> Scheduler::EvaluateNode(const std::string& node_id) {
  bool found = false;
  store_->Read([&](const Tables& tables) { found = tables.nodes.contains(node_id); });
  if (!found) return NodeNotFound();
  if (options_.check_room) DROVER_TRY(options_.check_room());
  const StateStore::Together together(store_);
  DrainReply reply;
  std::vector<Opened> opened;
  reply.index = store_->Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
    OpenForNode(tables, index, node_id, ForNode::kAll, &opened);
    return opened.empty() ? TableMask{0} : kEvalsChanged;
  });
  for (const Opened& of : opened) reply.eval_ids.push_back(of.eval.id);
  CarryOut(opened);
  return reply;
}

Result<DrainReply> Scheduler::PurgeNode(const std::string& node_id) {
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr) return NodeNotFound();
  if (node->status != node_status::kDown) {
    return Error(Code::kFailedPrecondition, "node " + node_id + " is " + node->status +
                                                ": only a node that is down can be purged");
  }
  const StateStore::Together together(store_);
  DrainReply reply;
  std::vector<Opened> opened;
  reply.index = store_->Write(cause::kNodeDeregistration, [&](Tables* tables, std::uint64_t index) {
    LoseStopped(tables, index, node_id);
    tables->Erase(*node);
    OpenForNode(tables, index, node_id, ForNode::kGone, &opened);
    return kNodesChanged | kAllocsChanged | kEvalsChanged | MaskOf(Table::kJobs);
  });
  expected_.erase(node_id);
  returning_.erase(node_id);
  registered_.erase(node_id);
  for (const Opened& of : opened) reply.eval_ids.push_back(of.eval.id);
  CarryOut(opened);
  return reply;
}

}  // namespace drover
