// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <thread>

#include "host/api/acl_api_fixture.h"
#include "host/base/directory_for_test.h"
#include "host/base/worker_pool.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kReadRules[] = R"({"namespace": {"default": {"policy": "read"}}})";

class AclRoutesTest : public AclApiFixture {
 protected:
  // Sends a request that a thread of its own may have to answer.
  HttpReply AskSlowly(const std::string& secret, const std::string& method,
                      const std::string& target, const json& body) {
    SlowReply exchange(&loop, target, "");
    exchange.Send(method, body.is_null() ? "" : body.dump(), {{"X-Nomad-Token", secret}});
    loop.Spawn(slow_(&exchange));
    for (int i = 0; i < 20'000 && !exchange.reply; ++i) {
      loop.RunReady();
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_TRUE(exchange.reply.has_value()) << target;
    loop.RunReady();
    return exchange.reply.value_or(HttpReply());
  }
  json MustAs(const std::string& secret, const std::string& method, const std::string& target,
              const json& body = nullptr) {
    const HttpReply reply = AskSlowly(secret, method, target, body);
    EXPECT_EQ(reply.status, 200) << method << " " << target << ": " << reply.body;
    return reply.body.empty() ? json() : json::parse(reply.body, nullptr, false);
  }
  std::string RefusedAs(const std::string& secret, const std::string& method,
                        const std::string& target, const json& body = nullptr) {
    const HttpReply reply = AskSlowly(secret, method, target, body);
    return std::to_string(reply.status) + " " + reply.body;
  }
  static std::vector<std::string> Names(const json& list, const char* key = "Name") {
    std::vector<std::string> names;
    for (const json& one : list) names.push_back(one.value(key, ""));
    return names;
  }

  class SlowReply : public FakeExchange {
   public:
    using FakeExchange::FakeExchange;
    Co<Status> Reply(HttpReply sent) override {
      reply = std::move(sent);
      co_return Status();
    }
    std::optional<HttpReply> reply;
  };

  const HttpHandler slow_ = MakeApiHandler(&agent_);
};

TEST_F(AclRoutesTest, WithoutPoliciesThereIsNothingOfThem) {
  Enable(false);
  for (const char* path : {"/v1/acl/policies", "/v1/acl/tokens", "/v1/acl/roles",
                           "/v1/acl/token/self", "/v1/acl/policy/self"}) {
    EXPECT_THAT(Refusal("GET", path),
                HasSubstr("400 ACL support disabled: set acl { enabled = true }"))
        << path;
  }
  EXPECT_THAT(Refusal("PUT", "/v1/acl/bootstrap"), HasSubstr("400 ACL support disabled"));
}

TEST_F(AclRoutesTest, TheFirstTokenIsMadeOnce) {
  const json first = Must("PUT", "/v1/acl/bootstrap");
  EXPECT_EQ(first["Type"], "management");
  EXPECT_EQ(first["Name"], "Bootstrap Token");
  EXPECT_EQ(first["Global"], true);
  const std::string secret = first["SecretID"];
  EXPECT_EQ(GetAs(secret, "/v1/acl/tokens").size(), 1u);
  EXPECT_THAT(Refusal("PUT", "/v1/acl/bootstrap"),
              HasSubstr("400 ACL bootstrap already done (reset index: "));
  const json self = GetAs(secret, "/v1/acl/token/self");
  EXPECT_EQ(self["AccessorID"], first["AccessorID"]);
  EXPECT_EQ(self["SecretID"], secret);
}

TEST_F(AclRoutesTest, WhereTheAgentHasATokenOnlyItsHolderMakesTheFirst) {
  Enable(true, "0123456789abcdef");
  MakePolicy("anonymous", R"({"namespace": {"*": {"policy": "write"}}})");
  const std::string client = MakeToken({"anonymous"}).secret;
  for (const std::string& token : {std::string(), client}) {
    const HttpReply refused = AskAs(token, "PUT", "/v1/acl/bootstrap");
    EXPECT_EQ(refused.status, 403) << token;
    EXPECT_EQ(refused.body, "Permission denied");
  }
  state_.Read([](const AclTables& tables) { EXPECT_EQ(tables.bootstrap_index(), 0u); });
  const HttpReply made = AskAs("0123456789abcdef", "PUT", "/v1/acl/bootstrap");
  EXPECT_EQ(made.status, 200) << made.body;
  EXPECT_EQ(json::parse(made.body, nullptr, false)["Type"], "management");
}

TEST_F(AclRoutesTest, ATaskDoesNotMakeTheFirstToken) {
  tasks_["own.a.b"] = {"default", "web", "g", "t", "alloc"};
  EXPECT_EQ(StatusAs("own.a.b", "PUT", "/v1/acl/bootstrap"), 403);
  // Whatever token a task has found, on its socket only a management token may do that.
  const HttpHandler socket = MakeApiHandler(&agent_, Entrance::kTask);
  SlowReply exchange(&loop, "/v1/acl/bootstrap", "");
  exchange.Send("PUT", "", {{"X-Nomad-Token", MakeToken({}).secret}});
  loop.Spawn(socket(&exchange));
  loop.Advance(1s);
  ASSERT_TRUE(exchange.reply.has_value());
  EXPECT_EQ(exchange.reply->status, 403);
  state_.Read([](const AclTables& tables) { EXPECT_EQ(tables.bootstrap_index(), 0u); });
}

TEST_F(AclRoutesTest, AnOperatorOfTheMachineAllowsOneMore) {
  const DirectoryForTest directory;
  WorkerPool workers(1);
  agent_.file_workers = &workers;
  agent_.bootstrap_reset_file = directory.path() + "/acl-bootstrap-reset";
  const std::string none;
  MustAs(none, "PUT", "/v1/acl/bootstrap");
  std::uint64_t done = 0;
  state_.Read([&](const AclTables& tables) { done = tables.bootstrap_index(); });
  const auto write = [&](const std::string& text) {
    std::ofstream(agent_.bootstrap_reset_file) << text;
  };
  EXPECT_THAT(RefusedAs(none, "PUT", "/v1/acl/bootstrap"), HasSubstr("already done"));
  write(std::to_string(done + 1));
  EXPECT_THAT(RefusedAs(none, "PUT", "/v1/acl/bootstrap"), HasSubstr("Invalid bootstrap reset"));
  write("x");
  EXPECT_THAT(RefusedAs(none, "PUT", "/v1/acl/bootstrap"), HasSubstr("already done"));
  write(std::to_string(done) + "\n");
  const json second = MustAs(none, "PUT", "/v1/acl/bootstrap",
                             {{"BootstrapSecret", "2b778dd9-f5f1-6f29-b4b4-9a5fa948757a"}});
  EXPECT_EQ(second["SecretID"], "2b778dd9-f5f1-6f29-b4b4-9a5fa948757a");
  EXPECT_THAT(RefusedAs(none, "PUT", "/v1/acl/bootstrap"), HasSubstr("400 "));
}

TEST_F(AclRoutesTest, PoliciesAreKeptAsTheyAreWritten) {
  const std::string secret = MakeManagement().secret;
  const json policy = {{"Name", "reader"}, {"Description", "reads"}, {"Rules", kReadRules}};
  MustAs(secret, "PUT", "/v1/acl/policy/reader", policy);
  const json stored = GetAs(secret, "/v1/acl/policy/reader");
  EXPECT_EQ(stored["Rules"], kReadRules);
  EXPECT_EQ(stored["Description"], "reads");
  EXPECT_EQ(stored["JobACL"], nullptr);
  EXPECT_EQ(stored["RulesJSON"]["Namespaces"][0]["Name"], "default");
  EXPECT_THAT(Names(GetAs(secret, "/v1/acl/policies?prefix=re")), ElementsAre("reader"));
  EXPECT_THAT(Names(GetAs(secret, "/v1/acl/policies?prefix=x")), IsEmpty());
  EXPECT_EQ(RefusedAs(secret, "PUT", "/v1/acl/policy/other", policy),
            "400 ACL policy name does not match request path");
  EXPECT_THAT(RefusedAs(secret, "PUT", "/v1/acl/policy/p",
                        {{"Name", "p"}, {"Rules", R"({"namespace": {"a": {"policy": "fly"}}})"}}),
              HasSubstr("400 "));
  EXPECT_THAT(RefusedAs(secret, "PUT", "/v1/acl/policy/p", {{"Name", 7}}), HasSubstr("/Name"));
  EXPECT_EQ(RefusedAs(secret, "GET", "/v1/acl/policy/none"), "404 ACL policy not found");
  MustAs(secret, "DELETE", "/v1/acl/policy/reader");
  EXPECT_THAT(GetAs(secret, "/v1/acl/policies"), IsEmpty());
}

TEST_F(AclRoutesTest, TokensAreMadeChangedAndRemoved) {
  const std::string secret = MakeManagement().secret;
  const json wanted = {{"Name", "ci"}, {"Type", "client"}, {"Policies", {"reader"}}};
  const json made = MustAs(secret, "PUT", "/v1/acl/token", wanted);
  const std::string accessor = made["AccessorID"], own = made["SecretID"];
  EXPECT_EQ(made["Policies"], json::array({"reader"}));
  const std::string path = "/v1/acl/token/" + accessor;
  EXPECT_EQ(GetAs(secret, path)["SecretID"], "") << "nobody else knows it";
  EXPECT_EQ(GetAs(own, path)["SecretID"], own);
  EXPECT_EQ(GetAs(own, "/v1/acl/token/self")["Name"], "ci");
  json changed = made;
  changed["Name"] = "cd";
  EXPECT_EQ(MustAs(secret, "POST", path, changed)["Name"], "cd");
  EXPECT_EQ(GetAs(own, "/v1/acl/token/self")["Name"], "cd") << "the secret stays";
  changed["AccessorID"] = "another";
  EXPECT_EQ(RefusedAs(secret, "PUT", path, changed),
            "400 ACL token accessor ID does not match request path");
  EXPECT_EQ(RefusedAs(secret, "PUT", "/v1/acl/token", {{"Type", "client"}}),
            "400 client token missing policies or roles");
  EXPECT_EQ(GetAs(secret, "/v1/acl/tokens?global=true").size(), 0u);
  EXPECT_EQ(GetAs(secret, "/v1/acl/tokens?prefix=" + accessor).size(), 1u);
  MustAs(secret, "DELETE", path);
  EXPECT_EQ(RefusedAs(secret, "GET", path), "404 ACL token not found");
  EXPECT_EQ(RefusedAs(own, "GET", "/v1/acl/token/self"), "403 ACL token not found");
}

TEST_F(AclRoutesTest, RolesAreMadeChangedAndRemoved) {
  const std::string secret = MakeManagement().secret;
  MakePolicy("reader", kReadRules);
  const json wanted = {{"Name", "readers"}, {"Policies", {{{"Name", "reader"}}}}};
  const json made = MustAs(secret, "PUT", "/v1/acl/role", wanted);
  const std::string id = made["ID"];
  EXPECT_EQ(GetAs(secret, "/v1/acl/role/" + id), GetAs(secret, "/v1/acl/role/name/readers"));
  json changed = made;
  changed["Description"] = "read";
  EXPECT_EQ(MustAs(secret, "PUT", "/v1/acl/role/" + id, changed)["Description"], "read");
  EXPECT_THAT(
      RefusedAs(secret, "PUT", "/v1/acl/role", {{"Name", "x"}, {"Policies", {{{"Name", "none"}}}}}),
      HasSubstr("400 cannot find policy none"));
  const json token = MustAs(secret, "PUT", "/v1/acl/token",
                            {{"Type", "client"}, {"Roles", {{{"Name", "readers"}}}}});
  const std::string own = token["SecretID"];
  EXPECT_EQ(token["Roles"][0]["ID"], id);
  EXPECT_THAT(Names(GetAs(own, "/v1/acl/roles")), ElementsAre("readers"));
  EXPECT_THAT(Names(GetAs(own, "/v1/acl/policies")), ElementsAre("reader"));
  EXPECT_EQ(StatusAs(own, "GET", "/v1/jobs"), 200);
  MustAs(secret, "DELETE", "/v1/acl/role/" + id);
  EXPECT_EQ(StatusAs(own, "GET", "/v1/jobs"), 403);
  EXPECT_EQ(RefusedAs(secret, "GET", "/v1/acl/role/" + id), "404 ACL role not found");
  EXPECT_EQ(RefusedAs(secret, "GET", "/v1/acl/role/name/readers"), "404 ACL role not found");
}

TEST_F(AclRoutesTest, AClientSeesWhatIsItsOwn) {
  const std::string management = MakeManagement().secret;
  MakePolicy("mine", kReadRules);
  MakePolicy("other", kReadRules);
  const TokenWrite token = MakeToken({"mine"}), another = MakeToken({"other"});
  EXPECT_THAT(Names(GetAs(token.secret, "/v1/acl/policies")), ElementsAre("mine"));
  EXPECT_THAT(Names(GetAs(token.secret, "/v1/acl/policy/self")), ElementsAre("mine"));
  EXPECT_THAT(Names(GetAs(management, "/v1/acl/policy/self")), IsEmpty());
  EXPECT_EQ(StatusAs(token.secret, "GET", "/v1/acl/policy/mine"), 200);
  for (const char* path : {"/v1/acl/policy/other", "/v1/acl/policy/none", "/v1/acl/tokens",
                           "/v1/acl/role/none", "/v1/acl/role/name/none"}) {
    EXPECT_EQ(StatusAs(token.secret, "GET", path), 403) << path;
  }
  EXPECT_EQ(StatusAs(token.secret, "GET", "/v1/acl/token/" + another.token->accessor_id), 403);
  for (const char* path : {"/v1/acl/policy/mine", "/v1/acl/token", "/v1/acl/role"}) {
    EXPECT_EQ(StatusAs(token.secret, "PUT", path, json::object()), 403) << path;
  }
  EXPECT_THAT(GetAs("", "/v1/acl/policies"), IsEmpty());
  EXPECT_EQ(GetAs("", "/v1/acl/token/self")["Name"], "Anonymous Token");
  MakePolicy("anonymous", kReadRules);
  EXPECT_THAT(Names(GetAs("", "/v1/acl/policies")), ElementsAre("anonymous"));
}

TEST_F(AclRoutesTest, TheTokenOfTheAgentReadsItself) {
  Enable(true, "0123456789abcdef");
  const json self = GetAs("0123456789abcdef", "/v1/acl/token/self");
  EXPECT_EQ(self["AccessorID"], "agent-token");
  EXPECT_EQ(self["Type"], "management");
  MakePolicy("anonymous", kReadRules);
  EXPECT_THAT(GetAs("0123456789abcdef", "/v1/acl/policy/self"), IsEmpty()) << "it needs none";
}

TEST_F(AclRoutesTest, ATaskHasPoliciesAndNoToken) {
  PolicyRequest request;
  request.name = "of-web";
  request.rules = std::make_shared<const Policy>(ReadPolicy(kReadRules).value());
  request.scope = JobScope{"default", "web", "", ""};
  ASSERT_TRUE(state_
                  .Write([&](const AclTables& tables, std::uint64_t index) -> Result<AclWrite> {
                    DROVER_ASSIGN(const PolicyWrite made,
                                  PutPolicy(tables, request, AclLimits(), {loop.Wall(), index}));
                    return made.write;
                  })
                  .ok());
  tasks_["own.a.b"] = {"default", "web", "g", "t", "alloc"};
  const json own = GetAs("own.a.b", "/v1/acl/policy/self");
  EXPECT_THAT(Names(own), ElementsAre("of-web"));
  EXPECT_EQ(own[0]["JobACL"]["JobID"], "web");
  EXPECT_EQ(RefusedAs("own.a.b", "GET", "/v1/acl/token/self"), "404 ACL token not found");
}

TEST_F(AclRoutesTest, AReadWaitsForAChange) {
  const std::string secret = MakeManagement().secret;
  MakePolicy("one", kReadRules);
  const HttpReply now = AskAs(secret, "GET", "/v1/acl/policies");
  const std::string index = HeaderOf(now, "X-Nomad-Index");
  SlowReply exchange(&loop, "/v1/acl/policies", "index=" + index + "&wait=1m");
  exchange.Send("GET", "", {{"X-Nomad-Token", secret}});
  loop.Spawn(slow_(&exchange));
  loop.Advance(10s);
  EXPECT_FALSE(exchange.reply.has_value());
  MakePolicy("two", kReadRules);
  loop.Advance(1s);
  ASSERT_TRUE(exchange.reply.has_value());
  EXPECT_THAT(Names(json::parse(exchange.reply->body)), ElementsAre("one", "two"));
}

TEST_F(AclRoutesTest, AReadThatWaitsEndsWithItsToken) {
  const std::string secret = MakeManagement().secret;
  MakePolicy("one", kReadRules);
  const TokenWrite reader = MakeManagement();
  const HttpReply now = AskAs(reader.secret, "GET", "/v1/acl/policies");
  const std::string index = HeaderOf(now, "X-Nomad-Index");
  SlowReply exchange(&loop, "/v1/acl/policies", "index=" + index + "&wait=1m");
  exchange.Send("GET", "", {{"X-Nomad-Token", reader.secret}});
  loop.Spawn(slow_(&exchange));
  loop.Advance(1s);
  EXPECT_FALSE(exchange.reply.has_value());
  EXPECT_EQ(StatusAs(secret, "DELETE", "/v1/acl/token/" + reader.token->accessor_id), 200);
  MakePolicy("two", kReadRules);
  loop.Advance(1s);
  ASSERT_TRUE(exchange.reply.has_value());
  EXPECT_EQ(exchange.reply->status, 403);
}

}  // namespace
}  // namespace drover
