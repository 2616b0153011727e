// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for restarts of jobs that the agent carries out by itself. Nomad has no such routes.
#include <algorithm>

#include "host/api/router.h"
#include "host/base/ids.h"
#include "host/encode/encode.h"
#include "host/job_restart/restart_plan.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr TableMask kOfRestarts = MaskOf(Table::kRestarts);

using Restart = std::shared_ptr<const JobRestart>;

// Returns the restarts of the job KEY, the newest first.
std::vector<Restart> RestartsOf(const Tables& tables, const JobKey& key) {
  std::vector<Restart> all;
  const auto found = tables.restarts_of_job.find(key);
  if (found == tables.restarts_of_job.end()) return all;
  for (const auto& [created, id] : found->second) all.push_back(tables.restarts.at(id));
  std::ranges::reverse(all);
  return all;
}

// What a request has started; the id is empty if there was nothing to restart.
struct Begun {
  std::string id;
  std::uint64_t index = 0;
};

// [control]
Result<Begun> Begin(const ApiAgent& agent, const JobKey& key, const RestartRequest& request) {
  Result<JobRestart> made = Error(Code::kNotFound, "job not found");
  Begun begun;
  agent.store->Read([&](const Tables& tables) {
    begun.index = tables.last_index;
    const auto job = Tables::Find(tables.jobs, key);
    if (job == nullptr) return;
    for (const Restart& other : RestartsOf(tables, key)) {
      if (other->status != "running") continue;
      made =
          Error(Code::kFailedPrecondition, "the restart " + other->id +
                                               " of the job is under way: wait for it, or cancel "
                                               "it first");
      return;
    }
    const auto deployment = tables.DeploymentOf(*job);
    if (deployment != nullptr && deployment->active()) {
      made = Error(Code::kFailedPrecondition,
                   "Deployment \"" + deployment->id + "\" is \"" + deployment->status + "\"");
      return;
    }
    made = MakeRestart(request, *job, tables.AllocsOf(key));
  });
  if (!made.ok()) return made.error();
  if (made->allocs.empty()) return begun;
  made->id = begun.id = RandomUuid();
  DROVER_ASSIGN(begun.index, agent.scheduler->PutRestart(std::move(*made)));
  return begun;
}

Co<Answer> BeginRestart(ApiRequest* request) {
  json body = json::object();
  if (!request->http().body.empty()) {
    DROVER_CO_ASSIGN(body, request->Body());
  }
  DROVER_CO_ASSIGN(const RestartRequest wanted, ReadRestartRequest(body));
  const JobKey key(request->Namespace(), request->parameter(0));
  const ApiAgent& agent = request->agent();
  const Result<Begun> begun =
      co_await request->ControlNow([&] { return Begin(agent, key, wanted); });
  if (begun.code() == Code::kFailedPrecondition) {
    co_return ErrorAnswer(500, begun.error().message());
  }
  if (!begun.ok()) co_return begun.error();
  co_return JsonAnswer({{"RestartID", begun->id}, {"Index", begun->index}}, begun->index);
}

Co<Answer> ListRestarts(ApiRequest* request) {
  const JobKey key(request->Namespace(), request->parameter(0));
  return AnswerRead(request, kOfRestarts, [key](const Tables& tables) {
    return Found{tables.IndexOf(kOfRestarts), [all = RestartsOf(tables, key)] {
                   JsonListText list;
                   for (const Restart& restart : all) list.Add(EncodeJobRestart(*restart));
                   return std::move(list).Take();
                 }};
  });
}

// [control]
Result<std::uint64_t> Cancel(const ApiAgent& agent, const JobKey& key, const std::string& id) {
  Restart restart;
  agent.store->Read([&](const Tables& tables) { restart = Tables::Find(tables.restarts, id); });
  if (restart == nullptr || KeyOf(*restart) != key) {
    return Error(Code::kNotFound, "job restart not found");
  }
  if (restart->status != "running") return restart->modify_index;
  JobRestart canceled = *restart;
  canceled.status = "canceled";
  canceled.status_description = "Job restart canceled";
  canceled.next_batch = 0;
  return agent.scheduler->PutRestart(std::move(canceled));
}

Co<Answer> CancelRestart(ApiRequest* request) {
  const std::string id = request->Text("id");
  if (id.empty()) co_return ErrorAnswer(400, "?id must name the restart to cancel");
  const JobKey key(request->Namespace(), request->parameter(0));
  const ApiAgent& agent = request->agent();
  const Result<std::uint64_t> index =
      co_await request->ControlNow([&] { return Cancel(agent, key, id); });
  if (!index.ok()) co_return index.error();
  co_return JsonAnswer({{"Index", *index}}, *index);
}

}  // namespace

std::vector<Route> JobRestartRoutes() {
  return {
      {"PUT POST", "/v1/job/**/restart", BeginRestart},
      {"GET", "/v1/job/**/restart", ListRestarts},
      {"PUT POST", "/v1/job/**/restart/cancel", CancelRestart},
  };
}

}  // namespace drover
