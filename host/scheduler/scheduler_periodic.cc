// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The jobs that start children, by time or by request.
#include <algorithm>
#include <utility>

#include "host/base/ids.h"
#include "host/periodic/child_job.h"
#include "host/periodic/schedule.h"
#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

// A launch for which there is no room in the journal is tried again so soon.
constexpr Duration kRoomRetry = 10s;
// A time zone that the machine has no more is looked for again so soon.
constexpr Duration kZoneRetry = std::chrono::hours(1);
// If the newest launch is later than now by more than this, the clock was wrong then, and launches
// go on from now. Else a clock that is put back would repeat launches.
constexpr WallTime kMostPutBack = 3'600'000'000'000;

// A job with so many pending children launches no more, or they would fill the memory: the machine
// has no room for what the schedule asks for.
constexpr std::size_t kMostPending = 100;

constexpr TableMask kJobsAndEvals = MaskOf(Table::kJobs) | MaskOf(Table::kEvals);

SchedulerTimers::Key LaunchTimer(const JobKey& key) {
  return {SchedulerTimers::Kind::kLaunch, LaunchTimerId(key)};
}

bool IsLaunching(const std::shared_ptr<const JobRecord>& job) {
  return job != nullptr && !job->stop && LaunchesByItself(*job->job);
}

// Stores LAUNCH as the newest launch of the job KEY.
void PutLaunchRecord(Tables* tables, std::uint64_t index, const JobKey& key, WallTime launch) {
  const auto before = Tables::Find(tables->launches, key);
  PeriodicLaunch record{key.first, key.second, launch, index, index};
  if (before != nullptr) record.create_index = before->create_index;
  tables->Put(std::make_shared<const PeriodicLaunch>(std::move(record)));
}

// Returns whether the version of JOB before this one had the same schedule, and was not stopped.
bool HadSameSchedule(const Tables& tables, const JobKey& key, const JobRecord& job) {
  if (job.version == 0) return false;
  const auto before = Tables::Find(tables.versions.at(key), job.version - 1);
  return IsLaunching(before) && before->job->periodic == job.job->periodic;
}

Error NotForced(const std::string& why) { return Error(Code::kFailedPrecondition, why); }

// Says that a job which is no child of the same parent has the id of CHILD.
std::string IdTaken(const ChildJob& child) {
  return "another job has the id of its child, \"" + child.job->id + "\"";
}

}  // namespace

// The timer is due at once: OnLaunch looks when the next launch is, and sets it anew.
TableMask Scheduler::PlanLaunch(Tables* tables, std::uint64_t index, const JobKey& key) {
  const auto job = Tables::Find(tables->jobs, key);
  const auto before = Tables::Find(tables->launches, key);
  if (!IsLaunching(job)) {
    timers_.Erase(LaunchTimer(key));
    launches_from_.erase(key);
    crowded_.erase(key);
    if (before != nullptr) tables->Erase(*before);
    return 0;
  }
  // A launch that is due in this moment is not lost by a change of something else. But a new
  // schedule launches nothing for the time before it.
  if (before == nullptr || !HadSameSchedule(*tables, key, *job)) {
    const WallTime now = loop_->Wall();
    const bool counts = before != nullptr && before->launch <= now + kMostPutBack;
    PutLaunchRecord(tables, index, key, counts ? std::max(before->launch, now) : now);
    launches_from_.erase(key);
  }
  timers_.Set(LaunchTimer(key), loop_->Now());
  looks_again_.Set();
  return 0;
}

// A launch that is due names its child after the time for which it was planned. If more than one is
// due, because the agent or the machine was away, there is one child for all of them, which is
// named after the present time.
void Scheduler::OnLaunch(const JobKey& key) {
  std::shared_ptr<const JobRecord> job;
  std::shared_ptr<const PeriodicLaunch> newest;
  std::size_t pending = 0, running = 0;
  store_->Read([&](const Tables& tables) {
    job = Tables::Find(tables.jobs, key);
    newest = Tables::Find(tables.launches, key);
    const auto children = tables.children.find(key);
    if (children == tables.children.end()) return;
    pending = children->second.pending.size();
    running = children->second.running.size();
  });
  if (!IsLaunching(job)) return;
  const auto again = [this, &key](Duration pause) {
    timers_.Set(LaunchTimer(key), loop_->Now() + pause);
  };
  const Result<Schedule> schedule = Schedule::Of(*job->job->periodic);
  if (!schedule.ok()) {
    Report(schedule.error().WithContext("job \"" + key.second + "\" cannot be launched"));
    return again(kZoneRetry);
  }
  const WallTime now = loop_->Wall();
  const WallTime last = LastLaunch(key, newest.get(), now);
  const std::optional<WallTime> due = schedule->Next(last);
  if (!due || *due > now) {
    // A record that is damaged is lost. Then nobody knows what was launched, so nothing was missed.
    if (newest == nullptr) {
      store_->Write(cause::kJobVersion, [&](Tables* tables, std::uint64_t index) {
        PutLaunchRecord(tables, index, key, last);
        return TableMask{0};
      });
    }
    if (due) timers_.SetWall(LaunchTimer(key), *due);
    return;
  }
  if (options_.check_room && !options_.check_room().ok()) return again(kRoomRetry);
  const std::optional<WallTime> following = schedule->Next(*due);
  const WallTime launch = following && *following <= now ? now : *due;
  const bool overlaps = job->job->periodic->prohibit_overlap && pending + running > 0;
  Launch(*job, launch, IsCrowded(key, pending) || overlaps);
  if (const auto next = schedule->Next(launch)) timers_.SetWall(LaunchTimer(key), *next);
}

// Returns whether the job has too many children, of which PENDING wait for room. The first time,
// this is reported.
bool Scheduler::IsCrowded(const JobKey& key, std::size_t pending) {
  if (pending < kMostPending) {
    crowded_.erase(key);
    return false;
  }
  if (crowded_.insert(key).second) {
    Report(Error(Code::kUnavailable, "job \"" + key.second + "\" is not launched while " +
                                         std::to_string(kMostPending) +
                                         " of its children are pending"));
  }
  return true;
}

// If the newest launch is far in the future, the clock was wrong then or is wrong now: a machine
// without a battery begins in the past, until a server of time is reached. So the record stays
// until the next launch. If the clock is put forward before, nothing was missed.
WallTime Scheduler::LastLaunch(const JobKey& key, const PeriodicLaunch* newest, WallTime now) {
  if (newest == nullptr || newest->launch <= now + kMostPutBack) {
    launches_from_.erase(key);
    return newest == nullptr ? now : newest->launch;
  }
  WallTime& from = launches_from_.try_emplace(key, now).first->second;
  if (from > now + kMostPutBack) from = now;
  return from;
}

// Stores that the job was launched for the time LAUNCH, and the child, unless SKIP. A child of this
// time that exists already is not launched again. If a job of a client has its id, nothing is.
JobReply Scheduler::Launch(const JobRecord& parent, WallTime launch, bool skip) {
  const JobKey key = KeyOf(*parent.job);
  const ChildJob child = PeriodicChild(parent, launch);
  WallTime newest = launch;
  bool taken = false;
  store_->Read([&](const Tables& tables) {
    const auto there = Tables::Find(tables.jobs, KeyOf(*child.job));
    taken = !skip && there != nullptr && there->job->parent_id != key.second;
    skip = skip || there != nullptr;
    const auto before = Tables::Find(tables.launches, key);
    if (before != nullptr && before->launch <= loop_->Wall() + kMostPutBack) {
      newest = std::max(newest, before->launch);
    }
  });
  const auto put = [&key, newest](Tables* tables, std::uint64_t index) {
    PutLaunchRecord(tables, index, key, newest);
  };
  if (taken) Report(NotForced("job \"" + key.second + "\" is not launched: " + IdTaken(child)));
  if (!skip) return StartChild(child, "periodic-job", put);
  store_->Write(cause::kJobVersion, [&put](Tables* tables, std::uint64_t index) {
    put(tables, index);
    return TableMask{0};
  });
  return {};
}

// The node has accepted the parent. If its driver has gone since, the child waits for it, where
// everybody sees it.
JobReply Scheduler::StartChild(const ChildJob& child, const std::string& triggered_by,
                               const std::function<void(Tables*, std::uint64_t)>& also) {
  const JobKey key = KeyOf(*child.job);
  const StateStore::Together together(store_);
  JobReply reply;
  std::vector<Opened> opened;
  store_->Write(cause::kJobRegistered, [&](Tables* tables, std::uint64_t index) {
    auto record = std::make_shared<JobRecord>();
    record->job = child.job;
    record->json = child.json;
    record->submit_time = loop_->Wall();
    record->create_index = record->modify_index = record->job_modify_index = index;
    record->scaling = ScalingOf(*record->job, nullptr, index);
    TableMask written = kJobsAndEvals;
    if (record->scaling != nullptr) written |= MaskOf(Table::kScaling);
    tables->Put(key, std::move(record));
    if (also) also(tables, index);
    if (child.job->starts_children()) {
      reply.job_modify_index = reply.index = index;
      (void)tables->UpdateJobStatus(key, index);
      return written | PlanLaunch(tables, index, key);
    }
    opened.push_back(Open(tables, index, key, {triggered_by}));
    reply = ReplyOf(opened[0].eval, index);
    return written;
  });
  CarryOut(opened);
  return reply;
}

Result<JobReply> Scheduler::ForcePeriodic(const JobKey& key) {
  std::shared_ptr<const JobRecord> job;
  store_->Read([&](const Tables& tables) { job = Tables::Find(tables.jobs, key); });
  if (job == nullptr) return Error(Code::kNotFound, "job not found");
  if (!job->job->periodic) return NotForced("can't force launch non-periodic job");
  const std::string refused = "can't force launch job \"" + key.second + "\": ";
  if (job->job->parameterized && !job->job->dispatched) {
    return NotForced(refused +
                     "it is parameterized; dispatch it, and force the job that this makes");
  }
  if (job->stop) return NotForced(refused + "it is stopped");
  if (!job->job->periodic->enabled) return NotForced(refused + "its periodic block is disabled");
  if (options_.check_room) DROVER_TRY(options_.check_room());
  const WallTime now = loop_->Wall();
  const ChildJob child = PeriodicChild(*job, now);
  std::shared_ptr<const JobRecord> there;
  store_->Read([&](const Tables& tables) { there = Tables::Find(tables.jobs, KeyOf(*child.job)); });
  if (there == nullptr) return Launch(*job, now, false);
  if (there->job->parent_id != key.second) {
    return NotForced(refused + IdTaken(child) + "; force it again in the next second");
  }
  return Evaluate(KeyOf(*child.job));  // a second request within one second
}

Result<DispatchReply> Scheduler::Dispatch(const JobKey& key, const DispatchDraft& draft) {
  std::shared_ptr<const JobRecord> job;
  store_->Read([&](const Tables& tables) { job = Tables::Find(tables.jobs, key); });
  if (job == nullptr) return Error(Code::kNotFound, "parameterized job not found");
  DROVER_ASSIGN(ChildJob child,
                DispatchedChild(*job, draft, loop_->Wall(), RandomUuid().substr(0, 8)));
  std::shared_ptr<const JobRecord> earlier;
  bool taken = false;
  store_->Read([&](const Tables& tables) {
    taken = tables.jobs.contains(KeyOf(*child.job));
    const auto children = tables.children.find(key);
    if (draft.idempotency_token.empty() || children == tables.children.end()) return;
    const auto found = children->second.by_token.find(draft.idempotency_token);
    if (found == children->second.by_token.end()) return;
    earlier = tables.jobs.at({key.first, found->second});
  });
  DispatchReply reply;
  if (earlier != nullptr) {
    reply.is_new = false;
    reply.child_id = earlier->job->id;
    reply.registered.job_modify_index = earlier->create_index;
    reply.registered.index = earlier->modify_index;
    return reply;
  }
  if (taken) return Error(Code::kUnavailable, "the id of the job is taken, send it again");
  if (options_.check_room) DROVER_TRY(options_.check_room());
  reply.child_id = child.job->id;
  reply.registered = StartChild(child, "job-register", {});
  return reply;
}

// A job whose allocations run does not become one that only starts children, or the other way
// round. So nobody loses them by a mistake. Only StartChild makes dispatched jobs.
Status Scheduler::CheckKind(const Job& job) const {
  std::shared_ptr<const JobRecord> before;
  store_->Read([&](const Tables& tables) { before = Tables::Find(tables.jobs, KeyOf(job)); });
  if (before == nullptr) {
    if (!job.dispatched) return {};
    return Error(Code::kInvalidArgument,
                 "/Job/Dispatched: only a dispatch of a parameterized job makes such a job");
  }
  const auto compare = [&job](bool was, bool is, const char* kind) -> Status {
    if (was == is) return {};
    return Error(Code::kInvalidArgument,
                 std::string("/Job/ID: the job \"") + job.id + "\" is " + (was ? "" : "not ") +
                     kind + ", which an update cannot change; stop it with --purge first");
  };
  DROVER_TRY(compare(before->job->dispatched, job.dispatched, "a dispatched job"));
  DROVER_TRY(compare(before->job->periodic.has_value(), job.periodic.has_value(), "periodic"));
  return compare(before->job->parameterized.has_value(), job.parameterized.has_value(),
                 "parameterized");
}

void Scheduler::Report(const Error& error) const {
  if (options_.report) options_.report(error);
}

}  // namespace drover
