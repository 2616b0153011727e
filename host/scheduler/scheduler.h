// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/base/event.h"
#include "host/base/loop.h"
#include "host/scheduler/blocked_queue.h"
#include "host/scheduler/cluster_link.h"
#include "host/scheduler/drain.h"
#include "host/scheduler/garbage.h"
#include "host/scheduler/placement.h"
#include "host/scheduler/reconcile.h"
#include "host/scheduler/state_store.h"

namespace drover {

struct JobRegistration {
  std::shared_ptr<const Job> job;
  std::shared_ptr<const nlohmann::json> json;  // as JobRecord::json
  std::optional<std::uint64_t> enforce_index;  // the job's modify index must be this; 0: no job
  std::shared_ptr<const JobSubmission> submission = nullptr;  // as JobRecord::submission
  int eval_priority = 0;  // of the evaluation; 0: that of the job
  bool stop = false;      // the job is, or stays, stopped
  std::string triggered_by = "job-register";
};

// What a write has led to.
struct JobReply {
  std::string eval_id;  // empty: there was nothing to evaluate
  std::uint64_t eval_create_index = 0;
  std::uint64_t job_modify_index = 0;
  std::uint64_t index = 0;
};

// What a drain has led to.
struct DrainReply {
  std::uint64_t index = 0;
  std::vector<std::string> eval_ids;
};

// What a registration would lead to.
struct PlanReply {
  JobPlan plan;
  std::map<std::string, PlacementFailure> failed_groups;
  std::shared_ptr<const JobRecord> before;  // null: there is no such job
};

struct SchedulerOptions {
  // Whether the node takes the job: its drivers and their configurations. Empty: everything.
  std::function<Status(const Job& job)> check_job;
  // Whether there is room for one more job in what is to be kept. Empty: there always is.
  std::function<Status()> check_room;
  Duration heartbeat = 10s;
  // So much later than it is due a heartbeat is missed, and the node is down.
  Duration heartbeat_grace = 10s;
};

// The scheduler of a single machine. A write changes the store and makes an evaluation; the next
// one carries that out and places allocations, at once; the node hears of them through ClusterLink.
// Control thread only; what it writes is in the store, for every thread.
class Scheduler : public ClusterLink {
 public:
  // The pointers outlive this.
  Scheduler(Loop* loop, StateStore* store, PortPool* ports, SchedulerOptions options);

  // Errors: kInvalidArgument for a job that cannot be, kFailedPrecondition for the index.
  Result<JobReply> Register(JobRegistration registration);
  // Whether the node could carry out such a job. kInvalidArgument: why not.
  Status Check(const Job& job) const;
  Result<PlanReply> Plan(const JobRegistration& registration) const;
  // Stops a job; with PURGE it is forgotten, too. EVAL_PRIORITY as in JobRegistration. kNotFound:
  // there is none.
  Result<JobReply> Deregister(const JobKey& key, bool purge, bool no_shutdown_delay,
                              int eval_priority = 0);
  // Looks at a job again. kNotFound: there is none.
  Result<JobReply> Evaluate(const JobKey& key);
  // What users say of a version of a job, see job_versions.h; the index of the write. The time of
  // a tag is now.
  Result<std::uint64_t> TagVersion(const JobKey& key, std::optional<std::uint64_t> number,
                                   VersionTag tag);
  Result<std::uint64_t> UntagVersion(const JobKey& key, const std::string& name);
  Result<std::uint64_t> SetStable(const JobKey& key, std::uint64_t number, bool stable);
  // Has an allocation replaced by another one. kNotFound: there is none.
  Result<JobReply> StopAlloc(const std::string& id, bool no_shutdown_delay);
  // Empties a node, or, without SPEC, ends that; META is kept with it. MARK_ELIGIBLE: without SPEC,
  // it takes new allocations then. kNotFound: there is no such node.
  Result<DrainReply> Drain(const std::string& node_id, std::optional<DrainSpec> spec,
                           bool mark_eligible, StringMap meta);
  // Whether the node takes new allocations. kNotFound: there is no such node; kFailedPrecondition:
  // it is being drained.
  Result<std::uint64_t> SetEligible(const std::string& node_id, bool eligible);
  // Lets go of what has ended and RULE names, a part at a time: others have their turn in between.
  Co<Status> CollectGarbage(Context context, GarbageRule rule);
  // Lets go of one allocation, also of a living job. kNotFound: there is none, kFailedPrecondition:
  // it has not ended.
  Status CollectAlloc(const std::string& id);
  // Forgets evaluations; how many. SKIP_NEEDED: but for those that are needed, see IsNeeded, or
  // have gone. Otherwise all or none: kNotFound, or kFailedPrecondition for one that is needed.
  Result<std::size_t> DeleteEvals(const std::vector<std::string>& ids, bool skip_needed);

  // Does what is due by the clock: deadlines of drains, and nodes that are not heard of any more.
  Co<void> Run(Context context);

  // It is in the same process and takes everything at once.
  UpdatePace pace() const override { return {0s, 100ms}; }
  Co<Result<Duration>> Register(Context context, NodeRecord node) override;
  Co<Result<Duration>> Heartbeat(Context context, std::string node_id) override;
  Co<Result<NodeAllocs>> FetchAllocs(Context context, std::string node_id,
                                     std::uint64_t newer_than) override;
  Co<Status> UpdateAllocs(Context context, std::string node_id,
                          std::vector<AllocUpdate> updates) override;

 private:
  struct Cause {
    std::string triggered_by;
    bool no_shutdown_delay = false;
    int priority = 0;  // 0: that of the job
  };

  // An evaluation that a write has made, and that is to be carried out.
  struct Opened {
    Evaluation eval;
    bool no_shutdown_delay = false;
  };

  // Makes an evaluation of the job; what waited for a place is part of it.
  Opened Open(Tables* tables, std::uint64_t index, const JobKey& key, const Cause& cause);
  static JobReply ReplyOf(const Evaluation& eval, std::uint64_t job_modify_index);
  // Carries evaluations out by a write of their own. It is kept together with that which has made
  // them, so none is found that was not carried out.
  void CarryOut(const std::vector<Opened>& opened);
  void Keep(std::vector<Evaluated> evaluated);
  void KeepWaiting(Evaluated* evaluated);
  // Asks what has to leave a node that is drained to go; the evaluations that this made.
  std::vector<Opened> MigrateFrom(Tables* tables, std::uint64_t index, const NodeRecord& node,
                                  TableMask* written);
  // What is due of a node; how soon it must be looked at again.
  Duration LookAt(const std::string& node_id);
  void SetDown(const std::string& node_id);
  // Carries on with the drain of a node, if it has one. How soon that is to be looked at again.
  Duration ContinueDrain(const std::string& node_id);
  // Places again what had no place and waits for room, for what is FREED, or for the node, if that
  // has changed.
  void RetryBlocked(Freed freed);
  Result<std::uint64_t> PutVersion(const JobKey& key,
                                   const std::function<Result<JobRecord>(const Tables&)>& change);
  Status CheckIndex(const JobRegistration& registration, const JobKey& key) const;

  Loop* const loop_;
  StateStore* const store_;
  PortPool* const ports_;
  const SchedulerOptions options_;
  BlockedQueue blocked_;
  std::uint64_t nodes_looked_at_ = 0;          // their index when all that waits was looked at
  std::map<std::string, TimePoint> expected_;  // until when a node must be heard of
  Event looks_again_;                          // something is due at another time than before
};

}  // namespace drover
