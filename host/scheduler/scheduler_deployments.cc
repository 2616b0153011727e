// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Deployments: what clients ask of them, and how they go on.
#include <algorithm>
#include <utility>

#include "host/deployment/deployment_watch.h"
#include "host/reconcile/reschedule.h"
#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

constexpr TableMask kOfDeployments = MaskOf(Table::kDeployments);
// So many deployments are looked at before other work of the loop gets its turn.
constexpr int kDeploymentsAtOnce = 1000;

using DeploymentStepMaker = std::function<Result<DeploymentStep>(const DeploymentInput&)>;

DeploymentInput ViewOf(const Tables& tables, const Deployment& deployment, WallTime now) {
  const JobKey key = KeyOf(deployment);
  DeploymentInput view;
  view.deployment = &deployment;
  view.job = Tables::Find(tables.jobs, key).get();
  view.allocs = &tables.AllocsOf(key);
  const auto versions = tables.versions.find(key);
  if (versions != tables.versions.end()) view.versions = &versions->second;
  view.now = now;
  view.nodes = &tables.nodes;
  view.is_replaced = [now](const AllocRecord& record) {
    const TaskGroup* const group = record.alloc->group();
    return record.alloc->job->type == JobType::kService && group != nullptr &&
           RescheduleTime(group->reschedule, record, now).has_value();
  };
  return view;
}

bool ChangesNothing(const DeploymentStep& step) {
  return !step.changed && !step.evaluate && step.no_canary.empty() && step.reschedule.empty() &&
         step.health.empty();
}

// Returns the records that STEP changes, changed.
std::map<std::string, AllocRecord> ChangedBy(const DeploymentStep& step, const Tables& tables,
                                             std::uint64_t index, WallTime now) {
  std::map<std::string, AllocRecord> all;
  const auto change = [&](const std::string& id) -> AllocRecord* {
    const auto record = Tables::Find(tables.allocs, id);
    if (record == nullptr) return nullptr;
    AllocRecord& changed = all.try_emplace(id, *record).first->second;
    changed.modify_index = index;
    changed.modify_time = now;
    return &changed;
  };
  for (const auto& [id, health] : step.health) {
    AllocRecord* const record = change(id);
    if (record == nullptr) continue;
    record->reported.health = health;
    if (health.healthy) record->reschedule = false;
  }
  for (const std::string& id : step.reschedule) {
    if (AllocRecord* const record = change(id)) record->reschedule = true;
  }
  for (const std::string& id : step.no_canary) {
    AllocRecord* const record = change(id);
    if (record == nullptr) continue;
    // The node learns of it, and changes the tags of its services.
    auto alloc = std::make_shared<Allocation>(*record->alloc);
    alloc->canary = false;
    alloc->modify_index = alloc->alloc_modify_index = index;
    alloc->modify_time = now;
    record->alloc = std::move(alloc);
  }
  return all;
}

// Marks the version NUMBER of a job as stable.
TableMask MarkStable(Tables* tables, std::uint64_t index, const JobKey& key, std::uint64_t number) {
  const auto versions = tables->versions.find(key);
  if (versions == tables->versions.end()) return 0;
  const auto version = Tables::Find(versions->second, number);
  if (version == nullptr || version->stable) return 0;
  auto stable = std::make_shared<JobRecord>(*version);
  stable->stable = true;
  stable->modify_index = index;
  tables->PutVersion(key, std::move(stable));
  return MaskOf(Table::kJobs);
}

// Makes the version NUMBER the newest version of its job. The node has taken it before, so nothing
// is checked again. What the machine lacks by now, the evaluation finds out.
TableMask GoBack(Tables* tables, std::uint64_t index, const JobKey& key, std::uint64_t number,
                 WallTime now) {
  const auto newest = tables->jobs.at(key);
  const auto version = Tables::Find(tables->versions.at(key), number);
  DROVER_CHECK(version != nullptr);
  auto record = std::make_shared<JobRecord>();
  record->job = version->job;
  record->json = version->json;
  record->submission = version->submission;
  record->version = newest->version + 1;
  record->submit_time = now;
  record->create_index = newest->create_index;
  record->modify_index = record->job_modify_index = index;
  record->scaling = ScalingOf(*record->job, newest->scaling, index);
  const bool scales = record->scaling != newest->scaling;
  tables->Put(key, std::move(record));
  return MaskOf(Table::kJobs) | (scales ? MaskOf(Table::kScaling) : 0);
}

// Returns whether nothing needs the record of a deployment any more. The newest one of a job says
// which version of it has failed.
bool MayCollect(const Tables& tables, const Deployment& deployment, WallTime ended_before) {
  if (deployment.active() || deployment.modify_time >= ended_before) return false;
  const JobKey key = KeyOf(deployment);
  if (const auto job = Tables::Find(tables.jobs, key)) {
    const auto newest = tables.DeploymentOf(*job);
    if (newest != nullptr && newest->id == deployment.id) return false;
  }
  return std::ranges::none_of(tables.AllocsOf(key), [&deployment](const auto& record) {
    return !record->terminal() && record->alloc->deployment_id == deployment.id;
  });
}

}  // namespace

TableMask Scheduler::PutStep(Tables* tables, std::uint64_t index, const Deployment& before,
                             const DeploymentStep& step, std::vector<Opened>* opened) {
  const JobKey key = KeyOf(before);
  const WallTime now = loop_->Wall();
  TableMask written = 0;
  for (auto& [id, record] : ChangedBy(step, *tables, index, now)) {
    tables->Put(std::make_shared<const AllocRecord>(record));
    written |= MaskOf(Table::kAllocs);
    if (!step.no_canary.empty()) written |= MaskOf(Table::kWanted);
  }
  if (step.changed) {
    auto changed = std::make_shared<Deployment>(*step.changed);
    changed->modify_index = index;
    changed->modify_time = now;
    tables->Put(std::move(changed));
    written |= kOfDeployments;
  }
  if (step.stable) written |= MarkStable(tables, index, key, before.job_version);
  if (step.revert_to) {
    written |= GoBack(tables, index, key, *step.revert_to, now) | PlanLaunch(tables, index, key);
  }
  if (step.changed && step.changed->status == deployment_status::kPaused) PlanAnew(*tables, key);
  const bool active = step.changed ? step.changed->active() : before.active();
  const SchedulerTimers::Key timer(SchedulerTimers::Kind::kDeployment, before.id);
  if (step.evaluate && tables->jobs.contains(key)) {
    const auto is_of_job = [&key](const Opened& of) { return KeyOf(of.eval) == key; };
    if (std::ranges::none_of(*opened, is_of_job)) {
      opened->push_back(
          Open(tables, index, key, {"deployment-watcher", false, before.eval_priority}));
      written |= MaskOf(Table::kEvals);
    }
  }
  if (!active) {
    timers_.Erase(timer);
    deployment_clocks_.erase(before.id);
  } else if (step.evaluate) {
    timers_.Set(timer, loop_->Now());  // looks at what the evaluation has done
  } else if (step.look_again != 0) {
    timers_.Set(timer, loop_->Now() + Duration(step.look_again - DeploymentNow(before.id)));
  } else {
    timers_.Erase(timer);
  }
  if (active && !ChangesNothing(step)) looks_again_.Set();
  return written;
}

// What waits for room was planned before the pause, which may forbid it.
void Scheduler::PlanAnew(const Tables& tables, const JobKey& key) {
  for (const std::string_view id : tables.OpenEvalsOf(key)) {
    const Evaluation& eval = *tables.evals.at(id);
    if (!eval.follows_up()) blocked_.Put(eval, {}, std::nullopt);
  }
}

WallTime Scheduler::DeploymentNow(const std::string& id) {
  const WallTime now = loop_->Now().time_since_epoch().count();
  return now + deployment_clocks_.try_emplace(id, loop_->Wall() - now).first->second;
}

TableMask Scheduler::GoOnWithDeployment(Tables* tables, std::uint64_t index, const JobKey& key,
                                        std::vector<Opened>* opened) {
  const auto job = Tables::Find(tables->jobs, key);
  if (job == nullptr) return 0;
  const auto deployment = tables->DeploymentOf(*job);
  if (deployment == nullptr || !deployment->active()) return 0;
  const DeploymentStep step =
      WatchDeployment(ViewOf(*tables, *deployment, DeploymentNow(deployment->id)));
  return PutStep(tables, index, *deployment, step, opened);
}

TableMask Scheduler::EndDeployments(Tables* tables, std::uint64_t index, const JobKey& key) {
  const auto of_job = tables->deployments_of_job.find(key);
  if (of_job == tables->deployments_of_job.end()) return 0;
  const JobDeployments ids = of_job->second;  // a copy, since Put changes the set
  TableMask written = 0;
  for (const auto& [created, id] : ids) {
    const auto deployment = tables->deployments.at(id);
    if (!deployment->active()) continue;
    const DeploymentStep step =
        WatchDeployment(ViewOf(*tables, *deployment, DeploymentNow(deployment->id)));
    if (!step.changed || step.changed->active()) continue;
    std::vector<Opened> opened;  // the registration evaluates the job
    written |= PutStep(tables, index, *deployment, step, &opened);
    DROVER_CHECK(opened.empty());
  }
  return written;
}

void Scheduler::OnDeployment(const std::string& id) {
  std::shared_ptr<const Deployment> deployment;
  DeploymentStep step;
  store_->Read([&](const Tables& tables) {
    deployment = Tables::Find(tables.deployments, id);
    if (deployment == nullptr || !deployment->active()) return;
    step = WatchDeployment(ViewOf(tables, *deployment, DeploymentNow(id)));
  });
  if (deployment == nullptr || !deployment->active()) return;
  if (ChangesNothing(step)) {
    if (step.look_again != 0) {
      timers_.Set({SchedulerTimers::Kind::kDeployment, id},
                  loop_->Now() + Duration(step.look_again - DeploymentNow(id)));
    }
    return;
  }
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  store_->Write(cause::kDeploymentStatus, [&](Tables* tables, std::uint64_t index) {
    return PutStep(tables, index, *deployment, step, &opened);
  });
  CarryOut(opened);
}

Result<DeploymentReply> Scheduler::ChangeDeployment(const std::string& id, std::string_view cause,
                                                    const DeploymentStepMaker& make) {
  std::shared_ptr<const Deployment> deployment;
  Result<DeploymentStep> step = Error(Code::kNotFound, "deployment not found");
  DeploymentReply reply;
  store_->Read([&](const Tables& tables) {
    deployment = Tables::Find(tables.deployments, id);
    reply.index = tables.last_index;
    if (deployment == nullptr) return;
    const WallTime now = deployment->active() ? DeploymentNow(id) : loop_->Wall();
    step = make(ViewOf(tables, *deployment, now));
  });
  if (!step.ok()) return step.error();
  reply.deployment_modify_index = deployment->modify_index;
  reply.reverted_version = step->revert_to;
  if (ChangesNothing(*step)) return reply;
  const StateStore::Together together(store_);
  std::vector<Opened> opened;
  reply.index = store_->Write(cause, [&](Tables* tables, std::uint64_t index) {
    return PutStep(tables, index, *deployment, *step, &opened);
  });
  if (step->changed) reply.deployment_modify_index = reply.index;
  CarryOut(opened);
  if (opened.empty()) return reply;
  reply.eval_id = opened[0].eval.id;
  reply.eval_create_index = opened[0].eval.create_index;
  return reply;
}

Result<DeploymentReply> Scheduler::PauseDeployment(const std::string& id, bool pause) {
  return ChangeDeployment(id, cause::kDeploymentStatus, [pause](const DeploymentInput& view) {
    return drover::PauseDeployment(view, pause);
  });
}

Result<DeploymentReply> Scheduler::PromoteDeployment(const std::string& id,
                                                     const std::vector<std::string>& groups) {
  return ChangeDeployment(id, cause::kDeploymentPromotion, [&groups](const DeploymentInput& view) {
    return drover::PromoteDeployment(view, groups);
  });
}

Result<DeploymentReply> Scheduler::FailDeployment(const std::string& id) {
  return ChangeDeployment(id, cause::kDeploymentStatus, &drover::FailDeployment);
}

Result<DeploymentReply> Scheduler::UnblockDeployment(const std::string& id) {
  return ChangeDeployment(id, cause::kDeploymentStatus, &drover::UnblockDeployment);
}

Result<DeploymentReply> Scheduler::SetDeploymentHealth(const std::string& id,
                                                       const std::vector<std::string>& healthy,
                                                       const std::vector<std::string>& unhealthy) {
  return ChangeDeployment(id, cause::kDeploymentHealth, [&](const DeploymentInput& view) {
    return drover::SetDeploymentHealth(view, healthy, unhealthy);
  });
}

Result<JobReply> Scheduler::Revert(const JobKey& key, std::uint64_t number,
                                   std::optional<std::uint64_t> enforced) {
  std::shared_ptr<const JobRecord> newest, version;
  store_->Read([&](const Tables& tables) {
    newest = Tables::Find(tables.jobs, key);
    if (newest != nullptr) version = Tables::Find(tables.versions.at(key), number);
  });
  if (newest == nullptr) return Error(Code::kNotFound, "job not found");
  if (enforced && *enforced != newest->version) {
    return Error(Code::kFailedPrecondition, "Current job has version " +
                                                std::to_string(newest->version) +
                                                "; enforcing version " + std::to_string(*enforced));
  }
  if (number == newest->version) {
    return Error(Code::kFailedPrecondition, "can't revert to current version");
  }
  if (version == nullptr) {
    return Error(Code::kFailedPrecondition, "job \"" + key.second + "\" in namespace \"" +
                                                key.first + "\" at version " +
                                                std::to_string(number) + " not found");
  }
  JobRegistration registration{version->job, version->json.Whole(), newest->job_modify_index,
                               version->submission};
  return Register(std::move(registration));
}

Co<Status> Scheduler::CollectDeployments(Context context, WallTime ended_before) {
  std::string last;
  while (true) {
    std::vector<std::shared_ptr<const Deployment>> gone;
    bool done = false;
    store_->Read([&](const Tables& tables) {
      auto at = last.empty() ? tables.deployments.begin() : tables.deployments.upper_bound(last);
      for (int looked = 0; looked < kDeploymentsAtOnce && at != tables.deployments.end();
           ++looked, ++at) {
        last = at->first;
        if (MayCollect(tables, *at->second, ended_before)) gone.push_back(at->second);
      }
      done = at == tables.deployments.end();
    });
    if (!gone.empty()) {
      store_->Write(cause::kJobsCollected, [&](Tables* tables, std::uint64_t) {
        for (const auto& deployment : gone) tables->Erase(*deployment);
        return kOfDeployments;
      });
    }
    if (done) co_return Status();
    co_await NextTurn(loop_);
    if (context.cancelled()) co_return context.status();
  }
}

}  // namespace drover
