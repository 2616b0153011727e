// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include "host/api/api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class AgentRouteTest : public ApiFixture {
 protected:
  // The route that answers PATH.
  static Route RouteOf(const std::string& path) {
    for (const Route& route : AllRoutes()) {
      if (route.methods == "GET" && MatchPath(route.pattern, path)) return route;
    }
    ADD_FAILURE() << "there is no route for " << path;
    return {};
  }
};

TEST_F(AgentRouteTest, TheOneMemberIsWhereTheApiIs) {
  EXPECT_EQ(Get("/v1/agent/self")["member"]["Port"], 0) << "it does not serve yet";
  RegisterNode();
  const json self = Get("/v1/agent/self");
  const json member = self["member"];
  EXPECT_EQ(member["Name"], "n1.global");
  EXPECT_EQ(member["Addr"], "127.0.0.1");
  EXPECT_EQ(member["Port"], 4711);
  EXPECT_EQ(member["Status"], "alive");
  EXPECT_EQ(member["Tags"]["build"], "1.2.3");
  EXPECT_TRUE(self["config"].is_object());
  for (const auto& [section, values] : self["stats"].items()) {
    for (const auto& [name, value] : values.items()) EXPECT_TRUE(value.is_string()) << name;
  }
  EXPECT_EQ(Get("/v1/agent/members"), json({{"ServerName", "n1"},
                                            {"ServerRegion", "global"},
                                            {"ServerDC", "dc1"},
                                            {"Members", {member}}}));
  EXPECT_EQ(Get("/v1/agent/servers"), json({"127.0.0.1:4711"}));
  EXPECT_EQ(Get("/v1/status/leader"), "127.0.0.1:4711");
  EXPECT_EQ(Get("/v1/status/peers"), json({"127.0.0.1:4711"}));
  EXPECT_EQ(Get("/v1/regions"), json({"global"}));
  EXPECT_EQ(Get("/v1/nodes")[0]["Address"], "127.0.0.1");
}

TEST_F(AgentRouteTest, ClientsTakeTheMemberForTheLeader) {
  RegisterNode();
  const json tags = Get("/v1/agent/members")["Members"][0]["Tags"];
  EXPECT_EQ(tags["rpc_addr"].get<std::string>() + ":" + tags["port"].get<std::string>(),
            Get("/v1/status/leader").get<std::string>());
  for (const auto& [name, value] : tags.items()) EXPECT_TRUE(value.is_string()) << name;
}

TEST_F(AgentRouteTest, WhatClientsKnowIsRefusedByName) {
  RegisterNode();
  for (const char* request : {"GET /v1/node/pools",
                              "PUT /v1/node/pools",
                              "GET /v1/node/pool/default",
                              "PUT /v1/namespace",
                              "PUT /v1/namespace/x",
                              "DELETE /v1/namespace/x",
                              "GET /v1/agent/host",
                              "GET /v1/agent/schedulers",
                              "PUT /v1/agent/schedulers/config",
                              "PUT /v1/agent/reload",
                              "GET /v1/agent/monitor/export",
                              "GET /v1/client/identity",
                              "PUT /v1/client/identity/renew",
                              "PUT /v1/volumes/claims",
                              "GET /v1/volume/csi/x",
                              "PUT /v1/volumes",
                              "GET /v1/recommendations",

                              "GET /v1/quota/x",
                              "DELETE /v1/operator/keyring/key/x",
                              "GET /v1/operator/raft/configuration"}) {
    const std::string text = request;
    const std::size_t space = text.find(' ');
    const std::string refusal = Refusal(text.substr(0, space), text.substr(space + 1));
    EXPECT_THAT(refusal, HasSubstr("501 " + text.substr(space + 1))) << request;
  }
  EXPECT_EQ(Ask("GET", "/v1/nothing").status, 404) << "what nobody knows";
  EXPECT_EQ(Ask("GET", "/v1/node/*").status, 404) << "a star is no pattern in a path";
}

TEST_F(AgentRouteTest, EvaluationsCanBeDeletedByClientsThatLookForThePause) {
  EXPECT_EQ(Get("/v1/operator/scheduler/configuration")["SchedulerConfig"]["PauseEvalBroker"],
            true);
}

TEST_F(AgentRouteTest, WhoDisplacesOthersCanBeChanged) {
  const std::string path = "/v1/operator/scheduler/configuration";
  json config = Get(path)["SchedulerConfig"];
  EXPECT_EQ(config["PreemptionConfig"]["SystemSchedulerEnabled"], true);
  EXPECT_EQ(config["PreemptionConfig"]["ServiceSchedulerEnabled"], false);
  config["PreemptionConfig"]["ServiceSchedulerEnabled"] = true;
  EXPECT_EQ(Must("PUT", path, config)["Updated"], true);
  const json changed = Get(path)["SchedulerConfig"];
  EXPECT_EQ(changed["PreemptionConfig"], config["PreemptionConfig"]);
  const std::string last = std::to_string(changed["ModifyIndex"].get<std::uint64_t>());
  EXPECT_EQ(Must("PUT", path + "?cas=99", config)["Updated"], false);
  EXPECT_EQ(Must("PUT", path + "?cas=" + last, config)["Updated"], true);
  EXPECT_THAT(Refusal("PUT", path + "?cas=x", config), HasSubstr("400 cas: "));
  const std::pair<const char*, json> refused[] = {{"SchedulerAlgorithm", "spread"},
                                                  {"MemoryOversubscriptionEnabled", false},
                                                  {"RejectJobRegistration", true},
                                                  {"PreemptionConfig", 7}};
  for (const auto& [field, value] : refused) {
    json wrong = config;
    wrong[field] = value;
    EXPECT_THAT(Refusal("PUT", path, wrong), HasSubstr(std::string("400 ") + field)) << field;
  }
}

TEST_F(AgentRouteTest, ListsThatNeverChangeHaveAnIndexAndWait) {
  for (const char* list : {"/v1/namespaces"}) {
    EXPECT_EQ(HeaderOf(Ask("GET", list), "X-Nomad-Index"), "1") << list;
    FakeRequest waiting(&loop, &agent_, RouteOf(list), "index=1&wait=10s");
    loop.Advance(9s);
    EXPECT_FALSE(waiting.answer.has_value()) << list << " does not wait";
    loop.Advance(2s);
    ASSERT_TRUE(waiting.answer.has_value()) << list;
    EXPECT_EQ(waiting.answer->reply.status, 200);
  }
}

TEST_F(AgentRouteTest, AGetThatChangesThingsIsNoPages) {
  RegisterNode();
  EXPECT_EQ(Ask("GET", "/v1/client/gc").status, 200);
  EXPECT_EQ(Ask("GET", "/v1/client/gc", nullptr, {{"User-Agent", "Mozilla/5.0"}}).status, 403);
  EXPECT_EQ(Ask("PUT", "/v1/client/gc", nullptr, {{"User-Agent", "Mozilla/5.0"}}).status, 200);
  for (const char* path : {"/v1/client/allocation/a/restart", "/v1/client/allocation/a/gc"}) {
    EXPECT_EQ(Ask("GET", path, nullptr, {{"User-Agent", "Mozilla/5.0"}}).status, 403) << path;
    EXPECT_EQ(Ask("GET", path).status, 404) << path;
  }
  EXPECT_EQ(Ask("GET", "/v1/jobs", nullptr, {{"User-Agent", "Mozilla/5.0"}}).status, 200);
}

TEST_F(AgentRouteTest, ABodyOfTooManyValuesIsRefusedBeforeItIsRead) {
  std::string maps = "[{}";
  while (maps.size() < (1 << 20)) maps += ",{}";
  const HttpReply reply = AskText("PUT", "/v1/jobs", "{\"Job\":" + maps + "]}");
  EXPECT_EQ(reply.status, 413);
  EXPECT_THAT(reply.body, HasSubstr("too many values"));
  EXPECT_EQ(agent_.trees->left(), ApiAgent::kTreeBytes);
}

TEST_F(AgentRouteTest, HealthIsToldByItsCode) {
  RegisterNode(false);
  const HttpReply early = Ask("GET", "/v1/agent/health");
  EXPECT_EQ(early.status, 500);
  EXPECT_EQ(early.content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(json::parse(early.body)["client"]["ok"], false);
  EXPECT_EQ(Get("/v1/agent/health?type=server"),
            json({{"server", {{"ok", true}, {"message", "ok"}}}}));
  RegisterNode();
  const json ok = {{"ok", true}, {"message", "ok"}};
  EXPECT_EQ(Get("/v1/agent/health"), json({{"client", ok}, {"server", ok}}));
  EXPECT_EQ(Get("/v1/agent/health?type=client"), json({{"client", ok}}));
}

TEST_F(AgentRouteTest, WhatIsForManyMachinesIsRefused) {
  for (const auto& [method, path] : {std::pair("PUT", "/v1/agent/servers?address=1.2.3.4"),
                                     std::pair("PUT", "/v1/agent/join?address=1.2.3.4"),
                                     std::pair("PUT", "/v1/agent/force-leave?node=n")}) {
    EXPECT_THAT(Refusal(method, path), HasSubstr("501 /v1/")) << path;
  }
  EXPECT_EQ(Refusal("GET", "/v1/none"), "404 ");
  for (const char* path : {"/v1/system/gc", "/v1/system/reconcile/summaries"}) {
    const HttpReply reply = Ask("PUT", path);
    EXPECT_EQ(std::pair(reply.status, reply.body), std::pair(200, std::string())) << path;
    EXPECT_EQ(Refusal("GET", path), "405 Invalid method");
  }
}

TEST_F(AgentRouteTest, Namespaces) {
  RegisterNode();
  json body = JobBody("web");
  body["Job"]["Namespace"] = "team";
  Must("PUT", "/v1/jobs", body);
  EXPECT_EQ(Get("/v1/namespace/team")["Name"], "team");
  EXPECT_EQ(Refusal("GET", "/v1/namespace/none"), "404 Namespace not found");
  EXPECT_EQ(Get("/v1/namespaces?prefix=t").size(), 1u);
  for (const char* field : {"Name", "Description", "Quota", "Capabilities"}) {
    EXPECT_TRUE(Get("/v1/namespaces")[0].contains(field)) << field;
  }
}

TEST_F(AgentRouteTest, ASearchKnowsAllContexts) {
  RegisterNode();
  Must("PUT", "/v1/jobs", JobBody("web"));
  for (const char* everywhere : {"", "all"}) {
    const json found = Must("POST", "/v1/search", {{"Prefix", ""}, {"Context", everywhere}});
    EXPECT_EQ(found["Matches"]["jobs"], json({"web"}));
    EXPECT_EQ(found["Matches"]["nodes"], json({"node"}));
    EXPECT_EQ(found["Matches"]["namespaces"], json({"default"}));
    EXPECT_EQ(found["Matches"]["allocs"].size(), 1u);
    EXPECT_EQ(found["Matches"]["evals"].size(), 1u);
    EXPECT_EQ(found["Truncations"]["jobs"], false);
  }
  for (const char* context :
       {"allocs", "jobs", "nodes", "node_pools", "evals", "deployment", "plugins", "volumes",
        "scaling_policy", "vars", "namespaces", "host_volumes"}) {
    EXPECT_EQ(Ask("PUT", "/v1/search", {{"Prefix", "x"}, {"Context", context}}).status, 200);
  }
  for (const char* context : {"groups", "services", "tasks", "images", "commands", "classes"}) {
    EXPECT_EQ(Ask("PUT", "/v1/search/fuzzy", {{"Text", "xx"}, {"Context", context}}).status, 200);
  }
  EXPECT_EQ(Refusal("PUT", "/v1/search", {{"Context", "none"}}), "400 unknown context \"none\"");
}

}  // namespace
}  // namespace drover
