// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/scheduler.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "host/base/ids.h"
#include "host/scheduler/evaluating.h"
#include "host/scheduler/node_events.h"

namespace drover {
namespace {

constexpr TableMask kJobs = MaskOf(Table::kJobs);
constexpr TableMask kEvals = MaskOf(Table::kEvals);
constexpr TableMask kAllocs = MaskOf(Table::kAllocs);
constexpr TableMask kWanted = MaskOf(Table::kWanted);
constexpr TableMask kNodes = MaskOf(Table::kNodes);
constexpr Duration kLate = 1s;

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

// Examines all allocations of a job. Removes the shutdown delay of each allocation that is already
// stopping.
void DropShutdownDelays(Tables* tables, const JobKey& key, std::uint64_t index, WallTime now) {
  const JobAllocs records = tables->AllocsOf(key);  // a copy, since Put changes the list
  for (const auto& record : records) {
    const Allocation& before = *record->alloc;
    if (!before.server_terminal() || record->client_terminal() || before.no_shutdown_delay) {
      continue;
    }
    auto alloc = std::make_shared<Allocation>(before);
    alloc->no_shutdown_delay = true;
    alloc->modify_index = alloc->alloc_modify_index = index;
    alloc->modify_time = now;
    auto changed = std::make_shared<AllocRecord>(*record);
    changed->alloc = std::move(alloc);
    changed->modify_index = index;
    changed->modify_time = now;
    tables->Put(std::move(changed));
  }
}

Error NoSuch(const std::string& what) { return Error(Code::kNotFound, what + " not found"); }

}  // namespace

Scheduler::Scheduler(Loop* loop, StateStore* store, PortPool* ports, SchedulerOptions options)
    : loop_(loop),
      store_(store),
      ports_(ports),
      options_(std::move(options)),
      timers_(loop),
      looks_again_(loop) {
  // Queues the open evaluations of an earlier agent. The events that these evaluations wait for
  // are unknown, since the store does not contain them.
  store_->Read([this](const Tables& tables) {
    for (const auto& [key, ids] : tables.open_evals_of_job) {
      for (const std::string& id : ids) blocked_.Put(*tables.evals.at(id), {}, std::nullopt);
    }
  });
}

Scheduler::Opened Scheduler::Open(Tables* tables, std::uint64_t index, const JobKey& key,
                                  const Cause& cause) {
  if (const auto open = tables->open_evals_of_job.find(key);
      open != tables->open_evals_of_job.end()) {
    const std::set<std::string> ids = open->second;  // a copy, since Put changes the set
    for (const std::string& id : ids) {
      auto canceled = std::make_shared<Evaluation>(*tables->evals.at(id));
      canceled->status = "canceled";
      canceled->status_description = "a newer evaluation of the job exists";
      canceled->modify_index = index;
      tables->Put(std::move(canceled));
      blocked_.Erase(id);
    }
  }
  Evaluation eval;
  eval.id = RandomUuid();
  eval.job_namespace = key.first;
  eval.job_id = key.second;
  eval.triggered_by = cause.triggered_by;
  eval.create_index = eval.modify_index = index;
  eval.create_time = eval.modify_time = loop_->Wall();
  if (const auto job = Tables::Find(tables->jobs, key)) {
    eval.type = job->job->type;
    eval.priority = job->job->priority;
    eval.job_modify_index = job->job_modify_index;
  }
  if (cause.priority > 0) eval.priority = cause.priority;
  tables->Put(std::make_shared<const Evaluation>(eval));
  return {std::move(eval), cause.no_shutdown_delay};
}

JobReply Scheduler::ReplyOf(const Evaluation& eval, std::uint64_t job_modify_index) {
  JobReply reply;
  reply.eval_id = eval.id;
  reply.eval_create_index = reply.index = eval.create_index;
  reply.job_modify_index = job_modify_index;
  return reply;
}

void Scheduler::CarryOut(const std::vector<Opened>& opened) {
  std::vector<Evaluated> evaluated;
  store_->Read([&](const Tables& tables) {
    Room room(ReadyNode(tables), tables);
    Evaluating evaluating(tables, tables.last_index + 1, ports_, loop_->Wall(), &room);
    for (const Opened& of : opened) {
      evaluated.push_back(evaluating.Run(of.eval, of.no_shutdown_delay, std::nullopt));
    }
  });
  Keep(std::move(evaluated));
}

void Scheduler::Keep(std::vector<Evaluated> evaluated) {
  if (evaluated.empty()) return;
  store_->Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
    TableMask written = kEvals;
    for (Evaluated& of : evaluated) {
      if (!of.allocs.empty()) written |= kAllocs | kWanted;
      for (auto& record : of.allocs) {
        DROVER_CHECK(record->modify_index == index);
        const std::shared_ptr<const Allocation> alloc = record->alloc;
        tables->Put(std::move(record));
        written |= ClaimVolumes(tables, *alloc, index);
      }
      if (of.blocked) tables->Put(std::make_shared<const Evaluation>(*of.blocked));
      tables->Put(std::make_shared<const Evaluation>(of.eval));
      written |= tables->UpdateJobStatus(KeyOf(of.eval), index);
    }
    return written;
  });
  for (Evaluated& of : evaluated) KeepWaiting(&of);
}

void Scheduler::KeepWaiting(Evaluated* evaluated) {
  const Evaluation* const waiting = evaluated->waiting();
  if (waiting == nullptr) return blocked_.Erase(evaluated->eval.id);
  blocked_.Put(*waiting, std::move(evaluated->awaited), std::move(evaluated->unplaced));
}

Result<JobReply> Scheduler::Register(JobRegistration registration) {
  const JobKey key = KeyOf(*registration.job);
  DROVER_TRY(CheckIndex(registration, key));
  DROVER_TRY(Check(*registration.job));
  if (options_.check_room) DROVER_TRY(options_.check_room());
  const StateStore::Together together(store_);
  JobReply reply;
  std::vector<Opened> opened;
  store_->Write(cause::kJobRegistered, [&](Tables* tables, std::uint64_t index) -> TableMask {
    TableMask written = kEvals;
    const auto before = Tables::Find(tables->jobs, key);
    // If the job has not changed, no version is stored, and the job is only evaluated again.
    if (before == nullptr || before->stop != registration.stop ||
        *before->json != *registration.json) {
      auto record = std::make_shared<JobRecord>();
      record->job = registration.job;
      record->json = registration.json;
      record->submission = registration.submission;
      // A client may start a stopped job again without its source text. The job has not changed,
      // so the earlier text is kept.
      const bool same = before != nullptr && *before->json == *registration.json;
      if (record->submission == nullptr && same) record->submission = before->submission;
      record->stop = registration.stop;
      record->version = before == nullptr ? 0 : before->version + 1;
      record->submit_time = loop_->Wall();
      record->create_index = before == nullptr ? index : before->create_index;
      record->modify_index = record->job_modify_index = index;
      tables->Put(key, std::move(record));
      written |= kJobs;
    }
    opened.push_back(
        Open(tables, index, key, {registration.triggered_by, false, registration.eval_priority}));
    reply = ReplyOf(opened[0].eval, opened[0].eval.job_modify_index);
    return written;
  });
  CarryOut(opened);
  return reply;
}

Status Scheduler::CheckIndex(const JobRegistration& registration, const JobKey& key) const {
  if (!registration.enforce_index) return {};
  const std::uint64_t wanted = *registration.enforce_index;
  std::shared_ptr<const JobRecord> before;
  store_->Read([&](const Tables& tables) { before = Tables::Find(tables.jobs, key); });
  const std::string enforcing = "Enforcing job modify index " + std::to_string(wanted) + ": ";
  if (before == nullptr) {
    if (wanted == 0) return {};
    return Error(Code::kFailedPrecondition, enforcing + "job does not exist");
  }
  if (wanted == 0) return Error(Code::kFailedPrecondition, enforcing + "job already exists");
  if (wanted == before->job_modify_index) return {};
  return Error(Code::kFailedPrecondition, enforcing +
                                              "job exists with conflicting job modify index: " +
                                              std::to_string(before->job_modify_index));
}

Status Scheduler::Check(const Job& job) const {
  return options_.check_job ? options_.check_job(job) : Status();
}

Result<PlanReply> Scheduler::Plan(const JobRegistration& registration) const {
  const JobKey key = KeyOf(*registration.job);
  DROVER_TRY(CheckIndex(registration, key));
  DROVER_TRY(Check(*registration.job));
  PlanReply reply;
  store_->Read([&](const Tables& tables) {
    reply.before = Tables::Find(tables.jobs, key);
    JobRecord after;
    after.job = registration.job;
    after.json = registration.json;
    const bool same =
        reply.before != nullptr && !reply.before->stop && *reply.before->json == *registration.json;
    after.job_modify_index = same ? reply.before->job_modify_index : tables.last_index + 1;
    reply.plan = Reconcile(&after, key, tables);
    Room room(ReadyNode(tables), tables);
    Evaluating evaluating(tables, tables.last_index + 1, nullptr, loop_->Wall(), &room);
    reply.failed_groups = evaluating.Try(std::make_shared<const JobRecord>(after), reply.plan);
  });
  return reply;
}

Result<JobReply> Scheduler::Deregister(const JobKey& key, bool purge, bool no_shutdown_delay,
                                       int eval_priority) {
  JobReply reply;
  bool found = false;
  store_->Read([&](const Tables& tables) { found = tables.jobs.count(key) > 0; });
  if (!found) return NoSuch("job");
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  store_->Write(cause::kJobDeregistered, [&](Tables* tables, std::uint64_t index) -> TableMask {
    const std::shared_ptr<const JobRecord> before = tables->jobs.at(key);
    TableMask written = kJobs | kEvals;
    if (purge) {
      written |= tables->EraseJob(key, index);
    } else if (!before->stop) {
      auto stopped = std::make_shared<JobRecord>(*before);
      stopped->stop = true;
      stopped->stable = false;
      stopped->tag.reset();
      ++stopped->version;
      stopped->modify_index = stopped->job_modify_index = index;
      tables->Put(key, std::move(stopped));
    }
    opened.push_back(
        Open(tables, index, key, {"job-deregister", no_shutdown_delay, eval_priority}));
    reply = ReplyOf(opened[0].eval, purge ? index : opened[0].eval.job_modify_index);
    if (!no_shutdown_delay) return written;
    DropShutdownDelays(tables, key, index, loop_->Wall());
    return written | kAllocs | kWanted;
  });
  CarryOut(opened);
  return reply;
}

Result<JobReply> Scheduler::Evaluate(const JobKey& key) {
  bool found = false;
  store_->Read([&](const Tables& tables) { found = tables.jobs.count(key) > 0; });
  if (!found) return NoSuch("job");
  if (options_.check_room) DROVER_TRY(options_.check_room());
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  store_->Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
    opened.push_back(Open(tables, index, key, {"job-register"}));
    return kEvals;
  });
  CarryOut(opened);
  return ReplyOf(opened[0].eval, opened[0].eval.job_modify_index);
}

Result<JobReply> Scheduler::StopAlloc(const std::string& id, bool no_shutdown_delay) {
  std::shared_ptr<const AllocRecord> record;
  store_->Read([&](const Tables& tables) { record = Tables::Find(tables.allocs, id); });
  if (record == nullptr) return NoSuch("allocation");
  const JobKey key = KeyOf(*record->alloc->job);
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  store_->Write(cause::kAllocStop, [&](Tables* tables, std::uint64_t index) {
    TableMask written = kEvals;
    if (!record->terminal()) {
      auto changed = std::make_shared<AllocRecord>(*record);
      changed->migrate = true;
      changed->modify_index = index;
      tables->Put(std::move(changed));
      written |= kAllocs;
    }
    opened.push_back(Open(tables, index, key, {"alloc-stop", no_shutdown_delay}));
    return written;
  });
  CarryOut(opened);
  return ReplyOf(opened[0].eval, opened[0].eval.job_modify_index);
}

Result<std::uint64_t> Scheduler::SetEligible(const std::string& node_id, bool eligible) {
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr) return NoSuch("node");
  if (node->eligible == eligible) return node->modify_index;
  if (eligible && node->drain) {
    return Error(Code::kFailedPrecondition,
                 "can not set node's scheduling eligibility to eligible while it is draining");
  }
  const std::uint64_t index =
      store_->Write(cause::kNodeEligibility, [&](Tables* tables, std::uint64_t at) {
        auto changed = std::make_shared<NodeRecord>(*node);
        changed->eligible = eligible;
        AddEligibility(changed.get(), loop_->Wall());
        changed->modify_index = at;
        tables->Put(std::move(changed));
        return kNodes;
      });
  if (eligible) RetryBlocked({});
  return index;
}

Result<DrainReply> Scheduler::Drain(const std::string& node_id, std::optional<DrainSpec> spec,
                                    bool mark_eligible, StringMap meta) {
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr) return NoSuch("node");
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
    TableMask written = kNodes;
    const NodeRecord& now = *changed;
    tables->Put(changed);
    opened = MigrateFrom(tables, index, now, &written);
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
  if (!jobs.empty()) *written |= kAllocs | kEvals;
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
      return written | kNodes;
    });
    CarryOut(opened);
  }
  const Duration left = UntilForced(*node->drain, *loop_);
  return left > Duration(0) ? std::min(left, options_.heartbeat) : options_.heartbeat;
}

Co<Result<Duration>> Scheduler::Register(Context, NodeRecord node) {
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
    return kNodes;
  });
  co_return options_.heartbeat;
}

Co<Result<Duration>> Scheduler::Heartbeat(Context, std::string node_id) {
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr) co_return NoSuch("node");
  expected_[node_id] = loop_->Now() + options_.heartbeat + options_.heartbeat_grace;
  looks_again_.Set();
  if (node->status != "ready") {
    store_->Write(cause::kNodeStatus, [&](Tables* tables, std::uint64_t index) {
      auto ready = std::make_shared<NodeRecord>(*node);
      ready->status = "ready";
      ready->modify_index = index;
      ready->status_time = loop_->Wall();
      tables->Put(std::move(ready));
      return kNodes;
    });
  }
  // No event reports that a process outside Drover has freed a port. So each heartbeat tries the
  // evaluations that wait for ports.
  RetryBlocked({.other_ports = true});
  co_return ContinueDrain(node_id);
}

Co<Result<NodeAllocs>> Scheduler::FetchAllocs(Context context, std::string node_id,
                                              std::uint64_t newer_than) {
  const Status newer = co_await store_->WaitNewer(context, kWanted, newer_than);
  if (!newer.ok()) co_return newer.error();
  NodeAllocs out;
  store_->Read([&](const Tables& tables) {
    out.index = tables.IndexOf(kWanted);
    const auto changed = newer_than == 0 ? std::nullopt : tables.wanted.Since(newer_than);
    out.complete = !changed;
    const auto add = [&](const AllocRecord* record, const std::string& id) {
      if (record != nullptr && !record->collected && record->alloc->node_id == node_id) {
        out.allocs.push_back(record->alloc);
      } else if (changed) {
        out.gone.push_back(id);
      }
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
  bool ready = false;
  store_->Read([&](const Tables& tables) {
    const auto node = Tables::Find(tables.nodes, node_id);
    ready = node != nullptr && node->status == "ready";
  });
  if (!ready) {
    co_return Error(Code::kFailedPrecondition, "node " + node_id + " is not ready: heartbeat first",
                    true);
  }
  Freed freed;
  store_->Write(cause::kAllocUpdate, [&](Tables* tables, std::uint64_t index) {
    std::set<JobKey> jobs;
    for (AllocUpdate& update : updates) {
      const auto before = Tables::Find(tables->allocs, update.id);
      if (before == nullptr) continue;
      // A later agent only knows how the tasks of an ended allocation ended, and not why the
      // allocation did, so the first description stays.
      const AllocStatus& last = before->reported.status;
      if (IsTerminal(last.status) && update.status.status == last.status) update.status = last;
      if (ShowTheSame(before->reported, update)) continue;
      auto changed = std::make_shared<AllocRecord>(*before);
      changed->reported = std::move(update);
      changed->modify_index = index;
      changed->modify_time = loop_->Wall();
      if (changed->client_terminal() && !before->client_terminal()) {
        ReleasePorts(*changed->alloc, ports_);
        for (const AllocatedPort& port : changed->alloc->ports) freed.ports.insert(port.value);
        freed.jobs.insert(KeyOf(*changed->alloc->job));
        freed.devices |= !changed->alloc->devices.empty();
      }
      if (changed->over() && !before->over()) {
        const TaskGroup* const group = changed->alloc->group();
        freed.volumes |= group != nullptr && !group->volumes.empty();
      }
      jobs.insert(KeyOf(*changed->alloc->job));
      tables->Put(std::move(changed));
    }
    TableMask written = jobs.empty() ? 0 : kAllocs;
    for (const JobKey& key : jobs) written |= tables->UpdateJobStatus(key, index);
    return written;
  });
  if (!freed.jobs.empty()) ContinueDrain(node_id);
  if (!freed.jobs.empty() || freed.volumes) RetryBlocked(std::move(freed));
  co_return Status();
}

// Uses one Room for all evaluations, so that room taken by one evaluation is not free for the next
// evaluation.
void Scheduler::RetryBlocked(Freed freed) {
  if (blocked_.empty()) return;
  std::vector<Evaluated> evaluated;
  store_->Read([&](const Tables& tables) {
    Room room(ReadyNode(tables), tables);
    if (room.node() == nullptr) return;
    Evaluating evaluating(tables, tables.last_index + 1, ports_, loop_->Wall(), &room);
    const std::uint64_t nodes = tables.IndexOf(kNodes);
    const bool node_changed = std::exchange(nodes_looked_at_, nodes) != nodes;
    freed.all = freed.all || node_changed;
    const auto is_there = [&room, this](const Awaited& awaited) {
      // An event other than kRoom and kPort makes its evaluation run, even if the node has no room.
      // The evaluation then waits for room.
      if (!awaited.NeedsRoom()) return true;
      return room.capacity()->Has(awaited.least) &&
             (awaited.address.empty() || ports_->CheckStatic(awaited.address, awaited.port).ok());
    };
    BlockedQueue::Walk walk(&blocked_, freed, is_there);
    std::vector<Evaluated> unchanged;  // no change, except perhaps of the awaited events
    while (BlockedQueue::Entry* const entry = walk.Next()) {
      const auto eval = Tables::Find(tables.evals, entry->id);
      DROVER_CHECK(eval != nullptr && eval->open());
      Evaluated of = evaluating.Run(*eval, false, std::move(entry->unplaced));
      (of.changed ? evaluated : unchanged).push_back(std::move(of));
    }
    for (Evaluated& of : unchanged) KeepWaiting(&of);
  });
  Keep(std::move(evaluated));
}

Co<void> Scheduler::Run(Context context) {
  while (!context.cancelled()) {
    looks_again_.Reset();
    std::vector<std::string> ids;
    store_->Read([&](const Tables& tables) {
      for (const auto& [id, node] : tables.nodes) ids.push_back(id);
    });
    Duration pause = options_.heartbeat;
    for (const std::string& id : ids) pause = std::min(pause, LookAt(id));
    const Context until = context.WithTimeout(pause);
    (void)co_await looks_again_.Wait(until);
  }
}

Duration Scheduler::LookAt(const std::string& node_id) {
  Duration pause = ContinueDrain(node_id);
  const auto expected = expected_.find(node_id);
  if (expected == expected_.end()) return pause;
  const Duration left = expected->second - loop_->Now();
  if (left > Duration(0)) return std::min(pause, left);
  if (left < -kLate) {
    // LookAt runs more than kLate after the heartbeat was due. So this process was suspended, and
    // perhaps the node was, too. The node gets more time for a heartbeat before it counts as down.
    expected->second = loop_->Now() + options_.heartbeat_grace;
    return std::min(pause, options_.heartbeat_grace);
  }
  expected_.erase(expected);
  SetDown(node_id);
  return pause;
}

// Does not change the allocations: there is no other node, and a node whose heartbeats stopped may
// send them again.
void Scheduler::SetDown(const std::string& node_id) {
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr || node->status != "ready") return;
  store_->Write(cause::kNodeStatus, [&](Tables* tables, std::uint64_t index) {
    auto down = std::make_shared<NodeRecord>(*node);
    down->status = "down";
    down->modify_index = index;
    down->status_time = loop_->Wall();
    tables->Put(std::move(down));
    return kNodes;
  });
}

}  // namespace drover
