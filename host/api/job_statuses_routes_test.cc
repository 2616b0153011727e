// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::StartsWith;

constexpr char kPath[] = "/v1/jobs/statuses";

class JobStatusesTest : public ApiFixture {
 protected:
  JobStatusesTest() { RegisterNode(); }

  static std::vector<std::string> Ids(const json& statuses) {
    std::vector<std::string> ids;
    for (const json& status : statuses) ids.push_back(status["ID"]);
    return ids;
  }
  void Register(const std::string& id, const std::string& job_namespace = "default") {
    json body = JobBody(id);
    body["Job"]["Namespace"] = job_namespace;
    Must("PUT", "/v1/jobs", body);
  }
  // Registers a job with a parent, which no client can do.
  void RegisterChild(const std::string& id, const std::string& parent) {
    JobRegistration registration = Registration(id, 1);
    const auto job = std::make_shared<Job>(*registration.job);
    job->parent_id = parent;
    registration.json = std::make_shared<const json>(CanonicalJob(*job, json::object()));
    registration.job = job;
    MustRegister(std::move(registration));
  }
  std::vector<std::string> List(const std::string& query) {
    return Ids(Get(kPath + ("?" + query)));
  }
};

TEST_F(JobStatusesTest, AJobHasWhatAPageShows) {
  json body = JobBody("web", 2);
  body["Job"]["Meta"] = {{"pack.name", "p"}};
  Must("PUT", "/v1/jobs", body);
  const json job = Get("/v1/job/web");
  json status = Get(kPath).at(0);
  EXPECT_EQ(status["Allocs"].size(), 2u);
  for (const json& alloc : status["Allocs"]) {
    EXPECT_EQ(alloc, json({{"ID", alloc["ID"]},
                           {"Group", "g"},
                           {"ClientStatus", "pending"},
                           {"NodeID", "node"},
                           {"DeploymentStatus", {{"Canary", false}, {"Healthy", nullptr}}},
                           {"JobVersion", 0},
                           {"FollowupEvalID", ""},
                           {"HasPausedTask", false}}));
  }
  status.erase("Allocs");
  EXPECT_EQ(status, json({{"ID", "web"},
                          {"Namespace", "default"},
                          {"Name", "web"},
                          {"Type", "service"},
                          {"NodePool", "default"},
                          {"Datacenters", {"*"}},
                          {"Priority", 50},
                          {"Version", 0},
                          {"SubmitTime", job["SubmitTime"]},
                          {"ModifyIndex", job["ModifyIndex"]},
                          {"GroupCountSum", 2},
                          {"ChildStatuses", nullptr},
                          {"ParentID", ""},
                          {"LatestDeployment", status["LatestDeployment"]},
                          {"Stop", false},
                          {"IsPack", true},
                          {"Status", job["Status"]}}));
}

TEST_F(JobStatusesTest, TheNewestChangeIsFirst) {
  for (const char* id : {"a", "b", "c"}) Register(id);
  Must("PUT", "/v1/jobs", JobBody("a", 2));
  EXPECT_THAT(List(""), ElementsAre("a", "c", "b"));
  EXPECT_THAT(List("reverse=true"), ElementsAre("b", "c", "a"));
  Register("elsewhere", "other");
  EXPECT_THAT(List(""), ElementsAre("a", "c", "b"));
  EXPECT_THAT(List("namespace=other"), ElementsAre("elsewhere"));
  EXPECT_THAT(List("namespace=*"), ElementsAre("elsewhere", "a", "c", "b"));
  EXPECT_THAT(List("filter=ID%20%3D%3D%20%22c%22"), ElementsAre("c"));
}

TEST_F(JobStatusesTest, ChildrenAreListedOnRequest) {
  Register("parent");
  RegisterChild("child", "parent");
  EXPECT_THAT(List(""), ElementsAre("parent"));
  EXPECT_THAT(List("include_children=true"), ElementsAre("child", "parent"));
}

TEST_F(JobStatusesTest, PagesFollowEachOther) {
  for (const char* id : {"a", "b", "c", "d", "e"}) Register(id);
  for (const char* filter : {"", "&filter=ID%20!%3D%20%22x%22"}) {
    for (const char* order : {"", "&reverse=true"}) {
      std::vector<std::string> all;
      std::string token;
      do {
        const HttpReply page =
            Ask("GET", kPath + ("?per_page=2&next_token=" + token) + filter + order);
        const std::vector<std::string> ids = Ids(json::parse(page.body));
        EXPECT_EQ(ids.size(), all.size() < 4 ? 2u : 1u);
        all.insert(all.end(), ids.begin(), ids.end());
        token = HeaderOf(page, "X-Nomad-NextToken");
      } while (!token.empty() && all.size() < 10);
      if (*order != '\0') std::reverse(all.begin(), all.end());
      EXPECT_THAT(all, ElementsAre("e", "d", "c", "b", "a")) << filter;
    }
  }
  // The token is a modify index. Pages of Nomad add 1 to it, to find the page before.
  const std::uint64_t index = Get("/v1/job/c")["ModifyIndex"];
  EXPECT_THAT(List("per_page=1&next_token=" + std::to_string(index)), ElementsAre("c"));
  EXPECT_THAT(List("per_page=1&reverse=true&next_token=" + std::to_string(index + 1)),
              ElementsAre("d"));
}

TEST_F(JobStatusesTest, JobsOfOneWriteAreOnOnePage) {
  for (const char* id : {"a", "b", "c"}) Register(id);
  // The node goes away, and one write changes all jobs.
  std::vector<AllocUpdate> updates;
  for (const auto& alloc : Allocs()) {
    updates.push_back({alloc->id(), {ClientStatus::kComplete, "by a test"}, {}, 0});
  }
  EXPECT_TRUE(Await<Status>(scheduler.UpdateAllocs(context, "node", updates)).ok());
  const json all = Get(kPath);
  ASSERT_EQ(all[0]["ModifyIndex"], all[2]["ModifyIndex"]) << all.dump(1);
  const HttpReply page = Ask("GET", kPath + std::string("?per_page=1"));
  EXPECT_THAT(Ids(json::parse(page.body)), ElementsAre("a", "b", "c"));
  EXPECT_EQ(HeaderOf(page, "X-Nomad-NextToken"), "");
}

TEST_F(JobStatusesTest, ABodyNamesTheJobs) {
  Register("a");
  Register("b");
  Register("b", "other");
  const json wanted = {{"Jobs",
                        {{{"ID", "a"}, {"Namespace", "default"}},
                         {{"ID", "b"}, {"Namespace", "other"}},
                         {{"ID", "none"}, {"Namespace", "other"}}}}};
  EXPECT_THAT(Ids(Must("POST", kPath, wanted)), ElementsAre("b", "a"));
  EXPECT_THAT(Ids(Must("POST", kPath + std::string("?per_page=1"), wanted)), ElementsAre("b", "a"));
  const json small = {{"jobs", {{{"id", "b"}, {"namespace", "other"}}}}};
  EXPECT_THAT(Ids(Must("POST", kPath + std::string("?namespace=*"), small)), ElementsAre("b"));
  EXPECT_THAT(Ids(Must("POST", kPath, {{"Jobs", {{{"ID", "a"}}}}})), ElementsAre("a"));
  EXPECT_THAT(Ids(Must("POST", kPath)), ElementsAre("b", "a")) << "without a body: all";
}

TEST_F(JobStatusesTest, WrongRequests) {
  for (const json& none : {json::object(), json({{"Jobs", json::array()}}), json({{"Jobs", 7}})}) {
    EXPECT_EQ(Refusal("POST", kPath, none), "400 no jobs in request") << none;
  }
  for (const json& bad : {json(7), json::object(), json({{"ID", 7}}), json({{"Namespace", "a"}}),
                          json({{"ID", "a"}, {"Namespace", 7}})}) {
    EXPECT_THAT(Refusal("POST", kPath, {{"Jobs", {bad}}}), StartsWith("400 each of Jobs must"))
        << bad;
  }
  EXPECT_THAT(AskText("POST", kPath, "x").status, 400);
  for (const char* query : {"per_page=x", "next_token=x", "next_token=-1", "filter=x", "index=x"}) {
    EXPECT_THAT(Refusal("GET", kPath + std::string("?") + query), StartsWith("400 ")) << query;
  }
  EXPECT_EQ(Refusal("PUT", kPath), "405 Invalid method");
}

TEST_F(JobStatusesTest, AClientWaitsForAChangeOfItsPage) {
  class Waiting : public FakeExchange {
   public:
    using FakeExchange::FakeExchange;
    Co<Status> Reply(HttpReply sent) override {
      reply = std::move(sent);
      co_return Status();
    }
    std::optional<HttpReply> reply;
  };
  Register("off");
  Register("on");
  const HttpReply first = Ask("GET", kPath + std::string("?per_page=1"));
  EXPECT_THAT(Ids(json::parse(first.body)), ElementsAre("on"));
  const auto wait = [&](const HttpReply& seen) {
    return "per_page=1&wait=1h&index=" + HeaderOf(seen, "X-Nomad-Index");
  };
  const auto id_of = [&](const std::string& job) {
    return Get("/v1/job/" + job + "/allocations")[0]["ID"].get<std::string>();
  };
  const HttpHandler handler = MakeApiHandler(&agent_);
  Waiting exchange(&loop, kPath, wait(first));
  loop.Spawn(handler(&exchange));
  loop.RunReady();
  EXPECT_FALSE(exchange.reply);
  // No status of a job changes, only an allocation: of another page, and then of this one.
  EXPECT_EQ(Get("/v1/job/off")["Status"], "running");
  Report(id_of("off"), ClientStatus::kRunning);
  loop.RunReady();
  EXPECT_FALSE(exchange.reply);
  Report(id_of("on"), ClientStatus::kRunning);
  loop.RunReady();
  ASSERT_TRUE(exchange.reply);
  EXPECT_EQ(json::parse(exchange.reply->body)[0]["Allocs"][0]["ClientStatus"], "running");

  // A purged job also ends the wait.
  Waiting again(&loop, kPath, wait(*exchange.reply));
  loop.Spawn(handler(&again));
  loop.RunReady();
  EXPECT_FALSE(again.reply);
  Must("DELETE", "/v1/job/on?purge=true");
  loop.RunReady();
  ASSERT_TRUE(again.reply);
  EXPECT_THAT(Ids(json::parse(again.reply->body)), ElementsAre("off"));
}

}  // namespace
}  // namespace drover
