// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What clients may do with variables where policies count.
#include <gmock/gmock.h>

#include <functional>

#include "host/api/acl_api_fixture.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;

class VariableAccessTest : public AclApiFixture {
 protected:
  VariableAccessTest() : management_(MakeManagement().secret) {
    for (const char* path : {"app/db", "app/web", "other"}) {
      EXPECT_EQ(PutAs(management_, std::string(path) + "?namespace=default"), 200);
    }
    EXPECT_EQ(PutAs(management_, "app/db?namespace=team"), 200);
  }

  int PutAs(const std::string& secret, const std::string& target) {
    return StatusAs(secret, "PUT", "/v1/var/" + target, {{"Items", {{"key", "value"}}}});
  }
  // Returns a token with CAPABILITIES, such as "read", for the paths that match PATH.
  std::string TokenFor(const std::string& path, const std::vector<std::string>& capabilities) {
    return TokenWith(RulesFor(path, capabilities));
  }
  static std::string RulesFor(const std::string& path,
                              const std::vector<std::string>& capabilities) {
    json rules;
    rules["namespace"]["default"]["variables"]["path"][path]["capabilities"] = capabilities;
    return rules.dump();
  }
  std::vector<std::string> PathsAs(const std::string& secret, const std::string& query) {
    std::vector<std::string> paths;
    for (const json& one : GetAs(secret, "/v1/vars" + query)) {
      paths.push_back(one["Namespace"].get<std::string>() + "/" + one["Path"].get<std::string>());
    }
    return paths;
  }

  // Waits with SECRET for a change of the variable app/db. Meanwhile MEANWHILE is called. Returns
  // the status of the answer.
  int StatusAfterWait(const std::string& secret, const std::function<void()>& meanwhile) {
    class Waiting : public FakeExchange {
     public:
      using FakeExchange::FakeExchange;
      Co<Status> Reply(HttpReply reply) override {
        status = reply.status;
        co_return Status();
      }
      int status = 0;
    };
    const std::string index = HeaderOf(AskAs(secret, "GET", "/v1/var/app/db"), "X-Nomad-Index");
    Waiting waiting(&loop, "/v1/var/app/db", "wait=1m&index=" + index);
    waiting.Send("GET", "", {{"X-Nomad-Token", secret}});
    loop.Spawn(waiting_(&waiting));
    loop.Advance(1s);
    EXPECT_EQ(waiting.status, 0) << "it does not wait";
    meanwhile();
    EXPECT_EQ(PutAs(management_, "app/db"), 200);
    loop.RunReady();
    return waiting.status;
  }

  const std::string management_;
  const HttpHandler waiting_ = MakeApiHandler(&agent_);
};

TEST_F(VariableAccessTest, ARightHoldsForThePathsOfItsRule) {
  const std::string reader = TokenFor("app/*", {"read"});
  EXPECT_EQ(StatusAs(reader, "GET", "/v1/var/app/db"), 200);
  EXPECT_EQ(StatusAs(reader, "GET", "/v1/var/other"), 403);
  EXPECT_EQ(StatusAs(reader, "GET", "/v1/var/app/db?namespace=team"), 403);
  EXPECT_EQ(PutAs(reader, "app/db"), 403);
  EXPECT_EQ(StatusAs(reader, "DELETE", "/v1/var/app/db"), 403);
  const std::string writer = TokenFor("app/db", {"write"});
  EXPECT_EQ(PutAs(writer, "app/db"), 200);
  EXPECT_EQ(PutAs(writer, "app/web"), 403);
  const std::string destroyer = TokenFor("app/db", {"destroy"});
  EXPECT_EQ(StatusAs(destroyer, "DELETE", "/v1/var/app/db"), 204);
  EXPECT_EQ(StatusAs(destroyer, "DELETE", "/v1/var/app/web"), 403);
}

TEST_F(VariableAccessTest, AListHasOnlyWhatTheClientMayList) {
  EXPECT_THAT(PathsAs(TokenFor("app/*", {"list"}), ""),
              ElementsAre("default/app/db", "default/app/web"));
  EXPECT_THAT(PathsAs(TokenFor("other", {"list"}), "?namespace=*"), ElementsAre("default/other"));
  EXPECT_EQ(PathsAs(management_, "?namespace=*").size(), 4u);
  EXPECT_EQ(StatusAs(MakeToken({}).secret, "GET", "/v1/vars"), 403);
}

TEST_F(VariableAccessTest, AConflictShowsItemsOnlyToThoseWhoMayReadThem) {
  const std::string target = "/v1/var/app/db?cas=0";
  const json body = {{"Items", {{"key", "new"}}}};
  const HttpReply hidden = AskAs(TokenFor("app/db", {"write"}), "PUT", target, body);
  EXPECT_EQ(hidden.status, 409);
  EXPECT_TRUE(json::parse(hidden.body)["Items"].is_null());
  const HttpReply shown = AskAs(TokenFor("app/db", {"read", "write"}), "PUT", target, body);
  EXPECT_EQ(shown.status, 409);
  EXPECT_EQ(json::parse(shown.body)["Items"]["key"], "value");
}

TEST_F(VariableAccessTest, TheNamespaceOfTheBodyCounts) {
  const json body = {{"Namespace", "team"}, {"Items", {{"key", "value"}}}};
  EXPECT_EQ(StatusAs(TokenFor("app/*", {"write"}), "PUT", "/v1/var/app/db", body), 403);
}

TEST_F(VariableAccessTest, WhoLosesTheRightWhileWaitingReadsNothing) {
  MakePolicy("p", RulesFor("app/*", {"read"}));
  const TokenWrite reader = MakeToken({"p"});
  EXPECT_EQ(StatusAfterWait(reader.secret, [] {}), 200);
  EXPECT_EQ(
      StatusAfterWait(reader.secret, [this] { MakePolicy("p", RulesFor("app/web", {"read"})); }),
      403);
  MakePolicy("p", RulesFor("app/*", {"read"}));
  const std::string token = "/v1/acl/token/" + reader.token->accessor_id;
  EXPECT_EQ(StatusAfterWait(reader.secret,
                            [&] { EXPECT_EQ(StatusAs(management_, "DELETE", token), 200); }),
            403);
}

TEST_F(VariableAccessTest, ATaskReadsTheVariablesOfItsJobAlone) {
  tasks_["task.web.x"] = {"default", "web", "g", "t", "a"};
  EXPECT_EQ(PutAs(management_, "nomad/jobs/web"), 200);
  EXPECT_EQ(PutAs(management_, "nomad/jobs/other"), 200);
  EXPECT_EQ(StatusAs("task.web.x", "GET", "/v1/var/nomad/jobs/web"), 200);
  EXPECT_EQ(StatusAs("task.web.x", "GET", "/v1/var/nomad/jobs/other"), 403);
  EXPECT_EQ(PutAs("task.web.x", "nomad/jobs/web"), 403);
  EXPECT_THAT(PathsAs("task.web.x", ""), ElementsAre("default/nomad/jobs/web"));
}

}  // namespace
}  // namespace drover
