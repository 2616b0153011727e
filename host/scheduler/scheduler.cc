// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/scheduler.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "host/base/ids.h"
#include "host/reconcile/reconcile.h"
#include "host/scheduler/evaluating.h"
#include "host/scheduler/plan_job.h"
#include "host/spec/blocks/scaling_json.h"

namespace drover {
namespace {

// So many timers are handled before other work of the loop gets its turn.
constexpr std::size_t kTimersAtOnce = 64;
constexpr TableMask kJobs = MaskOf(Table::kJobs);
constexpr TableMask kEvals = MaskOf(Table::kEvals);
constexpr TableMask kAllocs = MaskOf(Table::kAllocs);
constexpr TableMask kWanted = MaskOf(Table::kWanted);
constexpr TableMask kNodes = MaskOf(Table::kNodes);
constexpr TableMask kScaling = MaskOf(Table::kScaling);

constexpr std::string_view kJobStopped = "the job was stopped";
constexpr std::string_view kNewerEval = "a newer evaluation of the job exists";

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

// Disables the scaling policies of STOPPED, a version in a write with the index INDEX, so that
// nothing scales a stopped job. Returns the tables that change with it.
TableMask DisableScalingOf(JobRecord* stopped, std::uint64_t index) {
  if (stopped->scaling == nullptr) return 0;
  auto job = std::make_shared<Job>(*stopped->job);
  if (!DisableScaling(job.get())) return 0;
  nlohmann::json json = stopped->json.Copy();
  DisableScaling(&json);
  stopped->job = std::move(job);
  stopped->json = std::make_shared<const nlohmann::json>(std::move(json));
  stopped->scaling = ScalingOf(*stopped->job, stopped->scaling, index);
  return kScaling;
}

// Returns whether REGISTRATION is what the job BEFORE was before somebody stopped it, or still is.
bool IsUnchanged(const JobRecord& before, const JobRegistration& registration) {
  const std::shared_ptr<const nlohmann::json> stored = before.json.Whole();
  if (*stored == *registration.json) return true;
  if (!before.stop || before.scaling == nullptr) return false;
  nlohmann::json stopped = *registration.json;
  DisableScaling(&stopped);
  return *stored == stopped;
}

// Returns whether the version AFTER is as stable as BEFORE: it only has fewer allocations, so that
// no deployment finds it out. A group that has none any more is nothing to go back to.
bool StaysStable(const JobRecord& before, const JobRecord& after) {
  if (!before.stable || before.stop || after.stop) return false;
  if (!HasOnlyFewer(*before.job, *after.job)) return false;
  return std::ranges::none_of(after.job->groups, [&before](const TaskGroup& group) {
    return group.count == 0 && FindGroup(*before.job, group.name)->count > 0;
  });
}

// Lets each failed allocation of a job get a replacement at once. Returns whether there are any.
bool ForceReschedules(Tables* tables, const JobKey& key, std::uint64_t index) {
  const JobAllocs records = tables->AllocsOf(key);  // a copy, since Put changes the list
  bool any = false;
  for (const auto& record : records) {
    if (record->alloc->server_terminal() || record->force_reschedule) continue;
    if (record->reported.status.status != ClientStatus::kFailed) continue;
    auto changed = std::make_shared<AllocRecord>(*record);
    changed->force_reschedule = true;
    changed->modify_index = index;
    tables->Put(std::move(changed));
    any = true;
  }
  return any;
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
    for (const auto& [id, eval] : tables.evals) {
      if (eval->open() && !eval->follows_up()) blocked_.Put(*eval, {}, std::nullopt);
    }
  });
}

void Scheduler::CancelOpen(Tables* tables, std::uint64_t index, const JobKey& key, bool follow_ups,
                           std::string_view why) {
  const std::set<std::string_view>& open = tables->OpenEvalsOf(key);
  // Copies, since Put changes the set, and ends the texts in it.
  const std::vector<std::string> ids(open.begin(), open.end());
  for (const std::string& id : ids) {
    const Evaluation& before = *tables->evals.at(id);
    if (before.follows_up() != follow_ups) continue;
    timers_.Erase({SchedulerTimers::Kind::kFollowUp, id});
    auto canceled = std::make_shared<Evaluation>(before);
    canceled->status = "canceled";
    canceled->status_description = why;
    canceled->modify_index = index;
    tables->Put(std::move(canceled));
    blocked_.Erase(id);
  }
}

Scheduler::Opened Scheduler::Open(Tables* tables, std::uint64_t index, const JobKey& key,
                                  const Cause& cause) {
  // A new evaluation cannot do the work of one that waits for its time.
  CancelOpen(tables, index, key, false, kNewerEval);
  Evaluation eval;
  eval.id = RandomUuid();
  eval.job_namespace = key.first;
  eval.job_id = key.second;
  eval.triggered_by = cause.triggered_by;
  eval.node_id = cause.node_id;
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

RoomOptions Scheduler::HowToPlace() const {
  return {[this](const std::string& node_id) { return PortsOf(node_id); }, Config().preemption};
}

// One that may displace others may change what another one would change. So it goes by itself.
void Scheduler::CarryOut(const std::vector<Opened>& opened) {
  if (opened.size() < 2) return CarryOutTogether(opened);
  const PreemptionConfig preemption = Config().preemption;
  std::vector<Opened> together;
  const auto carry_out = [&] { CarryOutTogether(std::exchange(together, {})); };
  for (const Opened& of : opened) {
    const bool displaces = preemption.Allows(of.eval.type);
    if (displaces) carry_out();
    together.push_back(of);
    if (displaces) carry_out();
  }
  carry_out();
}

void Scheduler::CarryOutTogether(const std::vector<Opened>& opened) {
  if (opened.empty()) return;
  const RoomOptions options = HowToPlace();
  std::vector<Evaluated> evaluated;
  store_->Read([&](const Tables& tables) {
    Room room(tables, options);
    Evaluating evaluating(tables, tables.last_index + 1, options.ports_of, loop_->Wall(), &room);
    for (const Opened& of : opened) {
      // Another one of OPENED may do the work of this one.
      if (!tables.evals.at(of.eval.id)->open()) continue;
      evaluated.push_back(evaluating.Run(of.eval, of.no_shutdown_delay, std::nullopt));
    }
  });
  Keep(std::move(evaluated));
}

void Scheduler::Keep(std::vector<Evaluated> evaluated) {
  if (evaluated.empty()) return;
  const StateStore::Together together(store_);
  std::vector<Opened> displaced;
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
      written |= PutFollowUps(tables, index, of);
      written |= PutDeployments(tables, of);
      if (of.blocked) tables->Put(std::make_shared<const Evaluation>(*of.blocked));
      tables->Put(std::make_shared<const Evaluation>(of.eval));
      written |= tables->UpdateJobStatus(KeyOf(of.eval), index);
    }
    for (const Evaluated& of : evaluated) {
      for (const JobKey& key : of.displaced) {
        displaced.push_back(Open(tables, index, key, {"preemption"}));
        written |= tables->UpdateJobStatus(key, index);
      }
    }
    return written;
  });
  for (Evaluated& of : evaluated) {
    if (of.victims > 0 && options_.count_displaced) options_.count_displaced(of.victims);
    const bool goes = std::ranges::any_of(
        displaced, [&of](const Opened& by) { return KeyOf(by.eval) == KeyOf(of.eval); });
    if (!goes) {
      KeepWaiting(&of);
    } else {
      blocked_.Erase(of.eval.id);  // the new evaluation of its job does its work
    }
  }
  CarryOut(displaced);
}

TableMask Scheduler::PutDeployments(Tables* tables, const Evaluated& evaluated) {
  TableMask written = 0;
  for (const auto* const of : {&evaluated.ended, &evaluated.deployment}) {
    if (!*of) continue;
    tables->Put(std::make_shared<const Deployment>(**of));
    written = MaskOf(Table::kDeployments);
    if (!(*of)->active()) continue;
    timers_.Set({SchedulerTimers::Kind::kDeployment, (*of)->id}, loop_->Now());
    looks_again_.Set();
  }
  return written;
}

void Scheduler::KeepWaiting(Evaluated* evaluated) {
  const Evaluation* const waiting = evaluated->waiting();
  if (waiting == nullptr) return blocked_.Erase(evaluated->eval.id);
  blocked_.Put(*waiting, std::move(evaluated->awaited), std::move(evaluated->unplaced));
}

Result<JobReply> Scheduler::Register(JobRegistration registration) {
  const JobKey key = KeyOf(*registration.job);
  DROVER_TRY(CheckIndex(registration, key));
  DROVER_TRY(CheckKind(*registration.job));
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
        *before->json.Whole() != *registration.json) {
      auto record = std::make_shared<JobRecord>();
      record->job = registration.job;
      record->json = registration.json;
      record->submission = registration.submission;
      // A client may start a stopped job again without its source text. The job has not changed,
      // so the earlier text is kept.
      if (record->submission == nullptr && before != nullptr && IsUnchanged(*before, registration))
        record->submission = before->submission;
      record->stop = registration.stop;
      record->version = before == nullptr ? 0 : before->version + 1;
      record->submit_time = loop_->Wall();
      record->create_index = before == nullptr ? index : before->create_index;
      record->modify_index = record->job_modify_index = index;
      record->stable = before != nullptr && StaysStable(*before, *record);
      const JobScaling scaling = before == nullptr ? nullptr : before->scaling;
      record->scaling = ScalingOf(*record->job, scaling, index);
      if (record->scaling != scaling) written |= kScaling;
      tables->Put(key, std::move(record));
      if (registration.stop) CancelOpen(tables, index, key, true, kJobStopped);
      written |= kJobs | EndDeployments(tables, index, key) | PlanLaunch(tables, index, key);
    }
    if (registration.job->starts_children()) {
      written |= tables->UpdateJobStatus(key, index);
      reply.job_modify_index = tables->jobs.at(key)->job_modify_index;
      reply.index = index;
      return written;
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

std::vector<std::string> Scheduler::Warnings(const Job& job) const {
  return options_.warn_of_job ? options_.warn_of_job(job) : std::vector<std::string>();
}

Result<PlanReply> Scheduler::Plan(const JobRegistration& registration) const {
  const JobKey key = KeyOf(*registration.job);
  DROVER_TRY(CheckIndex(registration, key));
  DROVER_TRY(CheckKind(*registration.job));
  DROVER_TRY(Check(*registration.job));
  PlanReply reply;
  const PreemptionConfig preemption = Config().preemption;
  store_->Read([&](const Tables& tables) {
    reply.before = Tables::Find(tables.jobs, key);
    JobRecord after;
    after.job = registration.job;
    after.json = registration.json;
    const bool same = reply.before != nullptr && !reply.before->stop &&
                      *reply.before->json.Whole() == *registration.json;
    after.job_modify_index = same ? reply.before->job_modify_index : tables.last_index + 1;
    if (reply.before != nullptr) {
      after.version = reply.before->version + (same ? 0 : 1);
      after.create_index = reply.before->create_index;
    }
    reply.plan = PlanJob(tables, &after, key, Evaluation(), loop_->Wall());
    Room room(tables, {{}, preemption});
    Evaluating evaluating(tables, tables.last_index + 1, {}, loop_->Wall(), &room);
    TriedPlan tried = evaluating.Try(std::make_shared<const JobRecord>(after), reply.plan);
    reply.failed_groups = std::move(tried.failed_groups);
    reply.preempted = std::move(tried.preempted);
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
      // It has no evaluation by which garbage collection knows its age.
      if (before->job->starts_children()) stopped->submit_time = loop_->Wall();
      stopped->modify_index = stopped->job_modify_index = index;
      written |= DisableScalingOf(stopped.get(), index);
      tables->Put(key, std::move(stopped));
    }
    CancelOpen(tables, index, key, true, kJobStopped);
    written |= EndDeployments(tables, index, key) | PlanLaunch(tables, index, key);
    if (before->job->starts_children()) {  // it has no allocations to evaluate
      reply.job_modify_index = reply.index = index;
      return written | tables->UpdateJobStatus(key, index);
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

Result<JobReply> Scheduler::Evaluate(const JobKey& key) { return Evaluate(key, false); }

Result<JobReply> Scheduler::EvaluateForced(const JobKey& key) { return Evaluate(key, true); }

Result<JobReply> Scheduler::Evaluate(const JobKey& key, bool forced) {
  std::shared_ptr<const JobRecord> job;
  store_->Read([&](const Tables& tables) { job = Tables::Find(tables.jobs, key); });
  if (job == nullptr) return NoSuch("job");
  if (job->job->starts_children()) {
    const char* const kind = job->job->periodic ? "periodic" : "parameterized";
    return Error(Code::kFailedPrecondition, std::string("can't evaluate ") + kind + " job");
  }
  if (options_.check_room) DROVER_TRY(options_.check_room());
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  store_->Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
    const bool any = forced && ForceReschedules(tables, key, index);
    opened.push_back(Open(tables, index, key, {"job-register"}));
    return any ? kEvals | kAllocs : kEvals;
  });
  CarryOut(opened);
  return ReplyOf(opened[0].eval, opened[0].eval.job_modify_index);
}

Result<JobReply> Scheduler::StopAlloc(const std::string& id, bool no_shutdown_delay) {
  return StopAlloc(id, AllocStop{.no_shutdown_delay = no_shutdown_delay});
}

Result<JobReply> Scheduler::StopAlloc(const std::string& id, const AllocStop& how) {
  std::shared_ptr<const AllocRecord> record;
  store_->Read([&](const Tables& tables) { record = Tables::Find(tables.allocs, id); });
  if (record == nullptr) return NoSuch("allocation");
  const JobKey key = KeyOf(*record->alloc->job);
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  store_->Write(cause::kAllocStop, [&](Tables* tables, std::uint64_t index) {
    TableMask written = kEvals;
    // One that has failed already may still be kept from a replacement.
    if (!record->terminal() || (how.no_reschedule && !record->alloc->server_terminal())) {
      auto changed = std::make_shared<AllocRecord>(*record);
      if (how.no_reschedule) {
        changed->no_reschedule = true;
      } else if (how.reschedule && !IsPerNode(*record->job)) {
        changed->reschedule = changed->force_reschedule = true;
      } else {
        changed->migrate = true;
      }
      changed->modify_index = index;
      tables->Put(std::move(changed));
      written |= kAllocs;
    }
    opened.push_back(Open(tables, index, key, {"alloc-stop", how.no_shutdown_delay}));
    return written;
  });
  CarryOut(opened);
  return ReplyOf(opened[0].eval, opened[0].eval.job_modify_index);
}

void Scheduler::RetryBlocked(Freed freed) {
  std::set<std::string> tried;
  while (RetryUntilDisplaced(&freed, &tried)) {
  }
}

// Uses one Room for all evaluations, so that room taken by one evaluation is not free for the next
// evaluation. One that displaces allocations is the last, since others may change these, too.
bool Scheduler::RetryUntilDisplaced(Freed* freed, std::set<std::string>* tried) {
  if (blocked_.empty()) return false;
  bool displaced = false;
  std::vector<Evaluated> evaluated;
  const RoomOptions options = HowToPlace();
  store_->Read([&](const Tables& tables) {
    Room room(tables, options);
    if (room.empty()) return;
    Evaluating evaluating(tables, tables.last_index + 1, options.ports_of, loop_->Wall(), &room);
    const std::uint64_t nodes = tables.IndexOf(kNodes);
    const bool node_changed = std::exchange(nodes_looked_at_, nodes) != nodes;
    freed->all = freed->all || node_changed;
    const auto is_there = [&room, freed](const Awaited& awaited) {
      // An event other than kRoom and kPort makes its evaluation run, even if no node has room. The
      // evaluation then waits for room.
      return freed->rules || !awaited.NeedsRoom() || room.HasSome(awaited);
    };
    BlockedQueue::Walk walk(&blocked_, *freed, is_there);
    std::vector<Evaluated> unchanged;  // no change, except perhaps of the awaited events
    while (BlockedQueue::Entry* const entry = displaced ? nullptr : walk.Next()) {
      const auto eval = Tables::Find(tables.evals, entry->id);
      DROVER_CHECK(eval != nullptr && eval->open());
      if (!tried->insert(entry->id).second) continue;
      Evaluated of = evaluating.Run(*eval, false, std::move(entry->unplaced));
      displaced = !of.displaced.empty();
      for (const auto& record : of.allocs) room.Spare(record->id());
      (of.changed ? evaluated : unchanged).push_back(std::move(of));
    }
    for (Evaluated& of : unchanged) KeepWaiting(&of);
  });
  Keep(std::move(evaluated));
  return displaced;
}

Co<void> Scheduler::Run(Context context) {
  RestoreTimers();
  while (!context.cancelled()) {
    looks_again_.Reset();
    std::vector<std::string> ids;
    store_->Read([&](const Tables& tables) {
      for (const auto& [id, node] : tables.nodes) ids.push_back(id);
    });
    const std::vector<SchedulerTimers::Key> due = timers_.TakeDue(kTimersAtOnce);
    for (const SchedulerTimers::Key& key : due) OnTimer(key);
    if (timers_.Recheck()) RestoreLaunches();
    Duration pause = due.size() < kTimersAtOnce ? timers_.Left(options_.heartbeat) : Duration(0);
    for (const std::string& id : ids) pause = std::min(pause, LookAt(id));
    const Context until = context.WithTimeout(pause);
    (void)co_await looks_again_.Wait(until);
  }
}

}  // namespace drover
