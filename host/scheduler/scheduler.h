// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/event.h"
#include "host/base/loop.h"
#include "host/placement/placement.h"
#include "host/placement/preemption.h"
#include "host/placement/room.h"
#include "host/reconcile/job_plan.h"
#include "host/scheduler/blocked_queue.h"
#include "host/scheduler/cluster_link.h"
#include "host/scheduler/drain.h"
#include "host/scheduler/garbage.h"
#include "host/scheduler/timers.h"
#include "host/state/state_store.h"

namespace drover {

struct ChildJob;        // in host/periodic/child_job.h
struct DispatchDraft;   // in host/periodic/child_job.h
struct DeploymentStep;  // in host/deployment/deployment_watch.h
struct DeploymentInput;

struct JobRegistration {
  std::shared_ptr<const Job> job;
  std::shared_ptr<const nlohmann::json> json;  // see JobRecord::json
  // If present, the job must have this job_modify_index; 0 means that the job must not exist.
  std::optional<std::uint64_t> enforce_index;
  std::shared_ptr<const JobSubmission> submission = nullptr;  // see JobRecord::submission
  int eval_priority = 0;  // priority of the evaluation; 0 means the job's priority
  bool stop = false;      // the job is registered as a stopped job
  std::string triggered_by = "job-register";
};

// The result of a call that changes or evaluates a job.
struct JobReply {
  std::string eval_id;  // empty if there was nothing to evaluate
  std::uint64_t eval_create_index = 0;
  std::uint64_t job_modify_index = 0;
  std::uint64_t index = 0;
};

// The result of a drain.
struct DrainReply {
  std::uint64_t index = 0;
  std::vector<std::string> eval_ids;
};

// The result of a request about a deployment.
struct DeploymentReply {
  std::string eval_id;  // empty if nothing was evaluated
  std::uint64_t eval_create_index = 0;
  std::uint64_t deployment_modify_index = 0;
  std::optional<std::uint64_t> reverted_version;  // the version that a failure went back to
  std::uint64_t index = 0;
};

// The result of a dispatch.
struct DispatchReply {
  std::string child_id;
  JobReply registered;  // without an evaluation if the child is periodic, too
  bool is_new = true;   // false if the idempotency token names this child already
};

// How an allocation stops by request.
struct AllocStop {
  bool no_shutdown_delay = false;
  bool no_reschedule = false;  // no replacement
  bool reschedule = false;     // count it as a reschedule, also of a batch job
};

// A variable that a client wants to put.
struct VariableDraft {
  VariableKey key;
  std::string sealed_items;  // see SealItems
  // If present, the variable must have this modify index; 0 means that it must not exist.
  std::optional<std::uint64_t> check_index;
};

// The result of a change of a variable.
struct VariableReply {
  // The variable as it is now; null if there is none.
  std::shared_ptr<const VariableRecord> variable;
  bool conflict = false;  // the check index does not match, so nothing has changed
  std::uint64_t index = 0;
};

// The changes that a registration would make.
struct PlanReply {
  JobPlan plan;
  std::map<std::string, PlacementFailure> failed_groups;
  std::map<std::string, AllocRecords> preempted;  // what would have to make room, by group
  std::shared_ptr<const JobRecord> before;        // null if there is no such job
};

struct SchedulerOptions {
  // Returns an error if the node does not accept a driver of the job, or the driver's
  // configuration. If this function is empty, every job is accepted.
  std::function<Status(const Job& job)> check_job;
  // Returns what the node does not carry out of a job that it accepts. May be empty.
  std::function<std::vector<std::string>(const Job& job)> warn_of_job;
  // Returns an error if the changes that wait to be stored leave no room for one more job. If this
  // function is empty, there is always room.
  std::function<Status()> check_room;
  // Returns the ports of a node. If this function is empty, there is one pool, of the one node.
  PortsOf ports_of;
  PreemptionConfig preemption;  // until an operator changes it
  // Receives what only the operator can put right. May be empty.
  std::function<void(const Error&)> report;
  // Counts allocations that had to make room for others. May be empty.
  std::function<void(std::size_t count)> count_displaced;
  // Carries out the restart ID of a job, which is running. Called when the restart is made, and at
  // the start of an agent for those that an earlier one has left. May be empty.
  std::function<void(const std::string& id)> carry_out_restart;
  // The most variables, and the most bytes of their items. All of them are in memory.
  std::size_t most_variables = 50'000;
  std::size_t most_variable_bytes = std::size_t{128} << 20;
  std::size_t most_volumes = 10'000;  // of clients
  Duration heartbeat = 10s;
  // A node whose heartbeat is overdue by this duration is down.
  Duration heartbeat_grace = 10s;
};

// The scheduler of a single machine. A call changes the tables of the StateStore in a write that
// also makes an evaluation. A second write follows at once: it carries the evaluation out and
// places allocations. The node receives the allocations through ClusterLink. Only the control
// thread may use this class. Any thread may read the results in the StateStore.
class Scheduler : public ClusterLink {
 public:
  // The pointers must outlive this object.
  Scheduler(Loop* loop, StateStore* store, PortPool* ports, SchedulerOptions options);

  // Registers a job. Error kInvalidArgument means that the node refuses the job. Error
  // kFailedPrecondition means that JobRegistration::enforce_index does not match. Errors of
  // SchedulerOptions::check_room are returned, too.
  Result<JobReply> Register(JobRegistration registration);
  // Checks whether the node could run JOB. Error kInvalidArgument gives the reason why not.
  Status Check(const Job& job) const;
  // Returns what the node would not carry out of JOB.
  std::vector<std::string> Warnings(const Job& job) const;
  Result<PlanReply> Plan(const JobRegistration& registration) const;
  // Stops a job. With PURGE, erases it, too. EVAL_PRIORITY is as in JobRegistration. Error
  // kNotFound means that there is no such job.
  Result<JobReply> Deregister(const JobKey& key, bool purge, bool no_shutdown_delay,
                              int eval_priority = 0);
  // Evaluates a job again. Error kNotFound means that there is no such job.
  Result<JobReply> Evaluate(const JobKey& key);
  // Like Evaluate. Failed allocations are replaced even if their policy allows no more attempts.
  Result<JobReply> EvaluateForced(const JobKey& key);

  // The requests about deployments, in scheduler_deployments.cc. Error kNotFound means that there
  // is no such deployment, and kFailedPrecondition that it does not allow the request.
  Result<DeploymentReply> PauseDeployment(const std::string& id, bool pause);
  Result<DeploymentReply> PromoteDeployment(const std::string& id,
                                            const std::vector<std::string>& groups);
  Result<DeploymentReply> FailDeployment(const std::string& id);
  Result<DeploymentReply> UnblockDeployment(const std::string& id);
  Result<DeploymentReply> SetDeploymentHealth(const std::string& id,
                                              const std::vector<std::string>& healthy,
                                              const std::vector<std::string>& unhealthy);
  // Registers the version NUMBER of a job anew. ENFORCED, if present, must be the newest version.
  Result<JobReply> Revert(const JobKey& key, std::uint64_t number,
                          std::optional<std::uint64_t> enforced);
  // Erases the deployments that ended before ENDED_BEFORE and that no job and no allocation needs,
  // in slices.
  Co<Status> CollectDeployments(Context context, WallTime ended_before);

  // The starts of children, in scheduler_periodic.cc. ForcePeriodic starts a child now. Error
  // kNotFound means that there is no such job, and kFailedPrecondition that it does not start
  // children in this way. Errors of SchedulerOptions::check_room are returned, too.
  Result<JobReply> ForcePeriodic(const JobKey& key);
  Result<DispatchReply> Dispatch(const JobKey& key, const DispatchDraft& draft);

  // The restarts of jobs, in scheduler_restarts.cc. PutRestart makes or replaces the record, which
  // must have its id, and sets its indexes and times. Of the restarts of a job that have ended, it
  // keeps only the newest. Errors of SchedulerOptions::check_room are returned for a new one.
  Result<std::uint64_t> PutRestart(JobRestart restart);

  // How allocations are placed, as evaluations from now on see it. [any thread]
  SchedulerConfig Config() const;
  // Sets the configuration, tries blocked evaluations with it, and returns the index of the write.
  // If CHECK_INDEX is present and is not the index of the last change, nothing changes, and the
  // result is absent.
  std::optional<std::uint64_t> SetConfig(const PreemptionConfig& preemption,
                                         std::optional<std::uint64_t> check_index);

  // Evaluates all jobs with allocations on the node, and all system jobs. In scheduler_nodes.cc.
  Result<DrainReply> EvaluateNode(const std::string& node_id);
  // Erases a node that is down. Its allocations are lost.
  Result<DrainReply> PurgeNode(const std::string& node_id);
  // These three functions change a version of a job (see job_versions.h) and return the index of
  // the write. TagVersion sets the time of the tag to now.
  Result<std::uint64_t> TagVersion(const JobKey& key, std::optional<std::uint64_t> number,
                                   VersionTag tag);
  Result<std::uint64_t> UntagVersion(const JobKey& key, const std::string& name);
  Result<std::uint64_t> SetStable(const JobKey& key, std::uint64_t number, bool stable);
  // Makes or replaces a variable. Its path and namespace must have been checked. Error
  // kResourceExhausted means that there are too many. Errors of SchedulerOptions::check_room are
  // returned, too.
  Result<VariableReply> PutVariable(VariableDraft draft);
  // Deletes a variable. CHECK_INDEX is as in VariableDraft. If there is no such variable, this
  // succeeds.
  Result<VariableReply> DeleteVariable(const VariableKey& key,
                                       std::optional<std::uint64_t> check_index);
  // Makes or replaces a volume of clients, and places the allocations that wait for it. Its id,
  // name and node must be set. Returns the record with its indexes. Errors of
  // SchedulerOptions::check_room are returned, and kResourceExhausted if there are too many.
  Result<std::shared_ptr<const VolumeRecord>> PutVolume(VolumeRecord volume);
  // Erases a volume. Does nothing if there is none.
  void EraseVolume(const std::string& id);
  // Releases the claim ID of a group on a volume. Error kNotFound means that there is no such
  // claim.
  Status DeleteClaim(const std::string& id);
  // Stops an allocation and places a replacement. Error kNotFound means that there is no such
  // allocation.
  Result<JobReply> StopAlloc(const std::string& id, bool no_shutdown_delay);
  Result<JobReply> StopAlloc(const std::string& id, const AllocStop& how);
  // If SPEC is present, starts a drain of the node and stores META with it. If SPEC is absent, ends
  // the drain. Then, if MARK_ELIGIBLE is true, the node takes new allocations again. Error
  // kNotFound means that there is no such node.
  Result<DrainReply> Drain(const std::string& node_id, std::optional<DrainSpec> spec,
                           bool mark_eligible, StringMap meta);
  // Sets whether the node takes new allocations. Returns the index of the write. Error kNotFound
  // means that there is no such node. Error kFailedPrecondition means that the node is draining
  // and cannot become eligible.
  Result<std::uint64_t> SetEligible(const std::string& node_id, bool eligible);
  // Removes what RULE allows, in slices. Other work of the loop runs between the slices.
  Co<Status> CollectGarbage(Context context, GarbageRule rule);
  // Garbage-collects one allocation, even if its job is alive. Error kNotFound means that there is
  // no such allocation. Error kFailedPrecondition means that the allocation has not ended.
  Status CollectAlloc(const std::string& id);
  // Erases the evaluations IDS and returns how many it has erased. With SKIP_NEEDED, it skips
  // evaluations that are needed (see IsNeeded) or do not exist. Without SKIP_NEEDED, it erases all
  // or none. Error kNotFound then means that an evaluation does not exist, and error
  // kFailedPrecondition that an evaluation is needed.
  Result<std::size_t> DeleteEvals(const std::vector<std::string>& ids, bool skip_needed);

  // Removes the registration ID of the service NAME and returns the index of the write. Error
  // kNotFound means that there is no such registration.
  Result<std::uint64_t> DeleteService(const ServiceKey& name, const std::string& id);

  // Does the work that becomes due with time. It carries out the deadlines of drains, and marks
  // nodes without a heartbeat as down. Runs until CONTEXT ends.
  Co<void> Run(Context context);

  // The node is in the same process, so it sends status changes without delay.
  UpdatePace pace() const override { return {0s, 100ms}; }
  Co<Result<Duration>> Register(Context context, NodeRecord node) override;
  Co<Result<Duration>> Heartbeat(Context context, std::string node_id) override;
  Co<Result<NodeAllocs>> FetchAllocs(Context context, std::string node_id,
                                     std::uint64_t newer_than) override;
  Co<Status> UpdateAllocs(Context context, std::string node_id,
                          std::vector<AllocUpdate> updates) override;
  Co<Status> ReportAllocs(Context context, std::string node_id,
                          std::vector<AllocUpdate> updates) override;
  Co<Status> UpdateServices(Context context, std::string node_id,
                            std::vector<ServiceRegistration> put,
                            std::vector<std::string> gone) override;
  Co<Result<std::vector<ServiceRegistration>>> FetchServices(Context context,
                                                             std::string node_id) override;

 private:
  struct Cause {
    std::string triggered_by;
    bool no_shutdown_delay = false;
    int priority = 0;  // 0 means the priority of the job
    std::string node_id = {};
  };

  // An evaluation that a write has made, and that must still be carried out.
  struct Opened {
    Evaluation eval;
    bool no_shutdown_delay = false;
  };

  // Takes the report of a node, in scheduler_nodes.cc. ALL says that UPDATES are all that it has.
  Status TakeUpdates(const std::string& node_id, std::vector<AllocUpdate> updates, bool all);

  // The work of a timer. Each function sets its timer anew if there is more to do.
  void OnTimer(const SchedulerTimers::Key& key);  // scheduler_timers.cc, calls the others
  void RestoreTimers();                           // at the start of an agent
  void RestoreLaunches();                         // and when the wall clock was set
  void OnFollowUp(const std::string& eval_id);    // scheduler_followups.cc
  void OnDeployment(const std::string& id);       // scheduler_deployments.cc
  void OnNodeTimer(const std::string& node_id);   // scheduler_nodes.cc
  void OnLaunch(const JobKey& key);               // scheduler_periodic.cc
  void OnRestart(const std::string& id);          // scheduler_restarts.cc

  // Parts of writes that several calls make. Each returns the tables that it has written to, and
  // adds evaluations to OPENED, which the caller carries out after the write.
  // After allocations of the job KEY have changed: its deployment goes on. In
  // scheduler_deployments.cc.
  TableMask GoOnWithDeployment(Tables* tables, std::uint64_t index, const JobKey& key,
                               std::vector<Opened>* opened);
  // After the job KEY was registered or stopped: deployments of older versions end.
  TableMask EndDeployments(Tables* tables, std::uint64_t index, const JobKey& key);
  // Makes STEP of the deployment BEFORE a part of a write, and sets its timer.
  TableMask PutStep(Tables* tables, std::uint64_t index, const Deployment& before,
                    const DeploymentStep& step, std::vector<Opened>* opened);
  // Lets the blocked evaluation of the job KEY plan the whole job when it goes on.
  void PlanAnew(const Tables& tables, const JobKey& key);
  // Returns the time by which the deadlines of the deployment ID are meant: the wall clock as it
  // was set when this agent first saw the deployment. So a clock that is set later changes no
  // deadline.
  WallTime DeploymentNow(const std::string& id);
  // Carries out a request about a deployment. MAKE says what it changes. CAUSE is that of the
  // write.
  Result<DeploymentReply> ChangeDeployment(
      const std::string& id, std::string_view cause,
      const std::function<Result<DeploymentStep>(const DeploymentInput&)>& make);
  // After the job KEY was registered, stopped or purged: sets its launch and its timer. In
  // scheduler_periodic.cc.
  TableMask PlanLaunch(Tables* tables, std::uint64_t index, const JobKey& key);
  // Returns the time after which the job KEY launches, whose newest launch was NEWEST, which may be
  // null.
  WallTime LastLaunch(const JobKey& key, const PeriodicLaunch* newest, WallTime now);
  bool IsCrowded(const JobKey& key, std::size_t pending);
  JobReply Launch(const JobRecord& parent, WallTime launch, bool skip);
  // Registers a job that another one starts, and calls ALSO in the same write.
  JobReply StartChild(const ChildJob& child, const std::string& triggered_by,
                      const std::function<void(Tables*, std::uint64_t)>& also);
  // Returns error kInvalidArgument if JOB starts children and the stored job does not, or the other
  // way round. [part of Register and Plan]
  Status CheckKind(const Job& job) const;
  void Report(const Error& error) const;
  // Stores the follow-up evaluations of a plan and notes them in their allocations. In
  // scheduler_followups.cc.
  TableMask PutFollowUps(Tables* tables, std::uint64_t index, const Evaluated& evaluated);
  // Stores the deployments of a plan, and sets their timers.
  TableMask PutDeployments(Tables* tables, const Evaluated& evaluated);
  // After reports of failed allocations of the jobs: evaluates those that get a replacement.
  void OpenForFailures(Tables* tables, std::uint64_t index, const std::set<JobKey>& jobs,
                       std::vector<Opened>* opened);

  // Makes an evaluation of the job and cancels the open evaluations of that job. The new evaluation
  // does the work of the canceled ones.
  Opened Open(Tables* tables, std::uint64_t index, const JobKey& key, const Cause& cause);
  static JobReply ReplyOf(const Evaluation& eval, std::uint64_t job_modify_index);
  // Carries out evaluations in a separate write. The journal receives this write together with the
  // write that made the evaluations. So the store never contains an evaluation that was not
  // carried out.
  void CarryOut(const std::vector<Opened>& opened);
  void CarryOutTogether(const std::vector<Opened>& opened);  // a part of it, in one write
  void Keep(std::vector<Evaluated> evaluated);
  // Cancels the open evaluations of the job: those that wait for their time if FOLLOW_UPS is true,
  // and otherwise the others. WHY is what people read.
  void CancelOpen(Tables* tables, std::uint64_t index, const JobKey& key, bool follow_ups,
                  std::string_view why);
  Result<JobReply> Evaluate(const JobKey& key, bool forced);
  void KeepWaiting(Evaluated* evaluated);
  // Marks the allocations that must leave the draining NODE now. Returns the new evaluations of
  // their jobs.
  std::vector<Opened> MigrateFrom(Tables* tables, std::uint64_t index, const NodeRecord& node,
                                  TableMask* written);
  // Does the work that is due for a node. Returns how soon the next call is due.
  Duration LookAt(const std::string& node_id);
  // Which jobs a change of a node concerns, in scheduler_contact.cc.
  enum class ForNode {
    kGone,  // those with live allocations on it
    kNew,   // those that run on each node and have nothing on it
    kBack,  // both of these
    kAll,   // those with live allocations on it, and all that run on each node
  };
  void OpenForNode(Tables* tables, std::uint64_t index, const std::string& node_id, ForNode which,
                   std::vector<Opened>* opened);
  void LoseStopped(Tables* tables, std::uint64_t index, const std::string& node_id);
  // PutStatus is a part of a write, and SetStatus is a write of its own.
  TableMask PutStatus(Tables* tables, std::uint64_t index, const std::string& node_id,
                      std::string_view status, std::vector<Opened>* opened);
  void SetStatus(const std::string& node_id, std::string_view status);
  PortPool* PortsOf(const std::string& node_id) const {
    return options_.ports_of ? options_.ports_of(node_id) : ports_;
  }
  RoomOptions HowToPlace() const;
  // Continues the drain of a node, if it has one. Returns how soon the next call is due.
  Duration ContinueDrain(const std::string& node_id);
  // After reports of the node REPORTED, whose allocations may replace those of other nodes.
  void ContinueOtherDrains(const std::string& reported);
  // Tries blocked evaluations again. If the node has changed, tries all blocked evaluations.
  // Otherwise, tries only those that wait for room or for an event in FREED.
  void RetryBlocked(Freed freed);
  // The same, until an evaluation displaces allocations. Then it returns true, and must be called
  // again. What displaces others makes no room for those before it: each evaluation of TRIED, to
  // which this adds what it tries, is left out.
  bool RetryUntilDisplaced(Freed* freed, std::set<std::string>* tried);
  Result<std::uint64_t> PutVersion(const JobKey& key,
                                   const std::function<Result<JobRecord>(const Tables&)>& change);
  Status CheckIndex(const JobRegistration& registration, const JobKey& key) const;
  // Returns the variable KEY as it is, and whether it conflicts with CHECK_INDEX.
  VariableReply LookAtVariable(const VariableKey& key,
                               std::optional<std::uint64_t> check_index) const;
  Status CheckVariableRoom(const VariableRecord* before, std::size_t bytes) const;

  Loop* const loop_;
  StateStore* const store_;
  PortPool* const ports_;
  const SchedulerOptions options_;
  BlockedQueue blocked_;
  // The index of the table of nodes when all blocked evaluations were last tried.
  std::uint64_t nodes_looked_at_ = 0;
  // The time at which each node counts as down unless a heartbeat arrives, by node id.
  std::map<std::string, TimePoint> expected_;
  // Nodes that have registered since this object was made.
  std::set<std::string> registered_;
  // Nodes whose heartbeats have come again, and that have not reported all allocations yet.
  std::set<std::string> returning_;
  SchedulerTimers timers_;
  // The times after which jobs launch whose newest launch is in the future, by job.
  std::map<JobKey, WallTime> launches_from_;
  std::set<JobKey> crowded_;  // periodic jobs with too many pending children
  // By how much the wall clock was ahead of the loop's when this agent first saw a deployment, by
  // id. Only of active deployments.
  std::map<std::string, WallTime> deployment_clocks_;
  Event looks_again_;  // wakes Run, which then checks when its next work is due
};

}  // namespace drover
