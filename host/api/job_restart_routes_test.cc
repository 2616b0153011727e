// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

// Nothing carries the restarts out: the agent does.
class JobRestartRouteTest : public ApiFixture {
 protected:
  JobRestartRouteTest() {
    RegisterNode();
    json body = JobBody("a/web", 3);
    body["Job"]["TaskGroups"][0]["Update"] = {{"MaxParallel", 0}};
    Must("PUT", "/v1/jobs", body);
  }

  std::string Begin(const json& body = nullptr) {
    return Must("POST", "/v1/job/a/web/restart", body)["RestartID"];
  }
};

TEST_F(JobRestartRouteTest, AJobWithAnIdOfThatFormCanBeStopped) {
  ASSERT_EQ(Ask("PUT", "/v1/jobs", JobBody("x/restart")).status, 200);
  Must("DELETE", "/v1/job/x/restart?purge=true");
  for (const json& one : Get("/v1/jobs")) EXPECT_NE(one["ID"], "x/restart");
}

TEST_F(JobRestartRouteTest, ARestartIsMadeReadAndCanceled) {
  EXPECT_EQ(Get("/v1/job/a/web/restart"), json::array());
  const HttpReply reply =
      Ask("PUT", "/v1/job/a/web/restart", {{"BatchSize", "50%"}, {"BatchWait", "1m"}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  const json made = json::parse(reply.body);
  EXPECT_EQ(HeaderOf(reply, "X-Nomad-Index"), made["Index"].dump());
  const json one = Get("/v1/job/a/web/restart")[0];
  EXPECT_EQ(one["ID"], made["RestartID"]);
  EXPECT_EQ(one["Status"], "running");
  EXPECT_EQ(one["BatchSize"], 2);
  EXPECT_EQ(one["BatchWait"], 60'000'000'000);
  EXPECT_EQ(one["Allocations"].size(), 3u);
  EXPECT_EQ(one["Done"], 0);
  EXPECT_EQ(one["CreateIndex"], made["Index"]);
  EXPECT_THAT(
      Refusal("POST", "/v1/job/a/web/restart"),
      HasSubstr("500 the restart " + one["ID"].get<std::string>() + " of the job is under way"));
  const std::string id = one["ID"];
  EXPECT_EQ(Refusal("PUT", "/v1/job/a/web/restart/cancel"),
            "400 ?id must name the restart to cancel");
  EXPECT_EQ(Refusal("PUT", "/v1/job/a/web/restart/cancel?id=x"), "404 job restart not found");
  EXPECT_EQ(Refusal("PUT", "/v1/job/other/restart/cancel?id=" + id), "404 job restart not found");
  Must("PUT", "/v1/job/a/web/restart/cancel?id=" + id);
  EXPECT_EQ(Get("/v1/job/a/web/restart")[0]["Status"], "canceled");
  const json again = Must("PUT", "/v1/job/a/web/restart/cancel?id=" + id);
  EXPECT_EQ(again["Index"], Get("/v1/job/a/web/restart")[0]["ModifyIndex"]);
  const std::string second = Begin();
  EXPECT_EQ(Get("/v1/job/a/web/restart")[0]["ID"], second) << "the newest is the first";
}

TEST_F(JobRestartRouteTest, WhatCannotBeRestartedIsRefused) {
  EXPECT_EQ(Refusal("POST", "/v1/job/none/restart"), "404 job not found");
  EXPECT_EQ(Refusal("POST", "/v1/job/a/web/restart?namespace=other"), "404 job not found");
  EXPECT_THAT(Refusal("POST", "/v1/job/a/web/restart", {{"BatchSize", 0}}),
              HasSubstr("400 /BatchSize: "));
  EXPECT_THAT(Refusal("POST", "/v1/job/a/web/restart", {{"Group", "g"}}),
              HasSubstr("400 /Group: is not known"));
  EXPECT_EQ(Refusal("POST", "/v1/job/a/web/restart", {{"Groups", json::array({"x"})}}),
            "400 /Groups: the job has no group \"x\"");
  EXPECT_EQ(Get("/v1/job/a/web/restart"), json::array());
}

TEST_F(JobRestartRouteTest, ADeploymentThatIsUnderWayGoesFirst) {
  store.Write(cause::kEvaluation, [](Tables* tables, std::uint64_t index) {
    Deployment made;
    made.id = "d";
    made.job_namespace = "default";
    made.job_id = "a/web";
    made.create_index = index;
    made.job_create_index = tables->jobs.at({"default", "a/web"})->create_index;
    tables->Put(std::make_shared<const Deployment>(made));
    return MaskOf(Table::kDeployments);
  });
  EXPECT_EQ(Refusal("POST", "/v1/job/a/web/restart"), "500 Deployment \"d\" is \"running\"");
}

TEST_F(JobRestartRouteTest, NothingToRestartLeavesNothing) {
  Must("DELETE", "/v1/job/a/web");
  EXPECT_EQ(Begin(), "");
  EXPECT_EQ(Get("/v1/job/a/web/restart"), json::array());
}

TEST_F(JobRestartRouteTest, TheNewestTenOfAJobStayAndAPurgeTakesThem) {
  std::string first;
  for (int i = 0; i < 12; ++i) {
    const std::string id = Begin();
    if (first.empty()) first = id;
    Must("PUT", "/v1/job/a/web/restart/cancel?id=" + id);
  }
  const json all = Get("/v1/job/a/web/restart");
  EXPECT_EQ(all.size(), 10u);
  for (const json& one : all) EXPECT_NE(one["ID"], first);
  Must("DELETE", "/v1/job/a/web?purge=true");
  EXPECT_EQ(Get("/v1/job/a/web/restart"), json::array());
  store.Read([](const Tables& tables) {
    EXPECT_TRUE(tables.restarts.empty());
    EXPECT_TRUE(tables.restarts_of_job.empty());
  });
}

}  // namespace
}  // namespace drover
