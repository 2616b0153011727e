// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"
#include "host/base/cpu_timer_for_test.h"
#include "host/encode/encode.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

class JobRouteTest : public ApiFixture {
 protected:
  JobRouteTest() { RegisterNode(); }
  json Group(const std::string& id) { return Get("/v1/job/" + id)["TaskGroups"][0]; }
};

TEST_F(JobRouteTest, ARegistrationIsAnswered) {
  const HttpReply reply = Ask("POST", "/v1/jobs", JobBody("web"));
  const json answer = json::parse(reply.body);
  EXPECT_EQ(HeaderOf(reply, "X-Nomad-Index"), answer["Index"].dump());
  EXPECT_EQ(answer["JobModifyIndex"], answer["Index"]);
  EXPECT_EQ(answer["EvalCreateIndex"], answer["Index"]);
  EXPECT_EQ(answer["Warnings"], "");
  EXPECT_EQ(Eval(answer["EvalID"])->status, "complete");
  EXPECT_EQ(Must("PUT", "/v1/job/web", JobBody("web", 2))["JobModifyIndex"],
            Get("/v1/job/web")["JobModifyIndex"]);
}

TEST_F(JobRouteTest, BodiesThatAreNoRegistration) {
  const std::pair<const char*, const char*> writes[] = {
      {"/v1/jobs", "Job ID hasn't been provided"},
      {"/v1/job/web", "Job ID hasn't been provided"},
      {"/v1/job/web/plan", "Job must have a valid ID"}};
  for (const auto& [path, no_id] : writes) {
    EXPECT_EQ(Refusal("PUT", path), "400 Request body is empty") << path;
    EXPECT_EQ(Refusal("PUT", path, json::object()), "400 Job must be specified") << path;
    EXPECT_EQ(Refusal("PUT", path, {{"Job", json::object()}}), std::string("400 ") + no_id) << path;
  }
  EXPECT_EQ(Refusal("PUT", "/v1/job/a", JobBody("b")), "400 Job ID does not match name");
  EXPECT_EQ(Refusal("PUT", "/v1/job/a/plan", JobBody("b")), "400 Job ID does not match");
  EXPECT_EQ(Refusal("PUT", "/v1/validate/job"), "400 Request body is empty");
  EXPECT_EQ(Refusal("PUT", "/v1/validate/job", json::object()), "400 Job must be specified");
  json twice = JobBody("a");
  twice["Job"]["TaskGroups"][0]["Tasks"].push_back(twice["Job"]["TaskGroups"][0]["Tasks"][0]);
  EXPECT_THAT(Refusal("PUT", "/v1/jobs", twice), StartsWith("500 1 error occurred:\n\t* "));
  EXPECT_EQ(Get("/v1/jobs"), json::array());
}

TEST_F(JobRouteTest, WhatAJobLeavesOutIsFilledIn) {
  json body = JobBody("web");
  body["Job"].erase("Type");
  body["Job"]["TaskGroups"][0].erase("Count");
  Must("PUT", "/v1/jobs", body);
  const json job = Get("/v1/job/web");
  const json wanted = {{"Name", "web"},     {"Namespace", "default"}, {"Region", "global"},
                       {"Type", "service"}, {"Priority", 50},         {"Datacenters", {"*"}},
                       {"Stop", false},     {"NodePool", "default"}};
  for (const auto& [field, value] : wanted.items()) EXPECT_EQ(job[field], value) << field;
  const json group = job["TaskGroups"][0], task = group["Tasks"][0];
  EXPECT_EQ(group["Count"], 1);
  EXPECT_EQ(group["EphemeralDisk"]["SizeMB"], 300);
  EXPECT_EQ(group["RestartPolicy"], json({{"Attempts", 2},
                                          {"Interval", 1'800'000'000'000},
                                          {"Delay", 15'000'000'000},
                                          {"Mode", "fail"},
                                          {"RenderTemplates", false}}));
  EXPECT_EQ(task["Resources"]["CPU"], 100);
  EXPECT_EQ(task["Resources"]["Cores"], 0);
  EXPECT_EQ(task["Resources"]["MemoryMB"], 300);
  EXPECT_EQ(task["LogConfig"],
            json({{"MaxFiles", 10}, {"MaxFileSizeMB", 10}, {"Disabled", false}}));
  EXPECT_EQ(task["KillTimeout"], 5'000'000'000);
  Must("PUT", "/v1/jobs", JobBody("sum", 1, "batch"));
  EXPECT_EQ(Group("sum")["RestartPolicy"]["Attempts"], 3);
  EXPECT_EQ(Group("sum")["RestartPolicy"]["Interval"], 86'400'000'000'000);
}

TEST_F(JobRouteTest, ListsAreChosenFrom) {
  for (const char* id : {"a", "web-1", "web-2"}) Must("PUT", "/v1/jobs", JobBody(id));
  EXPECT_EQ(Get("/v1/jobs?prefix=web").size(), 2u);
  const HttpReply page = Ask("GET", "/v1/jobs?per_page=2");
  EXPECT_EQ(json::parse(page.body).size(), 2u);
  EXPECT_EQ(Get("/v1/jobs?per_page=2&next_token=" + HeaderOf(page, "X-Nomad-NextToken"))[0]["ID"],
            "web-2");
  json body = JobBody("b");
  body["Job"]["Meta"] = {{"owner", "me"}};
  Must("PUT", "/v1/jobs", body);
  EXPECT_FALSE(Get("/v1/jobs?prefix=b")[0].contains("Meta"));
  EXPECT_EQ(Get("/v1/jobs?prefix=b&meta=true")[0]["Meta"]["owner"], "me");
}

TEST_F(JobRouteTest, AListTellsThePoolOfAJob) {
  json body = JobBody("web");
  body["Job"]["NodePool"] = "all";
  Must("PUT", "/v1/jobs", body);
  EXPECT_EQ(Get("/v1/jobs")[0]["NodePool"], "all");
}

TEST_F(JobRouteTest, WhatIsAskedToBeKeptIsKept) {
  json body = JobBody("web", 3);
  body["Job"]["TaskGroups"][0]["Tasks"][0]["Resources"] = {{"CPU", 7}, {"MemoryMB", 70}};
  Must("PUT", "/v1/jobs", body);
  json next = JobBody("web", 1);
  next["Job"]["TaskGroups"].push_back(next["Job"]["TaskGroups"][0]);
  next["Job"]["TaskGroups"][1]["Name"] = "new";
  next["PreserveCounts"] = true;
  Must("PUT", "/v1/jobs", next);
  const auto counts = [&] {
    const json groups = Get("/v1/job/web")["TaskGroups"];
    return std::pair(groups[0]["Count"].get<int>(), groups[1]["Count"].get<int>());
  };
  EXPECT_EQ(counts(), std::pair(3, 1)) << "a new group has its own";
  EXPECT_EQ(Group("web")["Tasks"][0]["Resources"]["CPU"], 100);
  next["Job"]["TaskGroups"][0]["Tasks"][0]["Resources"] = {{"CPU", 9}, {"MemoryMB", 90}};
  next["PreserveCounts"] = false;
  next["PreserveResources"] = true;
  Must("PUT", "/v1/jobs", next);
  EXPECT_EQ(counts(), std::pair(1, 1));
  EXPECT_EQ(Group("web")["Tasks"][0]["Resources"]["CPU"], 100);
  EXPECT_EQ(Group("web")["Tasks"][0]["Resources"]["MemoryMB"], 300);
  next["EnforceIndex"] = true;
  next["JobModifyIndex"] = 1;
  EXPECT_THAT(Refusal("PUT", "/v1/jobs", next),
              HasSubstr("500 Enforcing job modify index 1: job exists with conflicting"));
  // A job that does not exist has nothing to preserve; and an invalid list of groups stays invalid.
  json first = JobBody("first", 2);
  first["PreserveCounts"] = true;
  Must("PUT", "/v1/jobs", first);
  EXPECT_EQ(Group("first")["Count"], 2);
  for (const json& bad :
       {json(7), json("x"), json({{"Name", "g"}}), json::array({7, {{"Name", 7}}})}) {
    first["Job"]["TaskGroups"] = bad;
    EXPECT_THAT(Refusal("PUT", "/v1/jobs", first), StartsWith("500 ")) << bad;
  }
  first["PreserveCounts"] = "x";
  EXPECT_THAT(Refusal("PUT", "/v1/jobs", first), StartsWith("400 Failed to decode body"));
}

TEST_F(JobRouteTest, AnEvaluationHasThePriorityThatIsAskedFor) {
  json body = JobBody("web");
  EXPECT_EQ(Eval(Must("PUT", "/v1/jobs", body)["EvalID"])->priority, 50);
  body["EvalPriority"] = 77;
  EXPECT_EQ(Eval(Must("PUT", "/v1/jobs", body)["EvalID"])->priority, 77);
  for (const int wrong : {-1, 101}) {
    body["EvalPriority"] = wrong;
    EXPECT_THAT(Refusal("PUT", "/v1/jobs", body), StartsWith("400 the priority of an evaluation"));
  }
  for (const char* wrong : {"x", "-1", "101", "99999999999999999999"}) {
    EXPECT_THAT(Refusal("DELETE", std::string("/v1/job/web?eval_priority=") + wrong),
                StartsWith("400 "))
        << wrong;
  }
  const json answer = Must("DELETE", "/v1/job/web?eval_priority=33&global=true");
  EXPECT_EQ(Eval(answer["EvalID"])->priority, 33);
  EXPECT_EQ(answer["VolumeEvalID"], "");
  EXPECT_EQ(answer["VolumeEvalIndex"], 0);
  EXPECT_EQ(Get("/v1/job/web")["Stop"], true);
}

TEST_F(JobRouteTest, AJobIsLookedAtAgain) {
  Must("PUT", "/v1/jobs", JobBody("web"));
  const std::string path = "/v1/job/web/evaluate";
  for (const json& body :
       {json(nullptr), json({{"JobID", "web"}}),
        json({{"JobID", "web"}, {"EvalOptions", {{"ForceReschedule", false}}}}),
        json({{"JobID", "web"}, {"EvalOptions", {{"ForceReschedule", true}}}})}) {
    EXPECT_EQ(Must("PUT", path, body)["JobModifyIndex"], Get("/v1/job/web")["JobModifyIndex"]);
  }
  EXPECT_EQ(Refusal("PUT", path, json::object()), "400 Job ID must be specified");
  EXPECT_EQ(Refusal("PUT", path, {{"JobID", "x"}}), "400 JobID not same as job name");
  EXPECT_EQ(Refusal("PUT", "/v1/job/none/evaluate"), "404 job not found");
}

TEST_F(JobRouteTest, AnIdMayEndLikeARoute) {
  Must("PUT", "/v1/jobs", JobBody("a/plan"));
  EXPECT_EQ(Get("/v1/job/a/plan")["ID"], "a/plan");
  EXPECT_EQ(Get("/v1/job/a/plan/summary")["JobID"], "a/plan");
  EXPECT_EQ(Refusal("GET", "/v1/job/b/plan"), "404 job not found");
  EXPECT_EQ(Refusal("PUT", "/v1/job/a/plan"), "400 Request body is empty") << "it is a plan of a";
  EXPECT_EQ(Refusal("PATCH", "/v1/job/a"), "405 Invalid method");
  Must("DELETE", "/v1/job/a/plan");
  EXPECT_EQ(Get("/v1/job/a/plan")["Stop"], true);
}

TEST_F(JobRouteTest, WhatAJobHasMade) {
  EXPECT_EQ(Refusal("GET", "/v1/job/web/summary"), "404 job not found");
  EXPECT_EQ(Refusal("GET", "/v1/job/web/versions"), "404 job versions not found");
  EXPECT_EQ(Refusal("GET", "/v1/job/web/submission"), "404 job source not found");
  EXPECT_EQ(Get("/v1/job/web/allocations"), json::array());
  EXPECT_EQ(Get("/v1/job/web/evaluations"), json::array());
  Must("PUT", "/v1/jobs", JobBody("web", 2));
  EXPECT_EQ(Get("/v1/job/web/summary")["Summary"]["g"]["Starting"], 2);
  EXPECT_EQ(Get("/v1/job/web/summary")["Children"],
            json({{"Pending", 0}, {"Running", 0}, {"Dead", 0}}));
  EXPECT_EQ(Get("/v1/job/web/allocations?all=true").size(), 2u);
  EXPECT_EQ(Get("/v1/job/web/evaluations").size(), 1u);
  const HttpReply versions = Ask("GET", "/v1/job/web/versions?diffs=true");
  const json answer = json::parse(versions.body);
  EXPECT_EQ(answer["Versions"].size(), 1u);
  EXPECT_EQ(answer["Diffs"], json::array()) << "there is none before it";
  EXPECT_EQ(answer["Index"].dump(), HeaderOf(versions, "X-Nomad-Index"));
}

TEST_F(JobRouteTest, APlanTellsWhatWouldBeDone) {
  json body = JobBody("web", 2);
  body["Diff"] = true;
  body["PolicyOverride"] = false;
  const json plan = Must("PUT", "/v1/job/web/plan", body);
  const json updates = plan["Annotations"]["DesiredTGUpdates"]["g"];
  EXPECT_EQ(updates, json({{"Ignore", 0},
                           {"Place", 2},
                           {"Migrate", 0},
                           {"Stop", 0},
                           {"InPlaceUpdate", 0},
                           {"DestructiveUpdate", 0},
                           {"Canary", 0},
                           {"Preemptions", 0},
                           {"Disconnect", 0},
                           {"Reconnect", 0},
                           {"RescheduleNow", 0},
                           {"RescheduleLater", 0}}));
  EXPECT_EQ(plan["Diff"]["Type"], "Added");
  EXPECT_EQ(plan["JobModifyIndex"], 0);
  EXPECT_EQ(plan["FailedTGAllocs"], nullptr);
  EXPECT_EQ(plan["NextPeriodicLaunch"], nullptr);
  EXPECT_EQ(plan["CreatedEvals"], nullptr);
  EXPECT_EQ(Get("/v1/jobs"), json::array());
  Must("PUT", "/v1/jobs", JobBody("web", 2));
  EXPECT_EQ(Must("PUT", "/v1/job/web/plan", body)["Diff"]["Type"], "None");
}

TEST_F(JobRouteTest, APlanTellsWhatStaysAndIsUpdatedInPlace) {
  Must("PUT", "/v1/jobs", JobBody("web", 2));
  const std::string id = Get("/v1/job/web/allocations")[0]["ID"];
  json body = JobBody("web", 3);
  body["Diff"] = true;
  body["Job"]["TaskGroups"][0]["Tasks"][0]["KillTimeout"] = "9s";
  const json plan = Must("PUT", "/v1/job/web/plan", body);
  const json updates = plan["Annotations"]["DesiredTGUpdates"]["g"];
  EXPECT_EQ(updates["InPlaceUpdate"], 2);
  EXPECT_EQ(updates["Place"], 1);
  EXPECT_EQ(updates["DestructiveUpdate"], 0);
  const json group = plan["Diff"]["TaskGroups"][0];
  EXPECT_EQ(group["Updates"], json({{"create", 1}, {"in-place update", 2}}));
  EXPECT_EQ(group["Tasks"][0]["Annotations"], json::array({"forces in-place update"}));
  const std::string eval = Must("PUT", "/v1/jobs", body)["EvalID"];
  EXPECT_EQ(Get("/v1/evaluation/" + eval + "/allocations").size(), 3u);
  const json alloc = Get("/v1/allocation/" + id);
  EXPECT_EQ(alloc["EvalID"], eval);
  EXPECT_EQ(alloc["Job"]["Version"], 1);
  EXPECT_EQ(alloc["DesiredStatus"], "run");
  EXPECT_GT(alloc["AllocModifyIndex"], alloc["CreateIndex"]);
  for (const json& stub : Get("/v1/job/web/allocations")) EXPECT_EQ(stub["JobVersion"], 1);
  body["Job"]["TaskGroups"][0]["Tasks"][0]["Env"] = {{"A", "1"}};
  const json replaces = Must("PUT", "/v1/job/web/plan", body);
  const json next = replaces["Annotations"]["DesiredTGUpdates"]["g"];
  EXPECT_EQ(next["DestructiveUpdate"], 1) << "one at a time";
  EXPECT_EQ(next["Ignore"], 2);
  EXPECT_EQ(replaces["Diff"]["TaskGroups"][0]["Tasks"][0]["Annotations"],
            json::array({"forces create/destroy update"}));
}

TEST_F(JobRouteTest, AJobOfAnotherNodePoolWaits) {
  json body = JobBody("web", 1);
  body["Job"]["NodePool"] = "gpu";
  const std::string id = Must("PUT", "/v1/jobs", body)["EvalID"];
  const json failure = Get("/v1/evaluation/" + id)["FailedTGAllocs"]["g"];
  EXPECT_EQ(failure["NodePool"], "gpu");
  EXPECT_EQ(failure["NodesInPool"], 0);
  EXPECT_EQ(failure["NodesAvailable"], json::object());
  EXPECT_EQ(Get("/v1/job/web")["NodePool"], "gpu");
  EXPECT_EQ(Get("/v1/jobs")[0]["NodePool"], "gpu");
  EXPECT_EQ(Get("/v1/nodes")[0]["NodePool"], "default");
}

TEST_F(JobRouteTest, APlanNamesWhatWouldWait) {
  json body = JobBody("web", 3);
  body["Job"]["Priority"] = 70;
  body["Job"]["TaskGroups"][0]["Tasks"][0]["Resources"] = {{"CPU", 6000}};
  const HttpReply reply = Ask("PUT", "/v1/job/web/plan", body);
  const json plan = json::parse(reply.body);
  EXPECT_GT(plan["Index"], 0);
  EXPECT_EQ(HeaderOf(reply, "X-Nomad-Index"), plan["Index"].dump());
  EXPECT_EQ(plan["FailedTGAllocs"]["g"]["CoalescedFailures"], 1);
  ASSERT_EQ(plan["CreatedEvals"].size(), 1u);
  const json& eval = plan["CreatedEvals"][0];
  const json wanted = {{"JobID", "web"},
                       {"Namespace", "default"},
                       {"Priority", 70},
                       {"Type", "service"},
                       {"Status", "blocked"},
                       {"TriggeredBy", "queued-allocs"},
                       {"QueuedAllocations", {{"g", 2}}}};
  for (const auto& [field, value] : wanted.items()) EXPECT_EQ(eval[field], value) << field;
  EXPECT_EQ(eval["FailedTGAllocs"], plan["FailedTGAllocs"]);
  EXPECT_EQ(Get("/v1/evaluations"), json::array()) << "it is only planned";
}

TEST_F(JobRouteTest, WhatIsNotThereNeedNotBeDeleted) {
  for (const char* path : {"/v1/job/none", "/v1/job/none?purge=true"}) {
    const HttpReply reply = Ask("DELETE", path);
    EXPECT_EQ(reply.status, 200) << reply.body;
    const json answer = json::parse(reply.body);
    EXPECT_EQ(answer["EvalID"], "");
    EXPECT_EQ(answer["EvalCreateIndex"], 0);
    EXPECT_EQ(answer["JobModifyIndex"], 0);
    EXPECT_EQ(HeaderOf(reply, "X-Nomad-Index"), answer["Index"].dump());
  }
  EXPECT_EQ(Get("/v1/evaluations"), json::array());
  Must("PUT", "/v1/jobs", JobBody("web"));
  Must("DELETE", "/v1/job/web?purge=true");
  EXPECT_EQ(Must("DELETE", "/v1/job/web?purge=true")["EvalID"], "");
}

TEST_F(JobRouteTest, WhatIsNotCarriedOutIsWarnedOf) {
  json body = JobBody("web");
  body["Job"]["TaskGroups"][0]["Tasks"][0]["Templates"] = json::array(
      {{{"EmbeddedTmpl", "x"}, {"DestPath", "local/x"}, {"VaultGrace", 5'000'000'000}}});
  body["Job"]["TaskGroups"][0]["Services"] =
      json::array({{{"Name", "redis"}, {"Provider", "nomad"}}});
  const std::string warnings =
      "1 warning(s):\n\n* /Job/TaskGroups/0/Tasks/0/Templates/0/VaultGrace: is not carried out by "
      "this version: Nomad has dropped it, too";
  EXPECT_EQ(Must("PUT", "/v1/validate/job", body)["Warnings"], warnings);
  EXPECT_EQ(Must("PUT", "/v1/job/web/plan", body)["Warnings"], warnings);
  EXPECT_EQ(Must("PUT", "/v1/jobs", body)["Warnings"], warnings);
  EXPECT_EQ(Group("web")["Services"][0]["Name"], "redis");
  EXPECT_EQ(Must("PUT", "/v1/jobs", JobBody("other"))["Warnings"], "");
}

TEST_F(JobRouteTest, AClientCannotMakeAChildOfAJob) {
  json body = JobBody("child");
  body["Job"]["ParentID"] = "web";
  const std::string warnings =
      "1 warning(s):\n\n* /Job/ParentID: is ignored: a job that a client submits has no parent";
  for (const char* path : {"/v1/validate/job", "/v1/job/child/plan", "/v1/jobs"}) {
    EXPECT_EQ(Must("PUT", path, body)["Warnings"], warnings) << path;
  }
  EXPECT_EQ(Get("/v1/job/child")["ParentID"], "");
  store.Read([](const Tables& tables) {
    EXPECT_EQ(Tables::Find(tables.jobs, JobKey("default", "child"))->job->parent_id, "");
  });
}

TEST_F(JobRouteTest, AServiceOfConsulNeedsSomebodyWhoRegistersIt) {
  json body = JobBody("web");
  body["Job"]["TaskGroups"][0]["Services"] = json::array({json{{"Name", "redis"}}});
  const std::string place = "/Job/TaskGroups/0/Services/0/Provider: is missing, which means";
  for (const char* path : {"/v1/jobs", "/v1/job/web/plan"}) {
    EXPECT_THAT(Refusal("PUT", path, body), HasSubstr(place)) << path;
  }
  const json refused = Must("PUT", "/v1/validate/job", body);
  EXPECT_THAT(refused["ValidationErrors"][0].get<std::string>(), StartsWith(place));
  ApiSettings settings;
  settings.services.consul_is_builtin = true;
  agent_.settings.Set(settings);
  for (const char* path : {"/v1/validate/job", "/v1/job/web/plan", "/v1/jobs"}) {
    EXPECT_THAT(Must("PUT", path, body)["Warnings"].get<std::string>(), HasSubstr(place)) << path;
  }
  EXPECT_EQ(Group("web")["Services"][0]["Provider"], "consul");
  settings.services.default_provider = ServiceProvider::kBuiltin;
  agent_.settings.Set(settings);
  EXPECT_EQ(Must("PUT", "/v1/jobs", body)["Warnings"], "");
  EXPECT_EQ(Group("web")["Services"][0]["Provider"], "nomad");
}

TEST_F(JobRouteTest, FiltersLookAtTheWholeJob) {
  Must("PUT", "/v1/jobs", JobBody("sum", 1, "batch"));
  json body = JobBody("web", 3);
  body["Job"]["Meta"] = {{"owner", "me"}};
  Must("PUT", "/v1/jobs", body);
  const std::pair<const char*, const char*> chosen[] = {
      {"Meta.owner == me", "web"},
      {"Version == 0 and Meta is empty", "sum"},
      {"any TaskGroups as g { g.Count == 3 }", "web"},
      {"all TaskGroups as g { g.ReschedulePolicy.Unlimited == false }", "sum"},
      {"JobSummary.Summary.g.Starting == 3", "web"},
      {"TaskGroups is not empty and Type == service", "web"}};
  for (const auto& [filter, id] : chosen) {
    const json list = Get(std::string("/v1/jobs?filter=") + filter);
    ASSERT_EQ(list.size(), 1u) << filter;
    EXPECT_EQ(list[0]["ID"], id) << filter;
    EXPECT_FALSE(list[0].contains("TaskGroups")) << "the list shows what it showed";
  }
  for (const char* none : {"Periodic is not nil", "ParameterizedJob is not nil"}) {
    EXPECT_EQ(Get(std::string("/v1/jobs?filter=") + none), json::array()) << none;
  }
  EXPECT_THAT(Refusal("GET", "/v1/jobs?filter=Nmae == x"), StartsWith("400 failed to read"));
}

TEST_F(JobRouteTest, AScaledJobHasItsNewCount) {
  const auto scale = [](const json& count) {
    return json{{"Count", count}, {"Target", {{"Group", "g"}}}};
  };
  json body = JobBody("web");
  body["Job"]["TaskGroups"][0]["Update"] = {{"MaxParallel", 0}};  // no deployment
  Must("PUT", "/v1/jobs", body);
  const json answer = Must("PUT", "/v1/job/web/scale", scale(3));
  EXPECT_EQ(Eval(answer["EvalID"])->triggered_by, "job-scaling");
  EXPECT_EQ(Live().size(), 3u);
  EXPECT_EQ(Get("/v1/job/web")["Version"], 1);
  // A stopped job stays stopped, and has its new count when it is started again.
  Must("DELETE", "/v1/job/web");
  Must("PUT", "/v1/job/web/scale", scale(5));
  EXPECT_EQ(Get("/v1/job/web")["Stop"], true);
  EXPECT_EQ(Group("web")["Count"], 5);
  EXPECT_EQ(Live().size(), 0u);
  EXPECT_EQ(Get("/v1/job/web/scale")["JobStopped"], true);
  json again = Get("/v1/job/web");
  again["Stop"] = false;
  Must("PUT", "/v1/jobs", {{"Job", again}});
  EXPECT_EQ(Live().size(), 5u);
}

TEST_F(JobRouteTest, AnActiveDeploymentIsNotScaledAway) {
  const json scale = {{"Count", 2}, {"Target", {{"Group", "g"}}}};
  Must("PUT", "/v1/jobs", JobBody("web"));
  const std::string id = Get("/v1/job/web/deployment")["ID"];
  const auto change = [&](const std::string& what, const json& more) {
    json body = {{"DeploymentID", id}};
    body.update(more);
    Must("PUT", "/v1/deployment/" + what + "/" + id, body);
  };
  const std::string blocked = "400 job scaling blocked due to active deployment " + id;
  EXPECT_THAT(Refusal("PUT", "/v1/job/web/scale", scale), StartsWith(blocked));
  change("pause", {{"Pause", true}});
  EXPECT_THAT(Refusal("PUT", "/v1/job/web/scale", scale), StartsWith(blocked));
  EXPECT_EQ(Get("/v1/job/web")["Version"], 0);
  change("fail", json::object());
  Must("PUT", "/v1/job/web/scale", scale);
  EXPECT_EQ(Get("/v1/job/web")["Version"], 1);
}

TEST_F(JobRouteTest, WhatCannotBeScaled) {
  json job = JobBody("web");
  job["Job"]["TaskGroups"][0]["Update"] = {{"MaxParallel", 0}};  // no deployment
  Must("PUT", "/v1/jobs", job);
  Must("PUT", "/v1/jobs", JobBody("all", 1, "system"));
  const auto refused = [this](const char* id, const json& count, const char* group) {
    return Refusal("PUT", std::string("/v1/job/") + id + "/scale",
                   {{"Count", count}, {"Target", {{"Group", group}}}});
  };
  EXPECT_EQ(refused("none", 1, ""), "400 missing task group name for scaling action");
  EXPECT_EQ(refused("none", 1, "g"), "404 job \"none\" not found");
  EXPECT_EQ(refused("web", 1, "x"),
            "400 task group \"x\" specified for scaling does not exist in job");
  EXPECT_EQ(refused("web", -1, "g"), "400 scaling action count can't be negative");
  EXPECT_EQ(refused("web", 3'000'000'000, "g"), "400 scaling action count is too large");
  EXPECT_EQ(refused("web", "1", "g"), "400 Count must be a whole number");
  EXPECT_EQ(refused("all", 1, "g"), "400 cannot scale jobs of type \"system\"");
  EXPECT_THAT(refused("web", 200'000, "g"), HasSubstr("must not exceed 100000"));
  EXPECT_THAT(refused("web", nullptr, "g"), StartsWith("501 "));
  json body = {{"Count", 2}, {"Target", {{"Group", "g"}}}, {"JobModifyIndex", 1}};
  EXPECT_THAT(Refusal("PUT", "/v1/job/web/scale", body),
              HasSubstr("500 Enforcing job modify index 1: job exists with conflicting"));
  body["JobModifyIndex"] = Get("/v1/job/web")["JobModifyIndex"];
  Must("PUT", "/v1/job/web/scale", body);
  body["JobModifyIndex"] = 0;
  Must("PUT", "/v1/job/web/scale", body);
}

TEST_F(JobRouteTest, AJobOfAnotherDatacenterSaysWhereThereIsNoNode) {
  json body = JobBody("far");
  body["Job"]["Datacenters"] = {"dc9", "eu-*"};
  const json answer = Must("PUT", "/v1/jobs", body);
  const json eval = Get("/v1/evaluation/" + answer["EvalID"].get<std::string>());
  EXPECT_EQ(eval["FailedTGAllocs"]["g"]["NodesAvailable"], json({{"dc9", 0}, {"eu-*", 0}}));
  EXPECT_EQ(eval["FailedTGAllocs"]["g"]["NodesInPool"], 1);
  body = JobBody("near");
  body["Job"]["Datacenters"] = {"dc*", "dc9"};
  Must("PUT", "/v1/jobs", body);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Get("/v1/allocation/" + Live()[0]->id())["Metrics"]["NodesAvailable"],
            json({{"dc1", 1}, {"dc9", 0}}));
}

TEST_F(JobRouteTest, ASummaryIsOfThisJobOnly) {
  Must("PUT", "/v1/jobs", JobBody("web", 3));
  const auto first = Live();
  Report(first[0]->id(), ClientStatus::kRunning);
  Report(first[1]->id(), ClientStatus::kFailed);
  const auto summary = [this] { return Get("/v1/job/web/summary")["Summary"]["g"]; };
  json expected = {{"Queued", 0},   {"Complete", 0}, {"Failed", 1}, {"Running", 1},
                   {"Starting", 1}, {"Lost", 0},     {"Unknown", 0}};
  EXPECT_EQ(summary(), expected);
  EXPECT_EQ(Get("/v1/jobs")[0]["JobSummary"]["Summary"]["g"], expected);
  Must("DELETE", "/v1/job/web?purge=true");
  Must("PUT", "/v1/jobs", JobBody("web", 2));
  expected["Failed"] = expected["Running"] = 0;
  expected["Starting"] = 2;
  EXPECT_EQ(summary(), expected) << "and not of the one that was purged";
}

// A writer waits while a reader looks.
TEST_F(JobRouteTest, ALookAtAJobDoesNotGoThroughItsAllocations) {
  NodeRecord node;
  node.id = "node";
  node.cpu_mhz = node.memory_mb = node.disk_mb = 1'000'000'000;
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
  MustRegister(Registration("few", 5, 1));
  MustRegister(Registration("many", 5000, 1));
  const auto time_of = [this](const char* id) {
    const auto job = JobOf(id);
    double took = 0;
    store.Read([&](const Tables& tables) {
      const CpuTimer timer;
      for (int i = 0; i < 200; ++i) EXPECT_EQ(PartsOf(*job, tables).groups.size(), 1u);
      took = timer.Seconds();
    });
    return took;
  };
  const double few = LeastOf([&] { return time_of("few"); });
  EXPECT_LT(LeastOf([&] { return time_of("many"); }), few * 10 * kSanitizerFactor);
}

}  // namespace
}  // namespace drover
