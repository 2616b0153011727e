// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes that change an existing job without its full text: they change the number of allocations
// of a task group.
#include <limits>

#include "host/api/router.h"
#include "host/encode/encode.h"
#include "host/spec/canonical_job.h"
#include "host/spec/job_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfJob = MaskOf(Table::kJobs) | MaskOf(Table::kAllocs);

std::shared_ptr<const JobRecord> FindJob(const ApiRequest& request) {
  const JobKey key(request.Namespace(), request.parameter(0));
  std::shared_ptr<const JobRecord> job;
  request.agent().store->Read([&](const Tables& tables) { job = Tables::Find(tables.jobs, key); });
  return job;
}

Answer NoSuchJob() { return ErrorAnswer(404, "job not found"); }

// Returns why JOB must not get another version that nobody has thought about, which would end its
// deployment; empty if it may.
std::string WhyNotNow(const ApiRequest& request, const JobRecord& job) {
  std::shared_ptr<const Deployment> newest;
  request.agent().store->Read([&](const Tables& tables) { newest = tables.DeploymentOf(job); });
  if (newest == nullptr || !newest->active()) return "";
  return "job scaling blocked due to active deployment " + newest->id +
         ": scale it when the deployment has ended, or fail the deployment before";
}

// Registers a job that was made from the stored job. Fails if the stored job has changed since it
// was read for this purpose.
Co<Answer> Register(ApiRequest* request, JobRegistration registration) {
  Scheduler* const scheduler = request->agent().scheduler;
  const Result<JobReply> reply = co_await request->ControlJob(
      registration.job, [scheduler, &registration] { return scheduler->Register(registration); });
  if (!reply.ok()) co_return ErrorAnswer(500, reply.error().message());
  co_return JsonAnswer(EncodeJobReply(*reply), reply->index);
}

// Returns an error if the scaling policy of GROUP forbids COUNT.
Status CheckBounds(const TaskGroup& group, int count) {
  if (!group.scaling) return {};
  const auto fault = [count](const char* what, const char* sign, int bound) {
    return Error(Code::kInvalidArgument, std::string("group count was ") + what + ": " +
                                             std::to_string(count) + sign + std::to_string(bound));
  };
  const ScalingPolicy& policy = *group.scaling;
  if (count < policy.min) return fault("less than scaling policy minimum", " < ", policy.min);
  if (count > policy.max) return fault("greater than scaling policy maximum", " > ", policy.max);
  return {};
}

// Returns a registration of JOB in which the task group GROUP has COUNT allocations, or an error if
// this is impossible.
Result<JobRegistration> WithCount(const JobRecord& job, const std::string& group, int count) {
  if (job.job->type == JobType::kSystem) {
    return Error(Code::kInvalidArgument, "cannot scale jobs of type \"system\"");
  }
  json scaled = job.json.Copy();
  bool found = false;
  for (json& one : scaled["TaskGroups"]) {
    if (one.value("Name", "") != group) continue;
    one["Count"] = count;
    found = true;
  }
  if (!found) {
    return Error(Code::kInvalidArgument,
                 "task group \"" + group + "\" specified for scaling does not exist in job");
  }
  DROVER_TRY(CheckBounds(*FindGroup(*job.job, group), count));
  std::vector<JobFault> faults;
  const Result<Job> parsed = ParseJob(json{{"Job", scaled}}.dump(), &faults);
  if (!parsed.ok()) {
    return Error(Code::kInvalidArgument, faults.empty()
                                             ? parsed.error().message()
                                             : faults[0].pointer + ": " + faults[0].message);
  }
  JobRegistration registration;
  registration.json = std::make_shared<const json>(CanonicalJob(*parsed, scaled));
  registration.job = std::make_shared<const Job>(*parsed);
  registration.enforce_index = job.job_modify_index;
  // A stopped job stays stopped, and uses the new count when it is started again.
  registration.stop = job.stop;
  registration.triggered_by = "job-scaling";
  return registration;
}

Co<Answer> ScaleJob(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  const json count = Field<json>(body, "Count");
  const std::string group =
      Field<std::string>(Field<json>(body, "Target", json::object()), "Group");
  if (group.empty()) co_return ErrorAnswer(400, "missing task group name for scaling action");
  if (!count.is_null() && !count.is_number_integer()) {
    co_return ErrorAnswer(400, "Count must be a whole number");
  }
  if (!count.is_null() && count < 0) {
    co_return ErrorAnswer(400, "scaling action count can't be negative");
  }
  if (!count.is_null() && count > std::numeric_limits<int>::max()) {
    co_return ErrorAnswer(400, "scaling action count is too large");
  }
  const auto job = FindJob(*request);
  if (job == nullptr) {
    co_return ErrorAnswer(404, "job \"" + request->parameter(0) + "\" not found");
  }
  if (count.is_null()) {
    co_return ErrorAnswer(501, "scaling events without a Count are not kept by this version");
  }
  DROVER_CO_ASSIGN(JobRegistration scaled, WithCount(*job, group, count.get<int>()));
  if (std::string why = WhyNotNow(*request, *job); !why.empty()) {
    co_return ErrorAnswer(400, std::move(why));
  }
  // Clients send 0 if the job may have any index.
  const auto wanted_index = Field<std::uint64_t>(body, "JobModifyIndex");
  if (wanted_index != 0) scaled.enforce_index = wanted_index;
  co_return co_await Register(request, std::move(scaled));
}

Co<Answer> ReadScale(ApiRequest* request) {
  return AnswerRead(request, kOfJob, [request](const Tables& tables) {
    const auto job = Tables::Find(tables.jobs, JobKey(request->Namespace(), request->parameter(0)));
    if (job == nullptr) return Found{tables.IndexOf(kOfJob), [] { return NoSuchJob(); }};
    return Found{tables.IndexOf(kOfJob), [job, allocs = AllocsOf(*job, tables)] {
                   json groups = json::object();
                   for (const TaskGroup& group : job->job->groups) {
                     int placed = 0, running = 0, healthy = 0, unhealthy = 0;
                     for (const auto& record : allocs) {
                       if (record->alloc->group_name != group.name || record->terminal()) continue;
                       ++placed;
                       running += record->reported.status.status == ClientStatus::kRunning ? 1 : 0;
                       const auto& health = record->reported.health;
                       if (health) ++(health->healthy ? healthy : unhealthy);
                     }
                     groups[group.name] = {{"Desired", job->stop ? 0 : group.count},
                                           {"Placed", placed},
                                           {"Running", running},
                                           {"Healthy", healthy},
                                           {"Unhealthy", unhealthy},
                                           {"Events", json::array()}};
                   }
                   return JsonAnswer({{"JobID", job->job->id},
                                      {"Namespace", job->job->job_namespace},
                                      {"JobCreateIndex", job->create_index},
                                      {"JobModifyIndex", job->job_modify_index},
                                      {"JobStopped", job->stop},
                                      {"TaskGroups", std::move(groups)}});
                 }};
  });
}

}  // namespace

std::vector<Route> JobChangeRoutes() {
  return {
      {"PUT POST", "/v1/job/**/scale", ScaleJob},
      {"GET", "/v1/job/**/scale", ReadScale},
  };
}

}  // namespace drover
