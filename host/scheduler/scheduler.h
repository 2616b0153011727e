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
  int eval_priority = 0;  // of the evaluation; 0: the priority of the job
  bool stop = false;      // the job is, or stays, stopped
  std::string triggered_by = "job-register";
};

// The result of a write.
struct JobReply {
  std::string eval_id;  // empty: there was nothing to evaluate
  std::uint64_t eval_create_index = 0;
  std::uint64_t job_modify_index = 0;
  std::uint64_t index = 0;
};

// The result of a drain.
struct DrainReply {
  std::uint64_t index = 0;
  std::vector<std::string> eval_ids;
};

// The changes that a registration would make.
struct PlanReply {
  JobPlan plan;
  std::map<std::string, PlacementFailure> failed_groups;
  std::shared_ptr<const JobRecord> before;  // null: there is no such job
};

struct SchedulerOptions {
  // Whether the node accepts the drivers of a job and their configurations. Empty: always.
  std::function<Status(const Job& job)> check_job;
  // Whether the state that waits to be stored leaves room for one more job. Empty: always.
  std::function<Status()> check_room;
  Duration heartbeat = 10s;
  // A node whose heartbeat is overdue by this time is down.
  Duration heartbeat_grace = 10s;
};

// The scheduler of a single machine. A write changes the store and makes an evaluation. The next
// write, at once, carries the evaluation out and places allocations. The node gets them through
// ClusterLink. Control thread only; every thread may read the results in the store.
class Scheduler : public ClusterLink {
 public:
  // The pointers outlive this.
  Scheduler(Loop* loop, StateStore* store, PortPool* ports, SchedulerOptions options);

  // Errors: kInvalidArgument for a job that the node refuses, kFailedPrecondition for the enforced
  // index, or that of SchedulerOptions::check_room.
  Result<JobReply> Register(JobRegistration registration);
  // Whether the node could run such a job. kInvalidArgument: why not.
  Status Check(const Job& job) const;
  Result<PlanReply> Plan(const JobRegistration& registration) const;
  // Stops a job; with PURGE, erases it, too. EVAL_PRIORITY as in JobRegistration. kNotFound: there
  // is no such job.
  Result<JobReply> Deregister(const JobKey& key, bool purge, bool no_shutdown_delay,
                              int eval_priority = 0);
  // Evaluates a job again. kNotFound: there is no such job.
  Result<JobReply> Evaluate(const JobKey& key);
  // These change a version of a job, see job_versions.h, and return the index of the write. The
  // time of a tag is now.
  Result<std::uint64_t> TagVersion(const JobKey& key, std::optional<std::uint64_t> number,
                                   VersionTag tag);
  Result<std::uint64_t> UntagVersion(const JobKey& key, const std::string& name);
  Result<std::uint64_t> SetStable(const JobKey& key, std::uint64_t number, bool stable);
  // Stops an allocation and has another one replace it. kNotFound: there is no such allocation.
  Result<JobReply> StopAlloc(const std::string& id, bool no_shutdown_delay);
  // Drains a node, or, without SPEC, ends its drain. META is stored with a new drain.
  // MARK_ELIGIBLE, only without SPEC: the node takes new allocations then. kNotFound: there is no
  // such node.
  Result<DrainReply> Drain(const std::string& node_id, std::optional<DrainSpec> spec,
                           bool mark_eligible, StringMap meta);
  // Sets whether the node takes new allocations; returns the index of the write. kNotFound: there
  // is no such node; kFailedPrecondition: it is being drained.
  Result<std::uint64_t> SetEligible(const std::string& node_id, bool eligible);
  // Collects by RULE, in slices: other work has its turn in between.
  Co<Status> CollectGarbage(Context context, GarbageRule rule);
  // Collects one allocation, also of a living job. kNotFound: there is no such allocation;
  // kFailedPrecondition: it has not ended.
  Status CollectAlloc(const std::string& id);
  // Erases evaluations and returns how many. SKIP_NEEDED leaves out those that are needed, see
  // IsNeeded, or do not exist. Otherwise all are erased or none: kNotFound, or kFailedPrecondition
  // for one that is needed.
  Result<std::size_t> DeleteEvals(const std::vector<std::string>& ids, bool skip_needed);

  // Does the work that is due by the clock: deadlines of drains, and nodes without a heartbeat.
  Co<void> Run(Context context);

  // The node is in the same process, so its status changes come at once.
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
    int priority = 0;  // 0: the priority of the job
  };

  // An evaluation that a write has made, and that must still be carried out.
  struct Opened {
    Evaluation eval;
    bool no_shutdown_delay = false;
  };

  // Makes an evaluation of the job, and cancels its open ones, whose work the new one includes.
  Opened Open(Tables* tables, std::uint64_t index, const JobKey& key, const Cause& cause);
  static JobReply ReplyOf(const Evaluation& eval, std::uint64_t job_modify_index);
  // Carries evaluations out in a write of their own. The journal gets it together with the write
  // that made them, so no restored evaluation was left undone.
  void CarryOut(const std::vector<Opened>& opened);
  void Keep(std::vector<Evaluated> evaluated);
  void KeepWaiting(Evaluated* evaluated);
  // Asks the allocations that must leave a draining node now to go. Returns the evaluations that
  // this made.
  std::vector<Opened> MigrateFrom(Tables* tables, std::uint64_t index, const NodeRecord& node,
                                  TableMask* written);
  // Does the work that is due for a node. Returns how soon it must be looked at again.
  Duration LookAt(const std::string& node_id);
  void SetDown(const std::string& node_id);
  // Continues the drain of a node, if it has one. Returns how soon it must be looked at again.
  Duration ContinueDrain(const std::string& node_id);
  // Tries again the blocked evaluations that wait for room or for what is FREED, and all of them if
  // the node has changed.
  void RetryBlocked(Freed freed);
  Result<std::uint64_t> PutVersion(const JobKey& key,
                                   const std::function<Result<JobRecord>(const Tables&)>& change);
  Status CheckIndex(const JobRegistration& registration, const JobKey& key) const;

  Loop* const loop_;
  StateStore* const store_;
  PortPool* const ports_;
  const SchedulerOptions options_;
  BlockedQueue blocked_;
  std::uint64_t nodes_looked_at_ = 0;          // the nodes' index when all blocked ones were tried
  std::map<std::string, TimePoint> expected_;  // when a node without a heartbeat is down
  Event looks_again_;                          // something is due at another time than before
};

}  // namespace drover
