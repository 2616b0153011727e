// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for deployments: lists, single ones, and what clients ask of them.
#include <algorithm>
#include <cstdio>

#include "host/api/router.h"
#include "host/encode/encode.h"
#include "host/filter/list_filter.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfDeployments = MaskOf(Table::kDeployments);

using Deployments = std::vector<std::shared_ptr<const Deployment>>;

Answer NoSuchDeployment() { return ErrorAnswer(404, "deployment not found"); }

// Lists the oldest deployments first, so new ones appear on the last page.
Co<Answer> OldestDeployments(ApiRequest* request, const Deployments& deployments) {
  std::vector<ListItem> items;
  items.reserve(deployments.size());
  for (const auto& deployment : deployments) {
    char index[24];
    std::snprintf(index, sizeof index, "%020llu.",
                  static_cast<unsigned long long>(deployment->create_index));
    items.push_back(
        {index + deployment->id, [deployment] { return EncodeDeployment(*deployment); }});
  }
  std::ranges::sort(items, {}, &ListItem::key);
  return ListAnswer(request, std::move(items));
}

Co<Answer> ListDeployments(ApiRequest* request) {
  const std::string prefix = request->Text("prefix");
  return AnswerRead(request, kOfDeployments, [request, prefix](const Tables& tables) {
    Deployments found;
    for (auto at = tables.deployments.lower_bound(prefix);
         at != tables.deployments.end() && at->first.starts_with(prefix); ++at) {
      if (request->MayList(at->second->job_namespace, {Capability::kReadJob})) {
        found.push_back(at->second);
      }
    }
    return Found{tables.IndexOf(kOfDeployments),
                 [request, found = std::move(found)] { return OldestDeployments(request, found); }};
  });
}

Co<Answer> ReadDeployment(ApiRequest* request) {
  return AnswerRead(request, kOfDeployments, [request](const Tables& tables) {
    const auto deployment = Tables::Find(tables.deployments, request->parameter(0));
    if (deployment == nullptr) {
      return Found{tables.IndexOf(kOfDeployments), [] { return NoSuchDeployment(); }};
    }
    return Found{deployment->modify_index,
                 [deployment] { return JsonAnswer(EncodeDeployment(*deployment)); }};
  });
}

Co<Answer> ListAllocsOfDeployment(ApiRequest* request) {
  return AnswerRead(request, MaskOf(Table::kAllocs), [request](const Tables& tables) {
    AllocRecords records;
    const std::string& id = request->parameter(0);
    if (const auto deployment = Tables::Find(tables.deployments, id)) {
      for (const auto& record : tables.AllocsOf(KeyOf(*deployment))) {
        if (record->alloc->deployment_id == id) records.push_back(record);
      }
    }
    return Found{tables.IndexOf(MaskOf(Table::kAllocs)), [records = std::move(records)] {
                   JsonListText list;
                   for (const auto& record : records) list.Add(EncodeAllocStub(*record, {}));
                   return std::move(list).Take();
                 }};
  });
}

// Returns the deployments of the job that the path names, the oldest first. Those of a purged job
// of the same id count only with ALL, or while there is no such job.
Deployments DeploymentsOfJob(const ApiRequest& request, const Tables& tables, bool all) {
  const JobKey key(request.Namespace(), request.parameter(0));
  Deployments found;
  const auto ids = tables.deployments_of_job.find(key);
  if (ids == tables.deployments_of_job.end()) return found;
  const auto job = Tables::Find(tables.jobs, key);
  for (const auto& [index, id] : ids->second) {
    const auto& deployment = tables.deployments.at(id);
    if (!all && job != nullptr && deployment->job_create_index != job->create_index) continue;
    found.push_back(deployment);
  }
  return found;
}

Co<Answer> ListDeploymentsOfJob(ApiRequest* request) {
  const bool all = request->Flag("all");
  return AnswerRead(request, kOfDeployments, [request, all](const Tables& tables) {
    return Found{tables.IndexOf(kOfDeployments), [found = DeploymentsOfJob(*request, tables, all)] {
                   JsonListText list;
                   for (const auto& deployment : found) list.Add(EncodeDeployment(*deployment));
                   return std::move(list).Take();
                 }};
  });
}

Co<Answer> ReadDeploymentOfJob(ApiRequest* request) {
  return AnswerRead(request, kOfDeployments, [request](const Tables& tables) {
    const Deployments found = DeploymentsOfJob(*request, tables, false);
    const auto newest = found.empty() ? nullptr : found.back();
    return Found{tables.IndexOf(kOfDeployments), [newest] {
                   return JsonAnswer(newest == nullptr ? json() : EncodeDeployment(*newest));
                 }};
  });
}

// Calls CHANGE with the id of the deployment that the path names, and answers with its result.
Co<Answer> ChangeDeployment(
    ApiRequest* request,
    std::function<Result<DeploymentReply>(Scheduler*, const std::string& id)> change) {
  const std::string id = request->parameter(0);
  const Result<DeploymentReply> reply = co_await request->ControlNow(
      [scheduler = request->agent().scheduler, &change, &id] { return change(scheduler, id); });
  if (reply.code() == Code::kFailedPrecondition) {
    co_return ErrorAnswer(500, reply.error().message());
  }
  if (!reply.ok()) co_return reply.error();
  const auto& reverted = reply->reverted_version;
  co_return JsonAnswer({{"EvalID", reply->eval_id},
                        {"EvalCreateIndex", reply->eval_create_index},
                        {"DeploymentModifyIndex", reply->deployment_modify_index},
                        {"RevertedJobVersion", reverted ? json(*reverted) : json()},
                        {"Index", reply->index}},
                       reply->index);
}

// Reads the body of a request, which must name the deployment of the path.
Result<json> BodyFor(const ApiRequest& request) {
  DROVER_ASSIGN(json body, request.Body());
  const std::string id = Field<std::string>(body, "DeploymentID");
  if (id.empty()) return Error(Code::kInvalidArgument, "DeploymentID must be specified");
  if (id != request.parameter(0)) {
    return Error(Code::kInvalidArgument, "Deployment ID does not match");
  }
  return body;
}

Co<Answer> FailDeployment(ApiRequest* request) {
  return ChangeDeployment(request, [](Scheduler* scheduler, const std::string& id) {
    return scheduler->FailDeployment(id);
  });
}

Co<Answer> UnblockDeployment(ApiRequest* request) {
  return ChangeDeployment(request, [](Scheduler* scheduler, const std::string& id) {
    return scheduler->UnblockDeployment(id);
  });
}

Co<Answer> PauseDeployment(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, BodyFor(*request));
  const bool pause = Field<bool>(body, "Pause");
  co_return co_await ChangeDeployment(request,
                                      [pause](Scheduler* scheduler, const std::string& id) {
                                        return scheduler->PauseDeployment(id, pause);
                                      });
}

Co<Answer> PromoteDeployment(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, BodyFor(*request));
  auto groups = Field<std::vector<std::string>>(body, "Groups");
  const bool all = Field<bool>(body, "All");
  if (all && !groups.empty()) co_return ErrorAnswer(400, "All and Groups contradict each other");
  if (!all && groups.empty()) {
    co_return ErrorAnswer(400, "All or Groups must say which groups to promote");
  }
  co_return co_await ChangeDeployment(request,
                                      [&groups](Scheduler* scheduler, const std::string& id) {
                                        return scheduler->PromoteDeployment(id, groups);
                                      });
}

Co<Answer> SetHealth(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, BodyFor(*request));
  const auto healthy = Field<std::vector<std::string>>(body, "HealthyAllocationIDs");
  auto unhealthy = Field<std::vector<std::string>>(body, "UnhealthyAllocationIDs");
  if (unhealthy.empty()) {  // as python-nomad writes it
    unhealthy = Field<std::vector<std::string>>(body, "UnHealthyAllocationIDs");
  }
  co_return co_await ChangeDeployment(request, [&](Scheduler* scheduler, const std::string& id) {
    return scheduler->SetDeploymentHealth(id, healthy, unhealthy);
  });
}

}  // namespace

std::vector<Route> DeploymentRoutes() {
  return {
      {"GET", "/v1/deployments", ListDeployments},
      {"GET", "/v1/deployment/allocations/*", ListAllocsOfDeployment},
      {"PUT POST", "/v1/deployment/fail/*", FailDeployment},
      {"PUT POST", "/v1/deployment/pause/*", PauseDeployment},
      {"PUT POST", "/v1/deployment/promote/*", PromoteDeployment},
      {"PUT POST", "/v1/deployment/unblock/*", UnblockDeployment},
      {"PUT POST", "/v1/deployment/allocation-health/*", SetHealth},
      {"GET", "/v1/deployment/*", ReadDeployment},
      {"GET", "/v1/job/**/deployments", ListDeploymentsOfJob},
      {"GET", "/v1/job/**/deployment", ReadDeploymentOfJob},
  };
}

}  // namespace drover
