// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/scheduler.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

#include "host/base/ids.h"
#include "host/scheduler/evaluating.h"

namespace drover {
namespace {

constexpr TableMask kJobs = MaskOf(Table::kJobs);
constexpr TableMask kEvals = MaskOf(Table::kEvals);
constexpr TableMask kAllocs = MaskOf(Table::kAllocs);
constexpr TableMask kWanted = MaskOf(Table::kWanted);
constexpr TableMask kNodes = MaskOf(Table::kNodes);

// Of what a node has told, what people and clients see.
bool SaysTheSame(const AllocUpdate& a, const AllocUpdate& b) {
  if (!(a.status == b.status) || a.network != b.network || a.tasks.size() != b.tasks.size()) {
    return false;
  }
  return std::equal(a.tasks.begin(), a.tasks.end(), b.tasks.begin(),
                    [](const auto& x, const auto& y) {
                      return x.first == y.first && (x.second == y.second || *x.second == *y.second);
                    });
}

// Whether NODE, with its CAPACITY, may take any group of an evaluation that is blocked; ports are
// not looked at.
bool MayBePlaced(const Tables& tables, const NodeRecord& node, const NodeCapacity& capacity,
                 const Evaluation& eval) {
  const auto job = Tables::Find(tables.jobs, KeyOf(eval));
  if (job == nullptr) return true;  // then it has nothing to wait for
  const GroupCounts now = CountsAfterStops(tables.AllocsOf(KeyOf(eval)), {});
  return std::any_of(eval.failed_groups.begin(), eval.failed_groups.end(), [&](const auto& failed) {
    const TaskGroup* const group = FindGroup(*job->job, failed.first);
    NodeCapacity left = capacity;
    GroupCounts here = now;
    ReservedCores cores;
    return group == nullptr || !TakeRoom(*job->job, *group, &node, &left, &here, &cores);
  });
}

// Lets what is stopping already stop at once.
void DropShutdownDelays(Tables* tables, const JobKey& key, std::uint64_t index, WallTime now) {
  const AllocRecords records = tables->AllocsOf(key);  // Put changes the list
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
    : loop_(loop), store_(store), ports_(ports), options_(std::move(options)) {}

JobReply Scheduler::EvaluateNow(Tables* tables, std::uint64_t index, const JobKey& key,
                                const Cause& cause, TableMask* written) {
  // What waits for a place is part of the new evaluation.
  if (const auto ids = tables->evals_of_job.find(key); ids != tables->evals_of_job.end()) {
    for (const std::string& id : ids->second) {
      const auto& old = tables->evals.at(id);
      if (old->status != "blocked") continue;
      auto canceled = std::make_shared<Evaluation>(*old);
      canceled->status = "canceled";
      canceled->status_description = "a newer evaluation of the job exists";
      canceled->modify_index = index;
      tables->Put(std::move(canceled));
    }
  }
  Evaluation eval;
  eval.id = RandomUuid();
  eval.job_namespace = key.first;
  eval.job_id = key.second;
  eval.triggered_by = cause.triggered_by;
  eval.create_index = index;
  eval.create_time = loop_->Wall();
  JobReply reply;
  if (const auto job = Tables::Find(tables->jobs, key)) {
    eval.type = job->job->type;
    eval.priority = job->job->priority;
    reply.job_modify_index = job->job_modify_index;
  }
  if (cause.priority > 0) eval.priority = cause.priority;
  reply.eval_id = eval.id;
  reply.eval_create_index = reply.index = index;
  Evaluating(tables, index, ports_, loop_->Wall(), cause.no_shutdown_delay).Run(std::move(eval));
  *written |= kEvals | kAllocs | kWanted | tables->UpdateJobStatus(key, index);
  return reply;
}

Result<JobReply> Scheduler::Register(JobRegistration registration) {
  const JobKey key = KeyOf(*registration.job);
  DROVER_TRY(CheckIndex(registration, key));
  DROVER_TRY(Check(*registration.job));
  JobReply reply;
  store_->Write(cause::kJobRegistered, [&](Tables* tables, std::uint64_t index) -> TableMask {
    TableMask written = 0;
    const auto before = Tables::Find(tables->jobs, key);
    // The same job again is only looked at again.
    if (before == nullptr || before->stop || *before->json != *registration.json) {
      auto record = std::make_shared<JobRecord>();
      record->job = registration.job;
      record->json = registration.json;
      record->submission = registration.submission;
      record->version = before == nullptr ? 0 : before->version + 1;
      record->submit_time = loop_->Wall();
      record->create_index = before == nullptr ? index : before->create_index;
      record->modify_index = record->job_modify_index = index;
      tables->Put(key, std::move(record));
      written |= kJobs;
    }
    const Cause cause{"job-register", false, registration.eval_priority};
    reply = EvaluateNow(tables, index, key, cause, &written);
    return written;
  });
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
    reply.plan = Reconcile(&after, tables.AllocsOf(key));
    const auto node = ReadyNode(tables);
    std::optional<NodeCapacity> capacity;
    if (node) capacity.emplace(*node, tables);
    GroupCounts here = CountsAfterStops(tables.AllocsOf(key), reply.plan);
    for (const auto& [name, plan] : reply.plan) {
      for (std::size_t i = 0; i < plan.place.size(); ++i) {
        ReservedCores cores;
        auto failure = TakeRoom(*after.job, *FindGroup(*after.job, name), node.get(),
                                capacity ? &*capacity : nullptr, &here, &cores);
        if (!failure) continue;
        failure->coalesced_failures = static_cast<int>(plan.place.size() - i) - 1;
        reply.failed_groups[name] = std::move(*failure);
        break;
      }
    }
  });
  return reply;
}

Result<JobReply> Scheduler::Deregister(const JobKey& key, bool purge, bool no_shutdown_delay,
                                       int eval_priority) {
  JobReply reply;
  bool found = false;
  store_->Read([&](const Tables& tables) { found = tables.jobs.count(key) > 0; });
  if (!found) return NoSuch("job");
  store_->Write(cause::kJobDeregistered, [&](Tables* tables, std::uint64_t index) -> TableMask {
    TableMask written = kJobs;
    const std::shared_ptr<const JobRecord> before = tables->jobs.at(key);
    if (purge) {
      tables->EraseJob(key);
    } else if (!before->stop) {
      auto stopped = std::make_shared<JobRecord>(*before);
      stopped->stop = true;
      stopped->stable = false;
      stopped->tag.reset();
      ++stopped->version;
      stopped->modify_index = stopped->job_modify_index = index;
      tables->Put(key, std::move(stopped));
    }
    const Cause cause{"job-deregister", no_shutdown_delay, eval_priority};
    reply = EvaluateNow(tables, index, key, cause, &written);
    if (no_shutdown_delay) DropShutdownDelays(tables, key, index, loop_->Wall());
    if (purge) reply.job_modify_index = index;
    return written;
  });
  return reply;
}

Result<JobReply> Scheduler::Evaluate(const JobKey& key) {
  bool found = false;
  store_->Read([&](const Tables& tables) { found = tables.jobs.count(key) > 0; });
  if (!found) return NoSuch("job");
  JobReply reply;
  store_->Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
    TableMask written = 0;
    reply = EvaluateNow(tables, index, key, {"job-register"}, &written);
    return written;
  });
  return reply;
}

Result<JobReply> Scheduler::StopAlloc(const std::string& id, bool no_shutdown_delay) {
  std::shared_ptr<const AllocRecord> record;
  store_->Read([&](const Tables& tables) { record = Tables::Find(tables.allocs, id); });
  if (record == nullptr) return NoSuch("allocation");
  const JobKey key = KeyOf(*record->alloc->job);
  JobReply reply;
  store_->Write(cause::kAllocStop, [&](Tables* tables, std::uint64_t index) {
    TableMask written = 0;
    if (!record->terminal()) {
      auto changed = std::make_shared<AllocRecord>(*record);
      changed->migrate = true;
      changed->modify_index = index;
      tables->Put(std::move(changed));
    }
    reply = EvaluateNow(tables, index, key, {"alloc-stop", no_shutdown_delay}, &written);
    return written;
  });
  return reply;
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
        changed->modify_index = at;
        tables->Put(std::move(changed));
        return kNodes;
      });
  if (eligible) RetryBlocked();
  return index;
}

Result<DrainReply> Scheduler::Drain(const std::string& node_id, std::optional<DrainSpec> spec,
                                    bool mark_eligible, StringMap meta) {
  std::shared_ptr<const NodeRecord> node;
  store_->Read([&](const Tables& tables) { node = Tables::Find(tables.nodes, node_id); });
  if (node == nullptr) return NoSuch("node");
  DrainReply reply;
  reply.index = store_->Write(cause::kNodeDrain, [&](Tables* tables, std::uint64_t index) {
    auto changed = std::make_shared<NodeRecord>(
        spec ? BeginDrain(*node, *spec, std::move(meta), *loop_)
             : (node->drain ? EndDrain(*node, "canceled", loop_->Wall()) : *node));
    if (!spec && mark_eligible) changed->eligible = true;
    changed->modify_index = index;
    TableMask written = kNodes;
    const NodeRecord& now = *changed;
    tables->Put(changed);
    reply.eval_ids = MigrateFrom(tables, index, now, &written);
    return written;
  });
  ContinueDrain(node_id);
  if (!spec) RetryBlocked();
  return reply;
}

std::vector<std::string> Scheduler::MigrateFrom(Tables* tables, std::uint64_t index,
                                                const NodeRecord& node, TableMask* written) {
  std::set<JobKey> jobs;
  for (const auto& record : ToMigrate(*tables, node, *loop_)) {
    auto changed = std::make_shared<AllocRecord>(*record);
    changed->migrate = true;
    changed->modify_index = index;
    tables->Put(std::move(changed));
    jobs.insert(KeyOf(*record->alloc->job));
  }
  std::vector<std::string> evals;
  for (const JobKey& key : jobs) {
    evals.push_back(EvaluateNow(tables, index, key, {"node-drain"}, written).eval_id);
  }
  return evals;
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
    store_->Write(cause::kNodeDrain, [&](Tables* tables, std::uint64_t index) {
      TableMask written = 0;
      if (migrates) MigrateFrom(tables, index, *node, &written);
      if (!drained) return written;
      auto ended = std::make_shared<NodeRecord>(EndDrain(*node, "complete", loop_->Wall()));
      ended->modify_index = index;
      tables->Put(std::move(ended));
      return written | kNodes;
    });
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
  RetryBlocked();  // also what waits for a port: nobody tells when a foreign process has left it
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
  bool ended = false;
  store_->Write(cause::kAllocUpdate, [&](Tables* tables, std::uint64_t index) {
    std::set<JobKey> jobs;
    for (AllocUpdate& update : updates) {
      const auto before = Tables::Find(tables->allocs, update.id);
      if (before == nullptr || SaysTheSame(before->told, update)) continue;
      auto changed = std::make_shared<AllocRecord>(*before);
      changed->told = std::move(update);
      changed->modify_index = index;
      changed->modify_time = loop_->Wall();
      if (changed->client_terminal() && !before->client_terminal()) {
        ReleasePorts(*changed->alloc, ports_);
        ended = true;
      }
      jobs.insert(KeyOf(*changed->alloc->job));
      tables->Put(std::move(changed));
    }
    TableMask written = jobs.empty() ? 0 : kAllocs;
    for (const JobKey& key : jobs) written |= tables->UpdateJobStatus(key, index);
    return written;
  });
  if (ended) {
    ContinueDrain(node_id);
    RetryBlocked();
  }
  co_return Status();
}

void Scheduler::RetryBlocked() {
  std::vector<std::shared_ptr<const Evaluation>> blocked;
  store_->Read([&](const Tables& tables) {
    const auto node = ReadyNode(tables);
    if (node == nullptr || tables.blocked_evals.empty()) return;
    const NodeCapacity capacity(*node, tables);
    for (const std::string& id : tables.blocked_evals) {
      const auto& eval = tables.evals.at(id);
      if (MayBePlaced(tables, *node, capacity, *eval)) blocked.push_back(eval);
    }
  });
  if (blocked.empty()) return;
  // The oldest of the highest priority first, as they would have been placed.
  std::sort(blocked.begin(), blocked.end(), [](const auto& a, const auto& b) {
    return std::tuple(-a->priority, a->create_index, a->id) <
           std::tuple(-b->priority, b->create_index, b->id);
  });
  store_->Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
    TableMask written = kEvals | kAllocs | kWanted;
    for (const auto& eval : blocked) {
      Evaluating(tables, index, ports_, loop_->Wall(), false).Run(*eval);
      written |= tables->UpdateJobStatus(KeyOf(*eval), index);
    }
    return written;
  });
}

}  // namespace drover
