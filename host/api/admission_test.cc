// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/request/admission.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <spdlog/logger.h>

#include <algorithm>

#include "host/api/acl_api_fixture.h"
#include "host/streams/log_monitor.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

class AdmissionTest : public AclApiFixture {
 protected:
  AdmissionTest() { RegisterNode(); }

  // Registers a job in NAME_SPACE, and returns the id of its allocation.
  std::string MakeJob(const std::string& id, const std::string& name_space = "default") {
    json body = JobBody(id);
    body["Job"]["Namespace"] = name_space;
    EXPECT_EQ(StatusAs(management_, "PUT", "/v1/jobs", body), 200);
    std::string alloc;
    store.Read([&](const Tables& tables) {
      for (const auto& record : tables.AllocsOf(JobKey(name_space, id))) alloc = record->id();
    });
    EXPECT_NE(alloc, "");
    return alloc;
  }
  static std::vector<std::string> Ids(const json& list, const char* key = "ID") {
    std::vector<std::string> ids;
    for (const json& one : list) ids.push_back(one.value(key, ""));
    std::sort(ids.begin(), ids.end());
    return ids;
  }
  // Sends a request with TOKEN, and returns what the router decides before it calls a handler.
  Admission Enter(Entrance entrance, const std::string& token,
                  const RouteAccess* access = nullptr) {
    HttpRequest http;
    http.client = "allocation a";
    http.remote = "127.0.0.1:1";
    if (!token.empty()) http.headers.emplace_back("X-Nomad-Token", token);
    return Admit(agent_, entrance, http, access, {}, &loop);
  }
  std::string Refused(Entrance entrance, const std::string& token) {
    const Admission admission = Enter(entrance, token);
    if (!admission.refusal) return "admitted";
    const HttpReply& reply = admission.refusal->reply;
    return std::to_string(reply.status) + " " + reply.body + (reply.close ? " (closed)" : "");
  }

  const std::string management_ = MakeManagement().secret;
};

TEST_F(AdmissionTest, TheTokenOfTheAgentIsAskedFor) {
  Enable(false, "0123456789abcdef");
  EXPECT_EQ(Refusal("GET", "/v1/jobs"), "403 Permission denied");
  EXPECT_EQ(AskAs("guess", "GET", "/v1/jobs").body, "ACL token not found");
  EXPECT_EQ(StatusAs("0123456789abcdef", "GET", "/v1/jobs"), 200);
  EXPECT_EQ(StatusAs("guess", "GET", "/v1/nothing"), 403);
  EXPECT_EQ(StatusAs("0123456789abcdef", "GET", "/v1/nothing"), 404);
  EXPECT_EQ(StatusAs("guess", "GET", "/v1/regions"), 200);
  const HttpFields two = {{"X-Nomad-Token", "0123456789abcdef"}, {"X-Nomad-Token", "b"}};
  EXPECT_EQ(Ask("GET", "/v1/jobs", nullptr, two).body, "two different tokens are given");
  Enable(false);
  EXPECT_EQ(Ask("GET", "/v1/jobs", nullptr, two).status, 200);
  EXPECT_EQ(StatusAs("any", "GET", "/v1/jobs"), 200);
}

TEST_F(AdmissionTest, TheSocketOfATaskAlwaysAsksForAToken) {
  tasks_["own.a.b"] = {"default", "web", "g", "t", "alloc"};
  for (const bool enabled : {false, true}) {
    Enable(enabled);
    EXPECT_EQ(Refused(Entrance::kTask, ""), "401 Unauthorized");
    EXPECT_EQ(Refused(Entrance::kTask, "guess"), "403 Forbidden");
    EXPECT_EQ(Refused(Entrance::kTask, "forged.a.b"), "403 Forbidden");
    EXPECT_EQ(Refused(Entrance::kTask, "own.a.b"), "admitted");
    EXPECT_FALSE(Enter(Entrance::kTask, "own.a.b").caller.principal.acl->is_management());
    EXPECT_EQ(Enter(Entrance::kTask, "own.a.b").caller.entrance, Entrance::kTask);
  }
  EXPECT_EQ(Refused(Entrance::kTask, management_), "admitted");
  // Even what is open elsewhere.
  const RouteAccess* const health = FindRouteAccess("GET", "/v1/agent/health");
  EXPECT_TRUE(Enter(Entrance::kTask, "", health).refusal.has_value());
  EXPECT_FALSE(Enter(Entrance::kAgent, "", health).refusal.has_value());
  ended_.insert("alloc");
  EXPECT_EQ(Refused(Entrance::kTask, "own.a.b"), "403 Forbidden");
}

TEST_F(AdmissionTest, AnErrorOfTheCheckItselfIsNoRefusal) {
  AclResolver broken(&state_);
  broken.SetSettings({.enabled = true, .agent_token_hash = ""});
  IdentityVerifier verifier;
  verifier.verify = [](std::string_view, WallTime) -> Result<AclIdentity> {
    return Error(Code::kInternal, "the keys cannot be read");
  };
  broken.SetVerifier(std::move(verifier));
  agent_.resolver = &broken;
  EXPECT_EQ(Refused(Entrance::kTask, "a.b.c"), "500 the keys cannot be read");
}

TEST_F(AdmissionTest, WhoGuessesTooOftenIsToldToWaitAndOthersAreNot) {
  AclResolver strict(&state_, {.at_once = 3, .each = 1s, .sources = 10});
  strict.SetSettings({.enabled = true, .agent_token_hash = ""});
  agent_.resolver = &strict;
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Refused(Entrance::kTask, "guess"), "403 Forbidden");
  EXPECT_EQ(Refused(Entrance::kTask, "guess"),
            "429 too many wrong tokens: try again later (closed)");
  EXPECT_EQ(Refused(Entrance::kTask, management_), "admitted");
  EXPECT_EQ(Refused(Entrance::kAgent, "guess"), "403 ACL token not found");
}

TEST_F(AdmissionTest, OnlyKnownClientsAreTrusted) {
  const RouteAccess* const jobs = FindRouteAccess("GET", "/v1/nodes");
  const RouteAccess* const open = FindRouteAccess("GET", "/v1/regions");
  EXPECT_TRUE(Enter(Entrance::kAgent, management_, jobs).trusted);
  EXPECT_FALSE(Enter(Entrance::kAgent, management_, open).trusted) << "nobody has asked it";
  EXPECT_FALSE(Enter(Entrance::kAgent, "", jobs).trusted);
  MakePolicy("anonymous", R"({"node": {"policy": "read"}})");
  EXPECT_TRUE(Enter(Entrance::kAgent, "", jobs).trusted);
  EXPECT_FALSE(Enter(Entrance::kAgent, "", nullptr).trusted);
  Enable(false);
  EXPECT_TRUE(Enter(Entrance::kAgent, "", open).trusted);
}

TEST_F(AdmissionTest, AFilterFindsNothingThatTheClientMayNotRead) {
  json body = JobBody("web");
  body["Job"]["TaskGroups"][0]["Tasks"][0]["Env"] = {{"PASSWORD", "hunter2"}};
  ASSERT_EQ(StatusAs(management_, "PUT", "/v1/jobs", body), 200);
  const std::string lister = TokenWith(CapabilityRules("list-jobs"));
  const std::string reader = TokenWith(R"({"namespace": {"default": {"policy": "read"}}})");
  for (const std::string path : {"/v1/jobs", "/v1/jobs/statuses"}) {
    const std::string listed = path + "?filter=Type%20%3D%3D%20service";
    EXPECT_THAT(Ids(GetAs(lister, listed)), ElementsAre("web"));
    const std::string guess =
        path + "?filter=TaskGroups.0.Tasks.0.Env.PASSWORD%20matches%20%22%5Eh%22";
    EXPECT_THAT(Ids(GetAs(reader, guess)), ElementsAre("web"));
    EXPECT_EQ(StatusAs(lister, "GET", guess), 400);
  }
}

TEST_F(AdmissionTest, ListsShowWhatTheClientMaySee) {
  const std::string one = MakeJob("one"), other = MakeJob("other", "team");
  const std::string reader = TokenWith(
      R"({"namespace": {"team": {"capabilities": ["list-jobs", "read-job"]}},
          "node": {"policy": "read"}})");
  EXPECT_EQ(StatusAs(reader, "GET", "/v1/jobs"), 403);
  EXPECT_THAT(Ids(GetAs(reader, "/v1/jobs?namespace=*")), ElementsAre("other"));
  EXPECT_THAT(Ids(GetAs(management_, "/v1/jobs?namespace=*")), ElementsAre("one", "other"));
  EXPECT_THAT(Ids(GetAs(reader, "/v1/jobs/statuses?namespace=*")), ElementsAre("other"));
  EXPECT_THAT(Ids(GetAs(reader, "/v1/allocations?namespace=*")), ElementsAre(other));
  EXPECT_THAT(Ids(GetAs(reader, "/v1/evaluations?namespace=*"), "JobID"), ElementsAre("other"));
  EXPECT_EQ(GetAs(reader, "/v1/evaluations/count?namespace=*")["Count"], 1);
  EXPECT_THAT(Ids(GetAs(reader, "/v1/node/node/allocations")), ElementsAre(other));
  EXPECT_THAT(Ids(GetAs(reader, "/v1/namespaces"), "Name"), ElementsAre("team"));
  EXPECT_EQ(StatusAs(reader, "GET", "/v1/namespace/default"), 403);
  EXPECT_EQ(StatusAs(reader, "GET", "/v1/allocation/" + other), 200);
  EXPECT_EQ(StatusAs(reader, "GET", "/v1/allocation/" + one), 403);
  EXPECT_EQ(StatusAs(reader, "GET", "/v1/allocation/none"), 404);
  EXPECT_EQ(StatusAs(MakeToken({}).secret, "GET", "/v1/allocation/none"), 403);
  // A job that the body names is in its own namespace.
  const json named = {{"Jobs", {{{"ID", "one"}}, {{"ID", "other"}, {"Namespace", "team"}}}}};
  const HttpReply statuses = AskAs(reader, "POST", "/v1/jobs/statuses?namespace=team", named);
  EXPECT_THAT(Ids(json::parse(statuses.body)), ElementsAre("other"));
}

TEST_F(AdmissionTest, AJobIsChangedInItsOwnNamespace) {
  const std::string writer = TokenWith(CapabilityRules("submit-job", "team"));
  json body = JobBody("web");
  EXPECT_EQ(StatusAs(writer, "PUT", "/v1/jobs", body), 403);
  EXPECT_EQ(StatusAs(writer, "PUT", "/v1/jobs?namespace=team", body), 200);
  body["Job"]["Namespace"] = "default";
  EXPECT_EQ(StatusAs(writer, "PUT", "/v1/jobs?namespace=team", body), 403);
  EXPECT_EQ(StatusAs(writer, "PUT", "/v1/job/web/plan?namespace=team", body), 403);
  EXPECT_EQ(StatusAs(writer, "PUT", "/v1/validate/job?namespace=team", body), 403);
  for (const json& odd : {json(""), json(nullptr)}) {
    body["Job"]["Namespace"] = odd;
    EXPECT_EQ(StatusAs(writer, "PUT", "/v1/jobs", body), 403) << odd;
  }
  body["Job"]["Namespace"] = 7;
  EXPECT_NE(StatusAs(writer, "PUT", "/v1/jobs", body), 200);
  EXPECT_EQ(StatusAs(writer, "DELETE", "/v1/job/web?namespace=default"), 403);
  EXPECT_EQ(StatusAs(writer, "DELETE", "/v1/job/web?namespace=team"), 200);
}

TEST_F(AdmissionTest, ASearchFindsWhatTheClientMaySee) {
  MakeJob("web-one");
  MakeJob("web-two", "team");
  const json prefix = {{"Prefix", "web"}, {"Context", "all"}};
  const auto found = [&](const std::string& secret, const json& wanted) {
    const HttpReply reply = AskAs(secret, "PUT", "/v1/search?namespace=*", wanted);
    EXPECT_EQ(reply.status, 200) << reply.body;
    return json::parse(reply.body, nullptr, false)["Matches"];
  };
  const std::string reader = TokenWith(CapabilityRules("read-job", "team"));
  EXPECT_EQ(found(reader, prefix)["jobs"], json::array({"web-two"}));
  EXPECT_FALSE(found(reader, prefix).contains("nodes"));
  EXPECT_TRUE(found(management_, prefix).contains("nodes"));
  const std::string node = TokenWith(R"({"node": {"policy": "read"}})");
  EXPECT_FALSE(found(node, prefix).contains("jobs"));
  const auto status = [&](const std::string& secret, const std::string& context) {
    return StatusAs(secret, "PUT", "/v1/search?namespace=*",
                    {{"Prefix", "web"}, {"Context", context}});
  };
  EXPECT_EQ(status(node, "nodes"), 200);
  EXPECT_EQ(status(node, "jobs"), 403);
  EXPECT_EQ(status(reader, "nodes"), 403);
  EXPECT_EQ(status(MakeToken({}).secret, "all"), 403);
  EXPECT_EQ(status(MakeToken({}).secret, "odd"), 400);
  const HttpReply fuzzy =
      AskAs(reader, "PUT", "/v1/search/fuzzy?namespace=*", {{"Text", "web"}, {"Context", "all"}});
  const json matches = json::parse(fuzzy.body, nullptr, false)["Matches"];
  ASSERT_EQ(matches["jobs"].size(), 1u);
  EXPECT_EQ(matches["jobs"][0]["ID"], "web-two");
}

TEST_F(AdmissionTest, ATaskReadsItsOwnAllocation) {
  const std::string own = MakeJob("web"), other = MakeJob("other");
  tasks_["own.a.b"] = {"default", "web", "g", "t", own};
  EXPECT_EQ(StatusAs("own.a.b", "GET", "/v1/allocation/" + own), 200);
  EXPECT_EQ(StatusAs("own.a.b", "GET", "/v1/allocation/" + other), 403);
  EXPECT_EQ(StatusAs("own.a.b", "GET", "/v1/allocation/none"), 403);
  EXPECT_EQ(StatusAs("own.a.b", "PUT", "/v1/allocation/" + own + "/stop"), 403);
  EXPECT_EQ(StatusAs("own.a.b", "GET", "/v1/job/web"), 403);
  EXPECT_EQ(StatusAs("own.a.b", "GET", "/v1/jobs"), 403);
  EXPECT_EQ(StatusAs("own.a.b", "GET", "/v1/services"), 200);
  EXPECT_EQ(StatusAs("own.a.b", "GET", "/v1/services?namespace=team"), 403);
  EXPECT_EQ(StatusAs("forged.a.b", "GET", "/v1/services"), 403);
  ended_.insert(own);
  EXPECT_EQ(StatusAs("own.a.b", "GET", "/v1/allocation/" + own), 403);
}

TEST_F(AdmissionTest, ChangesHoldForTheNextRequest) {
  const TokenWrite token = MakeToken({"p"});
  EXPECT_EQ(StatusAs(token.secret, "GET", "/v1/nodes"), 403);
  MakePolicy("p", R"({"node": {"policy": "read"}})");
  EXPECT_EQ(StatusAs(token.secret, "GET", "/v1/nodes"), 200);
  EXPECT_EQ(StatusAs(management_, "DELETE", "/v1/acl/token/" + token.token->accessor_id), 200);
  EXPECT_EQ(AskAs(token.secret, "GET", "/v1/nodes").body, "ACL token not found");
  const TokenWrite short_lived = MakeToken({"p"}, 1min);
  EXPECT_EQ(StatusAs(short_lived.secret, "GET", "/v1/nodes"), 200);
  loop.Advance(1min);
  EXPECT_EQ(AskAs(short_lived.secret, "GET", "/v1/nodes").body, "ACL token expired");
}

// An answer to one client that goes on until the client leaves.
struct StreamClient {
  StreamClient(SimLoop* on, const ApiAgent* agent, const std::string& query,
               const std::string& token, const std::string& path = "/v1/event/stream")
      : loop(on), exchange(on, path, query), handler(MakeApiHandler(agent)) {
    exchange.Send("GET", "", {{"X-Nomad-Token", token}});
    loop->Spawn(Run(this));
    loop->RunReady();
  }
  ~StreamClient() {
    exchange.Leave();
    loop->RunReady();
    EXPECT_TRUE(ended);
  }
  static Co<void> Run(StreamClient* self) {
    co_await self->handler(&self->exchange);
    self->ended = true;
  }

  SimLoop* const loop;
  FakeExchange exchange;
  const HttpHandler handler;
  bool ended = false;
};

TEST_F(AdmissionTest, AnEventStreamNeedsTheRightOfEachTopic) {
  const std::string reader = TokenWith(CapabilityRules("read-job"));
  for (const char* query : {"", "?topic=*", "?topic=Node", "?topic=Job&topic=Node",
                            "?topic=Job&namespace=team", "?topic=ACLToken"}) {
    EXPECT_EQ(StatusAs(reader, "GET", std::string("/v1/event/stream") + query), 403) << query;
  }
  StreamClient client(&loop, &agent_, "topic=Job&topic=Evaluation&namespace=*", reader);
  EXPECT_EQ(client.exchange.Take(), "{}\n");
  MakeJob("hidden", "team");
  loop.RunReady();
  EXPECT_EQ(client.exchange.Take(), "");
  MakeJob("seen");
  loop.RunReady();
  const std::string got = client.exchange.Take();
  EXPECT_NE(got.find("\"seen\""), std::string::npos);
  EXPECT_EQ(got.find("hidden"), std::string::npos);
}

TEST_F(AdmissionTest, AnEventStreamOfVariablesHasThePathsThatTheClientMayList) {
  const auto put = [this](const std::string& target) {
    EXPECT_EQ(StatusAs(management_, "PUT", "/v1/var/" + target, {{"Items", {{"key", "secret"}}}}),
              200);
    loop.RunReady();
  };
  const auto rules = [](const char* path, const char* right) {
    json all;
    all["namespace"]["default"]["variables"]["path"][path]["capabilities"] = json::array({right});
    return all.dump();
  };
  const std::string lister = TokenWith(rules("app/*", "list"));
  for (const char* query : {"?topic=Variable&namespace=team", "?topic=Variable&topic=Job", ""}) {
    EXPECT_EQ(StatusAs(lister, "GET", std::string("/v1/event/stream") + query), 403) << query;
  }
  for (const std::string& other : {TokenWith(CapabilityRules("read-job")), MakeToken({}).secret,
                                   TokenWith(rules("app/*", "write"))}) {
    EXPECT_EQ(StatusAs(other, "GET", "/v1/event/stream?topic=Variable"), 403);
  }
  tasks_["own.a.b"] = {"default", "web", "g", "t", "alloc"};
  StreamClient client(&loop, &agent_, "topic=Variable&namespace=*", lister);
  StreamClient task(&loop, &agent_, "topic=Variable", "own.a.b");
  for (StreamClient* one : {&client, &task}) EXPECT_EQ(one->exchange.Take(), "{}\n");
  put("other");
  put("nomad/jobs/web2");
  put("app/db?namespace=team");
  for (StreamClient* one : {&client, &task}) EXPECT_EQ(one->exchange.Take(), "");
  put("app/db");
  put("nomad/jobs/web/g");
  const std::string got = client.exchange.Take(), of_task = task.exchange.Take();
  EXPECT_NE(got.find("\"Key\":\"app/db\""), std::string::npos) << got;
  EXPECT_EQ(got.find("nomad/jobs"), std::string::npos) << got;
  EXPECT_NE(of_task.find("\"Key\":\"nomad/jobs/web/g\""), std::string::npos) << of_task;
  EXPECT_EQ(of_task.find("app/db"), std::string::npos) << of_task;
  for (const std::string& text : {got, of_task}) {
    EXPECT_EQ(text.find("Items"), std::string::npos);
    EXPECT_EQ(text.find("secret"), std::string::npos);
  }
  EXPECT_EQ(StatusAs(management_, "DELETE", "/v1/var/app/db"), 204);
  loop.RunReady();
  EXPECT_NE(client.exchange.Take().find("\"Deleted\":true"), std::string::npos);
}

TEST_F(AdmissionTest, AnEventStreamEndsWithTheTokenOfTheAgent) {
  Enable(true, "0123456789abcdef");
  StreamClient client(&loop, &agent_, "", "0123456789abcdef");
  EXPECT_EQ(client.exchange.Take().substr(0, 3), "{}\n");
  Enable(true, "another-0123456789");
  MakeJob("web");
  loop.RunReady();
  EXPECT_EQ(client.exchange.Take(), "{\"Error\":\"Permission denied\"}\n");
  EXPECT_TRUE(client.ended);
}

TEST_F(AdmissionTest, AnEventStreamEndsWithTheRightToIt) {
  MakePolicy("p", CapabilityRules("read-job"));
  const TokenWrite token = MakeToken({"p"});
  StreamClient client(&loop, &agent_, "topic=Job", token.secret);
  EXPECT_EQ(client.exchange.Take(), "{}\n");
  EXPECT_EQ(StatusAs(management_, "DELETE", "/v1/acl/token/" + token.token->accessor_id), 200);
  MakeJob("web");
  loop.RunReady();
  EXPECT_EQ(client.exchange.Take(), "{\"Error\":\"Permission denied\"}\n");
  EXPECT_TRUE(client.ended);
}

// A websocket whose client sends nothing.
class SilentChannel : public WebSocketChannel {
 public:
  Co<Result<WebSocketMessage>> Read(Context) override {
    co_return Error(Code::kUnavailable, "the client has gone");
  }
  Co<Status> Write(Context, bool, std::string) override { co_return Status(); }
  Co<Status> Close(int, std::string reason) override {
    closed = std::move(reason);
    co_return Status();
  }
  std::string closed;  // the reason of the close
};

class SocketExchange : public FakeExchange {
 public:
  using FakeExchange::FakeExchange;
  Co<Result<WebSocketChannel*>> AcceptWebSocket() override { co_return &channel; }
  void Trust() override { trusted = true; }

  SilentChannel channel;
  bool trusted = false;
};

TEST_F(AdmissionTest, AWebsocketIsTrustedOnceItsClientMayUseTheRoute) {
  const HttpHandler handler = MakeApiHandler(&agent_);
  const auto open = [&](const std::string& secret) {
    SocketExchange exchange(&loop, "/v1/client/allocation/none/exec",
                            "task=t&command=%5B%22id%22%5D");
    exchange.Send("GET", "", {{"X-Nomad-Token", secret}});
    loop.Spawn(handler(&exchange));
    loop.RunReady();
    return exchange.channel.closed + (exchange.trusted ? " (trusted)" : "");
  };
  EXPECT_EQ(open(""), "Permission denied");
  EXPECT_EQ(open("guess"), "ACL token not found");
  EXPECT_EQ(open(TokenWith(CapabilityRules("read-job"))), "Permission denied");
  EXPECT_EQ(open(TokenWith(CapabilityRules("alloc-exec"))),
            "Unknown allocation \"none\" (trusted)");
}

TEST_F(AdmissionTest, TheLogGoesOnlyToThoseWhoMayReadItNow) {
  const auto logger = std::make_shared<spdlog::logger>("test");
  LogMonitor monitor(logger);
  agent_.log_monitor = &monitor;
  MakePolicy("p", R"({"agent": {"policy": "read"}})");
  const std::string reader = MakeToken({"p"}).secret;
  StreamClient client(&loop, &agent_, "", reader, "/v1/agent/monitor");
  logger->info("one");
  loop.RunReady();
  EXPECT_NE(client.exchange.Take(), "");
  MakePolicy("p", R"({"node": {"policy": "read"}})");
  logger->info("two");
  loop.RunReady();
  EXPECT_EQ(client.exchange.Take(), "");
  EXPECT_TRUE(client.ended);
}

}  // namespace
}  // namespace drover
