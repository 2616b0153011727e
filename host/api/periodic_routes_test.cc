// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"
#include "host/base/base64.h"

namespace drover {
namespace {

using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

class PeriodicRouteTest : public ApiFixture {
 protected:
  PeriodicRouteTest() { RegisterNode(); }

  json Register(const std::string& id, const json& blocks) {
    json body = JobBody(id, 1, "batch");
    body["Job"].update(blocks);
    return Must("PUT", "/v1/jobs", body);
  }
  json RegisterParameterized(const json& block = json::object()) {
    return Register("p", {{"ParameterizedJob", block}});
  }
};

const json kNightly = {{"Periodic", {{"Spec", "0 3 * * *"}}}};

TEST_F(PeriodicRouteTest, AParentIsRegisteredAndStoppedWithoutAnEvaluation) {
  const json reply = Register("n", kNightly);
  EXPECT_EQ(reply["EvalID"], "");
  EXPECT_EQ(reply["EvalCreateIndex"], 0);
  EXPECT_GT(reply["JobModifyIndex"], 0);
  const json job = Get("/v1/job/n");
  EXPECT_EQ(job["Status"], "running");
  EXPECT_EQ(job["Periodic"]["Spec"], "0 3 * * *");
  EXPECT_EQ(job["Periodic"]["TimeZone"], "UTC");
  EXPECT_EQ(Refusal("PUT", "/v1/job/n/evaluate"), "500 can't evaluate periodic job");
  EXPECT_EQ(Must("DELETE", "/v1/job/n")["EvalID"], "");
  EXPECT_EQ(Get("/v1/job/n")["Status"], "dead");
  EXPECT_EQ(Get("/v1/job/n/evaluations"), json::array());
}

TEST_F(PeriodicRouteTest, ListsAndSummariesShowParentsAndTheirChildren) {
  Register("n", kNightly);
  RegisterParameterized();
  const std::string child = Must("PUT", "/v1/job/p/dispatch", {{"JobID", "p"}})["DispatchedJobID"];
  const json all = Get("/v1/jobs");
  ASSERT_EQ(all.size(), 3u);
  EXPECT_EQ(all[0]["ID"], "n");
  EXPECT_EQ(all[0]["Periodic"], true);
  EXPECT_EQ(all[0]["ParameterizedJob"], false);
  EXPECT_EQ(all[1]["ParameterizedJob"], true);
  EXPECT_EQ(all[2]["ParentID"], "p");
  EXPECT_EQ(all[2]["ParameterizedJob"], false) << "a child is no parent";
  EXPECT_EQ(Get("/v1/jobs?prefix=p/").size(), 1u);
  const json running = {{"Pending", 0}, {"Running", 1}, {"Dead", 0}};
  EXPECT_EQ(Get("/v1/job/p/summary")["Children"], running);
  EXPECT_EQ(all[1]["JobSummary"]["Children"], running);
  Report(Live().at(0)->id(), ClientStatus::kComplete);
  EXPECT_EQ(Get("/v1/job/p/summary")["Children"],
            json({{"Pending", 0}, {"Running", 0}, {"Dead", 1}}));
  EXPECT_EQ(Get("/v1/job/" + child + "/summary")["Children"],
            json({{"Pending", 0}, {"Running", 0}, {"Dead", 0}}));
}

TEST_F(PeriodicRouteTest, ADispatchAnswersWithTheChild) {
  RegisterParameterized({{"MetaOptional", {"k"}}});
  const json reply = Must("PUT", "/v1/job/p/dispatch",
                          {{"JobID", "p"},
                           {"Payload", Base64("hello")},
                           {"Meta", {{"k", "v"}}},
                           {"IdPrefixTemplate", "x"},
                           {"Priority", 60}});
  const std::string id = reply["DispatchedJobID"];
  EXPECT_THAT(id, StartsWith("p/dispatch-x-"));
  EXPECT_EQ(Get("/v1/evaluation/" + reply["EvalID"].get<std::string>())["JobID"], id);
  const json job = Get("/v1/job/" + id);
  EXPECT_EQ(job["CreateIndex"], reply["JobCreateIndex"]);
  EXPECT_EQ(job["Dispatched"], true);
  EXPECT_EQ(job["Payload"], Base64("hello"));
  EXPECT_EQ(job["Meta"], json({{"k", "v"}}));
  EXPECT_EQ(job["Priority"], 60);
  EXPECT_EQ(job["ParentID"], "p");
  const HttpReply payload = Ask("GET", "/v1/job/" + id + "/dispatch/payload");
  EXPECT_EQ(payload.status, 200);
  EXPECT_EQ(payload.content_type, "application/octet-stream");
  EXPECT_EQ(payload.body, "hello");
  EXPECT_EQ(Refusal("GET", "/v1/job/p/dispatch/payload"), "404 the job has no payload");
}

TEST_F(PeriodicRouteTest, ATokenInTheQueryOrTheBodyStartsOneChild) {
  RegisterParameterized();
  const json first = Must("PUT", "/v1/job/p/dispatch?idempotency_token=t", json::object());
  const json second = Must("PUT", "/v1/job/p/dispatch?idempotency_token=t", json::object());
  EXPECT_EQ(second["DispatchedJobID"], first["DispatchedJobID"]);
  EXPECT_EQ(second["EvalID"], "");
  EXPECT_EQ(second["JobCreateIndex"], first["JobCreateIndex"]);
  EXPECT_EQ(Must("PUT", "/v1/job/p/dispatch", {{"IdempotencyToken", "t"}})["DispatchedJobID"],
            first["DispatchedJobID"]);
}

TEST_F(PeriodicRouteTest, WhatADispatchMustNotHaveIsRefused) {
  RegisterParameterized({{"MetaRequired", {"k"}}});
  const std::pair<json, const char*> wrong[] = {
      {{{"JobID", "other"}}, "400 Job ID does not match"},
      {json::object(), "500 Dispatch did not provide required meta keys: [k]"},
      {{{"Meta", {{"x", "y"}}}}, "500 Dispatch request included unpermitted metadata keys: [x]"},
      {{{"Meta", {{"k", 7}}}}, "400 Failed to decode body: Meta must have texts only"},
      {{{"Meta", {{"k", ""}}}, {"Payload", "*"}}, "400 Payload is not valid base64"},
      {{{"Meta", {{"k", ""}}}, {"Priority", std::int64_t{1} << 32}}, "400 Priority must be"},
      {{{"Meta", {{"k", ""}}}, {"Payload", Base64(std::string(16385, 'x'))}},
       "500 Payload exceeds maximum size; 16385 > 16384"}};
  for (const auto& [body, text] : wrong) {
    EXPECT_THAT(Refusal("PUT", "/v1/job/p/dispatch", body), StartsWith(text));
  }
  EXPECT_EQ(Refusal("PUT", "/v1/job/none/dispatch", json::object()),
            "500 parameterized job not found");
  EXPECT_EQ(Get("/v1/jobs").size(), 1u) << "nothing was started";
}

TEST_F(PeriodicRouteTest, AForcedLaunchAnswersWithItsEvaluation) {
  Register("n", kNightly);
  const json reply = Must("PUT", "/v1/job/n/periodic/force");
  const json eval = Get("/v1/evaluation/" + reply["EvalID"].get<std::string>());
  EXPECT_THAT(eval["JobID"].get<std::string>(), StartsWith("n/periodic-"));
  EXPECT_EQ(eval["TriggeredBy"], "periodic-job");
  EXPECT_EQ(eval["CreateIndex"], reply["EvalCreateIndex"]);
  EXPECT_EQ(Refusal("PUT", "/v1/job/none/periodic/force"), "404 job not found");
  const std::string child = eval["JobID"];
  EXPECT_EQ(Refusal("PUT", "/v1/job/" + child + "/periodic/force"),
            "500 can't force launch non-periodic job");
}

TEST_F(PeriodicRouteTest, AScheduleIsCheckedBeforeTheSchedulerSeesIt) {
  for (const auto& [block, text] :
       {std::pair<json, const char*>{{{"Spec", "61 * * * *"}}, "/Job/Periodic/Spec: the field of"},
        {{{"Specs", {"@daily", "0 0 30 2 *"}}}, "/Job/Periodic/Specs/1: \"0 0 30 2 *\" names no"},
        {{{"Spec", "@daily"}, {"TimeZone", "No/Where"}}, "/Job/Periodic/TimeZone: \"No/Where\""}}) {
    json body = JobBody("p", 1, "batch");
    body["Job"]["Periodic"] = block;
    EXPECT_THAT(Refusal("PUT", "/v1/jobs", body), HasSubstr(text));
    EXPECT_THAT(Refusal("PUT", "/v1/job/p/plan", body), HasSubstr(text));
    EXPECT_THAT(Must("PUT", "/v1/validate/job", body)["Error"].get<std::string>(), HasSubstr(text));
  }
  EXPECT_EQ(Get("/v1/jobs"), json::array());
}

TEST_F(PeriodicRouteTest, APlanSaysWhenTheFirstChildIsLaunched) {
  json body = JobBody("p", 1, "batch");
  body["Job"].update(kNightly);
  EXPECT_EQ(Must("PUT", "/v1/job/p/plan", body)["NextPeriodicLaunch"],
            "2023-11-15T03:00:00.000000000Z");
  body["Job"]["Periodic"]["Enabled"] = false;
  EXPECT_EQ(Must("PUT", "/v1/job/p/plan", body)["NextPeriodicLaunch"], nullptr);
}

TEST_F(PeriodicRouteTest, AJobKeepsItsKind) {
  Register("p", kNightly);
  const json other = JobBody("p", 1, "batch");
  const char* const text = "/Job/ID: the job \"p\" is periodic, which an update cannot change";
  EXPECT_THAT(Refusal("PUT", "/v1/jobs", other), HasSubstr(text));
  EXPECT_THAT(Refusal("PUT", "/v1/job/p/plan", other), HasSubstr(text));
  Must("DELETE", "/v1/job/p");
  EXPECT_THAT(Refusal("PUT", "/v1/jobs", other), HasSubstr(text));
  Must("DELETE", "/v1/job/p?purge=true");
  EXPECT_NE(Must("PUT", "/v1/jobs", other)["EvalID"], "");
}

// A child that is stopped is started again by a client that sends what it has read.
TEST_F(PeriodicRouteTest, AChildThatIsRegisteredAgainKeepsItsParent) {
  RegisterParameterized();
  const std::string id = Must("PUT", "/v1/job/p/dispatch", json::object())["DispatchedJobID"];
  Must("DELETE", "/v1/job/" + id);
  json stopped = Get("/v1/job/" + id);
  stopped["Stop"] = false;
  EXPECT_EQ(Must("PUT", "/v1/jobs", {{"Job", stopped}})["Warnings"], "");
  EXPECT_EQ(Get("/v1/job/" + id)["ParentID"], "p");
  EXPECT_EQ(Get("/v1/job/" + id)["Dispatched"], true);
  EXPECT_EQ(Get("/v1/job/p/summary")["Children"]["Dead"], 0);
  json other = Get("/v1/job/" + id);
  other["ParentID"] = "q";
  EXPECT_THAT(Must("PUT", "/v1/jobs", {{"Job", other}})["Warnings"].get<std::string>(),
              HasSubstr("/Job/ParentID: is ignored"));
}

TEST_F(PeriodicRouteTest, WhatStandsInAParentIsCheckedWhenItIsRegistered) {
  json body = JobBody("p", 1, "service");
  body["Job"].update(kNightly);
  EXPECT_THAT(Refusal("PUT", "/v1/jobs", body),
              HasSubstr("/Job/Periodic: only batch and sysbatch jobs may be periodic"));
  body = JobBody("p", 1, "batch");
  body["Job"]["Dispatched"] = true;
  EXPECT_THAT(Refusal("PUT", "/v1/jobs", body), HasSubstr("/Job/Dispatched: only a dispatch"));
}

}  // namespace
}  // namespace drover
