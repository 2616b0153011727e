// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/change_json.h"

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;

// Returns whether IN, the update block of a job, is one that a server has written: it has moved all
// but two fields into the groups, and left 0.
bool IsMovedIntoGroups(const JobMembers& in) {
  Duration deadline{1};
  in.Read("HealthyDeadline", &deadline);
  return deadline == 0s;
}

// OF_JOB: the block of the whole job.
void ReadRollout(const JobMembers& in, bool of_job, RolloutPolicy* rollout) {
  RolloutPolicy read = *rollout;
  in.Read("MaxParallel", &read.max_parallel);
  in.Read("Stagger", &read.stagger);
  in.Read("ProgressDeadline", &read.progress_deadline);
  in.Read("Canary", &read.canary);
  in.Read("AutoRevert", &read.auto_revert);
  in.Read("AutoPromote", &read.auto_promote);
  if (of_job && read.progress_deadline == 0s && IsMovedIntoGroups(in)) {
    read.progress_deadline = rollout->progress_deadline;
  }
  if (read.stagger == 0s) read.stagger = rollout->stagger;
  *rollout = read;
}

void ReadHealth(const JobMembers& in, UpdatePolicy* health) {
  using HealthCheck = UpdatePolicy::HealthCheck;
  ReadName(in, "HealthCheck", {HealthCheck::kChecks, HealthCheck::kTaskStates}, HealthCheckName,
           &health->health_check);
  in.Read("MinHealthyTime", &health->min_healthy_time);
  Duration deadline{0};
  in.Read("HealthyDeadline", &deadline);
  if (deadline != 0s) health->healthy_deadline = deadline;
}

void ReadReschedule(const JobMembers& in, ReschedulePolicy* policy) {
  in.Read("Attempts", &policy->attempts);
  in.Read("Interval", &policy->interval);
  in.Read("Delay", &policy->delay);
  using Function = ReschedulePolicy::DelayFunction;
  ReadName(in, "DelayFunction", {Function::kConstant, Function::kExponential, Function::kFibonacci},
           DelayFunctionName, &policy->delay_function);
  in.Read("MaxDelay", &policy->max_delay);
  in.Read("Unlimited", &policy->unlimited);
}

void ReadOptional(const JobMembers& in, const char* name, std::optional<Duration>* out) {
  if (in.Find(name) == nullptr) return;
  Duration read{0};
  in.Read(name, &read);
  if (read != 0s) *out = read;
}

void ReadDisconnect(const JobMembers& group, DisconnectPolicy* policy) {
  // The older fields of the group come first: the block wins over them.
  ReadOptional(group, "StopAfterClientDisconnect", &policy->stop_on_client_after);
  ReadOptional(group, "MaxClientDisconnect", &policy->lost_after);
  bool prevent = false;
  group.Read("PreventRescheduleOnLost", &prevent);
  if (prevent) policy->replace = false;
  const JobMembers in = group.Object("Disconnect");
  ReadOptional(in, "LostAfter", &policy->lost_after);
  ReadOptional(in, "StopOnClientAfter", &policy->stop_on_client_after);
  in.Read("Replace", &policy->replace);
  using Reconcile = DisconnectPolicy::Reconcile;
  ReadName(in, "Reconcile",
           {Reconcile::kBestScore, Reconcile::kKeepOriginal, Reconcile::kKeepReplacement,
            Reconcile::kLongestRunning},
           DisconnectReconcileName, &policy->reconcile);
}

}  // namespace

ReschedulePolicy DefaultReschedulePolicy(JobType type) {
  if (type == JobType::kService) return {};
  ReschedulePolicy policy;
  policy.unlimited = false;
  policy.delay_function = ReschedulePolicy::DelayFunction::kConstant;
  policy.max_delay = 0s;
  policy.delay = type == JobType::kBatch ? 5s : 0s;
  if (type != JobType::kBatch) return policy;
  policy.attempts = 1;
  policy.interval = std::chrono::hours(24);
  return policy;
}

void ReadJobChanges(const JobMembers& in, JobType type, TaskGroup* defaults) {
  defaults->reschedule = DefaultReschedulePolicy(type);
  ReadReschedule(in.Object("Reschedule"), &defaults->reschedule);
  ReadRollout(in.Object("Update"), true, &defaults->rollout);
  // A server writes a block of zeros for jobs of the other types. They may have none.
  const bool deploys = type == JobType::kService || type == JobType::kSystem;
  if (!deploys && defaults->rollout.max_parallel == 0) {
    defaults->rollout.max_parallel = RolloutPolicy().max_parallel;
  }
  ReadHealth(in.Object("Migrate"), &defaults->migrate_health);
}

void ReadGroupChanges(const JobMembers& in, TaskGroup* group) {
  ReadReschedule(in.Object("ReschedulePolicy"), &group->reschedule);
  const JobMembers update = in.Object("Update");
  ReadRollout(update, false, &group->rollout);
  // A deadline that nobody has set leaves an allocation the time that it has to become healthy.
  const Duration healthy = group->update.healthy_deadline;
  Duration& progress = group->rollout.progress_deadline;
  if (update.Find("ProgressDeadline") == nullptr && healthy >= progress &&
      progress == RolloutPolicy().progress_deadline && healthy < Duration::max() / 2) {
    progress = healthy + std::chrono::minutes(5);
  }
  ReadHealth(in.Object("Migrate"), &group->migrate_health);
  ReadDisconnect(in, &group->disconnect);
}

void ReadJobStarts(const JobMembers& in, Job* job) {
  in.Read("Dispatched", &job->dispatched);
  in.Read("DispatchIdempotencyToken", &job->dispatch_token);
  in.Read("Payload", &job->payload);
  if (const json* payload = in.Find("Payload"); payload != nullptr && !payload->is_string()) {
    in.Fault("Payload", "must be a text in base64");
  }
  if (in.Find("Periodic") != nullptr) {
    const JobMembers block = in.Object("Periodic");
    PeriodicPolicy& periodic = job->periodic.emplace();
    block.Read("Enabled", &periodic.enabled);
    block.Read("Specs", &periodic.specs);
    std::string spec;
    block.Read("Spec", &spec);
    periodic.one_spec = !spec.empty();
    if (periodic.one_spec && !periodic.specs.empty()) {
      block.Fault("Spec", "is there, but so is Specs; write one of them");
    } else if (periodic.one_spec) {
      periodic.specs.push_back(spec);
    }
    block.Read("ProhibitOverlap", &periodic.prohibit_overlap);
    std::string zone;
    block.Read("TimeZone", &zone);
    if (!zone.empty()) periodic.time_zone = zone;
  }
  if (in.Find("ParameterizedJob") != nullptr) {
    const JobMembers block = in.Object("ParameterizedJob");
    ParameterizedPolicy& policy = job->parameterized.emplace();
    using Payload = ParameterizedPolicy::Payload;
    ReadName(block, "Payload", {Payload::kOptional, Payload::kRequired, Payload::kForbidden},
             PayloadRuleName, &policy.payload);
    block.Read("MetaRequired", &policy.meta_required);
    block.Read("MetaOptional", &policy.meta_optional);
  }
}

void WriteGroupChanges(const TaskGroup& group, JobType type, json* out) {
  if (!(group.migrate_health == UpdatePolicy()) || group.migrate_max_parallel != 1) {
    (*out)["Migrate"] = {{"MaxParallel", group.migrate_max_parallel},
                         {"HealthCheck", HealthCheckName(group.migrate_health.health_check)},
                         {"MinHealthyTime", group.migrate_health.min_healthy_time.count()},
                         {"HealthyDeadline", group.migrate_health.healthy_deadline.count()}};
  }
  if (!(group.update == UpdatePolicy()) || !(group.rollout == RolloutPolicy())) {
    (*out)["Update"] = {{"HealthCheck", HealthCheckName(group.update.health_check)},
                        {"MinHealthyTime", group.update.min_healthy_time.count()},
                        {"HealthyDeadline", group.update.healthy_deadline.count()},
                        {"MaxParallel", group.rollout.max_parallel},
                        {"Stagger", group.rollout.stagger.count()},
                        {"ProgressDeadline", group.rollout.progress_deadline.count()},
                        {"Canary", group.rollout.canary},
                        {"AutoRevert", group.rollout.auto_revert},
                        {"AutoPromote", group.rollout.auto_promote}};
  }
  if (!(group.reschedule == DefaultReschedulePolicy(type))) {
    (*out)["ReschedulePolicy"] = {
        {"Attempts", group.reschedule.attempts},
        {"Interval", group.reschedule.interval.count()},
        {"Delay", group.reschedule.delay.count()},
        {"DelayFunction", DelayFunctionName(group.reschedule.delay_function)},
        {"MaxDelay", group.reschedule.max_delay.count()},
        {"Unlimited", group.reschedule.unlimited}};
  }
  if (!(group.disconnect == DisconnectPolicy())) {
    json& block = (*out)["Disconnect"];
    block = {{"Replace", group.disconnect.replace},
             {"Reconcile", DisconnectReconcileName(group.disconnect.reconcile)}};
    if (group.disconnect.lost_after) block["LostAfter"] = group.disconnect.lost_after->count();
    if (group.disconnect.stop_on_client_after)
      block["StopOnClientAfter"] = group.disconnect.stop_on_client_after->count();
  }
}

void WriteJobStarts(const Job& job, json* out) {
  if (job.dispatched) (*out)["Dispatched"] = true;
  if (!job.dispatch_token.empty()) (*out)["DispatchIdempotencyToken"] = job.dispatch_token;
  if (!job.payload.empty()) (*out)["Payload"] = job.payload;
  if (job.periodic) {
    json& block = (*out)["Periodic"];
    block = {{"Enabled", job.periodic->enabled},
             {"ProhibitOverlap", job.periodic->prohibit_overlap},
             {"TimeZone", job.periodic->time_zone}};
    if (job.periodic->one_spec) {
      block["Spec"] = job.periodic->specs.at(0);
    } else {
      block["Specs"] = job.periodic->specs;
    }
  }
  if (job.parameterized) {
    (*out)["ParameterizedJob"] = {{"Payload", PayloadRuleName(job.parameterized->payload)},
                                  {"MetaRequired", job.parameterized->meta_required},
                                  {"MetaOptional", job.parameterized->meta_optional}};
  }
}

}  // namespace drover
