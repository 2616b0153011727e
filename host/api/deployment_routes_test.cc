// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

// The deployments of these tests are made by hand: the jobs themselves have none.
class DeploymentRouteTest : public ApiFixture {
 protected:
  DeploymentRouteTest() { RegisterNode(); }

  static json Undeployed(const std::string& id) {
    json body = JobBody(id, 2);
    body["Job"]["TaskGroups"][0]["Update"] = {{"MaxParallel", 0}};
    return body;
  }

  // Makes a deployment of the job, with its first allocation.
  void Deploy(const std::string& id, const std::string& job_id, int canaries = 0,
              std::uint64_t job_create_index = 0) {
    store.Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
      const JobKey key("default", job_id);
      const auto job = Tables::Find(tables->jobs, key);
      Deployment made;
      made.id = id;
      made.job_namespace = "default";
      made.job_id = job_id;
      made.create_index = made.modify_index = index;
      made.job_create_index = job_create_index != 0 ? job_create_index : job->create_index;
      made.groups["g"].desired_total = 2;
      made.groups["g"].desired_canaries = canaries;
      made.groups["g"].progress_deadline = 600s;
      tables->Put(std::make_shared<const Deployment>(made));
      if (job_create_index != 0) return MaskOf(Table::kDeployments);
      const std::shared_ptr<const AllocRecord> first = *tables->AllocsOf(key).begin();
      auto alloc = std::make_shared<Allocation>(*first->alloc);
      alloc->deployment_id = id;
      alloc->canary = canaries > 0;
      auto changed = std::make_shared<AllocRecord>(*first);
      changed->alloc = std::move(alloc);
      alloc_ = changed->id();
      tables->Put(std::move(changed));
      return MaskOf(Table::kDeployments) | MaskOf(Table::kAllocs);
    });
  }
  static std::vector<std::string> Ids(const json& list) {
    std::vector<std::string> ids;
    for (const json& one : list) ids.push_back(one["ID"]);
    return ids;
  }

  std::string alloc_;  // of the deployment that was made last
};

TEST_F(DeploymentRouteTest, DeploymentsAreRead) {
  Must("PUT", "/v1/jobs", Undeployed("web"));
  Must("PUT", "/v1/jobs", Undeployed("api"));
  Deploy("b1", "web");
  Deploy("a1", "api");
  Deploy("a2", "web", 0, 1);  // of a purged job of the same id
  EXPECT_THAT(Ids(Get("/v1/deployments")), ElementsAre("b1", "a1", "a2"));
  EXPECT_THAT(Ids(Get("/v1/deployments?prefix=a")), ElementsAre("a1", "a2"));
  EXPECT_THAT(Ids(Get("/v1/deployments?per_page=1")), ElementsAre("b1"));
  EXPECT_THAT(Ids(Get("/v1/deployments?filter=JobID%20%3D%3D%20%22api%22")), ElementsAre("a1"));
  EXPECT_EQ(Get("/v1/deployments?namespace=other"), json::array());
  EXPECT_THAT(Ids(Get("/v1/job/web/deployments")), ElementsAre("b1"));
  EXPECT_THAT(Ids(Get("/v1/job/web/deployments?all=true")), ElementsAre("b1", "a2"));
  EXPECT_EQ(Get("/v1/job/none/deployments"), json::array());
  EXPECT_EQ(Get("/v1/job/web/deployment")["ID"], "b1");
  EXPECT_EQ(Get("/v1/job/none/deployment"), nullptr);
  const HttpReply reply = Ask("GET", "/v1/deployment/b1");
  const json one = json::parse(reply.body);
  EXPECT_EQ(one["Status"], "running");
  EXPECT_EQ(one["TaskGroups"]["g"]["DesiredTotal"], 2);
  EXPECT_EQ(HeaderOf(reply, "X-Nomad-Index"), one["ModifyIndex"].dump());
  EXPECT_EQ(Refusal("GET", "/v1/deployment/none"), "404 deployment not found");
  EXPECT_THAT(Ids(Get("/v1/deployment/allocations/a1")), ElementsAre(alloc_));
  EXPECT_EQ(Get("/v1/deployment/allocations/none"), json::array());
  EXPECT_EQ(Must("PUT", "/v1/search", {{"Prefix", "a"}, {"Context", "deployment"}})["Matches"],
            json({{"deployment", {"a1", "a2", "b1"}}}))
      << "an odd digit does not count";
  const json statuses = Get("/v1/jobs/statuses?reverse=true");
  EXPECT_EQ(statuses[1]["LatestDeployment"], json({{"ID", "a1"},
                                                   {"IsActive", true},
                                                   {"JobVersion", 0},
                                                   {"Status", "running"},
                                                   {"StatusDescription", ""},
                                                   {"AllAutoPromote", false},
                                                   {"RequiresPromotion", false}}));
}

TEST_F(DeploymentRouteTest, RequestsAreAnswered) {
  Must("PUT", "/v1/jobs", Undeployed("web"));
  Deploy("d", "web");
  json answer = Must("PUT", "/v1/deployment/pause/d", {{"DeploymentID", "d"}, {"Pause", true}});
  EXPECT_EQ(answer["EvalID"], "");
  EXPECT_EQ(answer["RevertedJobVersion"], nullptr);
  EXPECT_EQ(answer["DeploymentModifyIndex"], Get("/v1/deployment/d")["ModifyIndex"]);
  EXPECT_EQ(answer["Index"], answer["DeploymentModifyIndex"]);
  EXPECT_EQ(Get("/v1/deployment/d")["StatusDescription"], "Deployment is paused");
  answer = Must("POST", "/v1/deployment/pause/d", {{"DeploymentID", "d"}, {"Pause", false}});
  EXPECT_EQ(Get("/v1/evaluation/" + answer["EvalID"].get<std::string>())["TriggeredBy"],
            "deployment-watcher");
  answer = Must("PUT", "/v1/deployment/allocation-health/d",
                {{"DeploymentID", "d"}, {"HealthyAllocationIDs", {alloc_}}});
  EXPECT_EQ(Get("/v1/deployment/d")["TaskGroups"]["g"]["HealthyAllocs"], 1);
  EXPECT_EQ(Get("/v1/allocation/" + alloc_)["DeploymentStatus"]["Healthy"], true);
  EXPECT_EQ(Refusal("PUT", "/v1/deployment/unblock/d"),
            "500 can't unblock deployment that is not blocked");
  Must("PUT", "/v1/deployment/fail/d");
  EXPECT_EQ(Get("/v1/deployment/d")["Status"], "failed");
  EXPECT_EQ(Refusal("PUT", "/v1/deployment/fail/d"), "500 can't fail terminal deployment");
}

TEST_F(DeploymentRouteTest, CanariesArePromoted) {
  Must("PUT", "/v1/jobs", Undeployed("web"));
  Deploy("d", "web", 1);
  const json all = {{"DeploymentID", "d"}, {"All", true}};
  EXPECT_EQ(Refusal("PUT", "/v1/deployment/promote/d", all),
            "500 Task group \"g\" has 0/1 healthy allocations");
  Must("PUT", "/v1/deployment/allocation-health/d",
       {{"DeploymentID", "d"}, {"HealthyAllocationIDs", {alloc_}}});
  Must("PUT", "/v1/deployment/promote/d", {{"DeploymentID", "d"}, {"Groups", {"g"}}});
  EXPECT_EQ(Get("/v1/deployment/d")["TaskGroups"]["g"]["Promoted"], true);
  EXPECT_EQ(Refusal("PUT", "/v1/deployment/promote/d", all), "500 no canaries to promote");
}

TEST_F(DeploymentRouteTest, BodiesThatAreNoRequest) {
  for (const char* path : {"pause", "promote", "allocation-health"}) {
    const std::string target = std::string("/v1/deployment/") + path + "/d";
    EXPECT_EQ(Refusal("PUT", target, json::object()), "400 DeploymentID must be specified");
    EXPECT_EQ(Refusal("PUT", target, {{"DeploymentID", "e"}}), "400 Deployment ID does not match");
  }
  EXPECT_EQ(Refusal("PUT", "/v1/deployment/promote/d", {{"DeploymentID", "d"}}),
            "400 All or Groups must say which groups to promote");
  EXPECT_EQ(Refusal("PUT", "/v1/deployment/promote/d",
                    {{"DeploymentID", "d"}, {"All", true}, {"Groups", {"g"}}}),
            "400 All and Groups contradict each other");
  for (const char* path : {"fail", "unblock"}) {
    EXPECT_EQ(Refusal("PUT", std::string("/v1/deployment/") + path + "/d"),
              "404 deployment not found");
  }
}

}  // namespace
}  // namespace drover
